//! Fetches a model file from its publisher: on from where an earlier try broke off, and checked against its hash before it gets its
//! name. The names on the disk are ours; nothing that a server says becomes one.

use crate::address::ServerAddress;
use crate::http::{self, Timing};
use recto_engine::ports::Stop;
use reqwest::header::{CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, LOCATION, RANGE};
use reqwest::{Method, Response, StatusCode, Url};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A publisher sends a file from elsewhere; more hops than this lead in a circle.
const HOPS: usize = 5;
/// For an answer, and for the next bytes of a file.
const IDLE: Duration = Duration::from_secs(60);
/// What is read at once for the hash.
const PIECE: usize = 1 << 20;

/// A file that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where the publisher keeps it.
    pub address: String,
    /// The name that it gets in the folder.
    pub file: String,
    /// Its SHA-256 in lower-case hex; `None` asks the publisher for it before the download and checks against that.
    pub sha256: Option<String>,
}

/// What a publisher says of a file before it sends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// Its length in bytes.
    pub n_bytes: u64,
    /// Its SHA-256 in lower-case hex, where the publisher says it.
    pub sha256: Option<String>,
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchProgress {
    /// Bytes that are here, those of an earlier try included.
    pub n_done: u64,
    /// Of them from an earlier try.
    pub n_before: u64,
    /// Of so many.
    pub n_bytes: u64,
    /// Whether all is here and its hash is being checked.
    pub is_checking: bool,
}

/// A file was not fetched. Each is one sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address cannot be used, or leads to one that cannot.
    #[error("the download from {0} leads to an address that is not safe, and was not followed")]
    Unsafe(String),
    /// Nobody answers, or not in time.
    #[error("{0} cannot be reached; check the connection and try again. What has arrived is kept")]
    Unreachable(String),
    /// An answer that is no file.
    #[error("{server} does not give the file (status {status}); try again later, or take another model")]
    Status {
        /// Who.
        server: String,
        /// Its answer.
        status: u16,
    },
    /// Nobody says which bytes are the right ones.
    #[error("{0} does not say the hash or the size of the file, so it cannot be checked and was not fetched")]
    NoHash(String),
    /// The publisher has another file than the one that is known.
    #[error("the publisher has another file under this address now; it was not fetched")]
    OtherFile,
    /// The disk is too small.
    #[error("the file needs {needed_mib} MiB more and {free_mib} MiB are free; make space and try again")]
    NoSpace {
        /// What is missing on the disk.
        needed_mib: u64,
        /// What is free.
        free_mib: u64,
    },
    /// The connection broke; the part stays.
    #[error("the download broke off; try again, and it goes on from where it was")]
    BrokenOff,
    /// All of it came, and it is not the file.
    #[error("what arrived is not the file that was announced, and was thrown away; try again")]
    WrongHash,
    /// Whoever wanted it stopped it; the part stays.
    #[error("the download was stopped; what has arrived is kept for the next try")]
    Stopped,
    /// The disk.
    #[error("the file cannot be written: {0}")]
    Disk(#[from] io::Error),
}

/// Asks a publisher for the size and the hash of a file. Hugging Face says both in the first answer, before it sends elsewhere.
///
/// # Errors
/// It cannot be reached, does not have the file, or does not say its size.
pub async fn announced(address: &str) -> Result<Announced, FetchError> {
    let mut hops = Hops::new(address)?;
    let (mut n_bytes, mut sha256) = (None, None);
    let mut seen = |headers: &HeaderMap| {
        let text = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
        n_bytes = n_bytes.or_else(|| text("x-linked-size")?.parse().ok());
        sha256 = sha256.take().or_else(|| text("x-linked-etag").and_then(|tag| digest(&tag)));
    };
    let response = hops.send(Method::HEAD, None, &mut seen).await?;
    let length = || response.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
    let n_bytes = n_bytes.or_else(length).filter(|n: &u64| *n > 0);
    Ok(Announced { n_bytes: n_bytes.ok_or_else(|| FetchError::NoHash(hops.server()))?, sha256 })
}

/// The hash in an entity tag: 64 lower-case hex digits and nothing else.
fn digest(tag: &str) -> Option<String> {
    let digits = tag.trim_start_matches("W/").trim_matches('"');
    is_digest(digits).then(|| digits.to_owned())
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Fetches a file into `folder` and gives its path.
///
/// The part is named by the hash of the whole, so that what is continued is always the same file; a server that ignores the range
/// sends it from the beginning, and so it is read. `If-Range` is not needed for that: should the bytes differ after all, the hash says so.
///
/// # Errors
/// It is not there afterwards; the sentence says why, and whether a part of it is kept.
pub async fn fetch(
    wanted: &Wanted,
    folder: &Path,
    progress: &(dyn Fn(FetchProgress) + Send + Sync),
    mut stop: Stop,
) -> Result<PathBuf, FetchError> {
    tokio::select! {
        biased;
        () = stop.wait() => Err(FetchError::Stopped),
        fetched = fetch_whole(wanted, folder, progress) => fetched,
    }
}

async fn fetch_whole(
    wanted: &Wanted,
    folder: &Path,
    progress: &(dyn Fn(FetchProgress) + Send + Sync),
) -> Result<PathBuf, FetchError> {
    let announced = announced(&wanted.address).await?;
    let sha256 = match (&wanted.sha256, announced.sha256) {
        (Some(known), Some(said)) if *known != said => return Err(FetchError::OtherFile),
        (Some(known), _) => known.clone(),
        (None, Some(said)) => said,
        (None, None) => return Err(FetchError::NoHash(server_of(&wanted.address))),
    };
    // Both come from the catalogue; a damaged one must not become a path either.
    if !is_digest(&sha256) || Path::new(&wanted.file).file_name().is_none_or(|name| name != wanted.file.as_str()) {
        return Err(FetchError::OtherFile);
    }
    fs::create_dir_all(folder)?;
    let part = folder.join(format!("{sha256}.part"));
    let mut there = part.metadata().map_or(0, |part| part.len());
    if there > announced.n_bytes {
        fs::remove_file(&part)?;
        there = 0;
    }
    check_space(folder, announced.n_bytes - there)?;
    let mut arriving = Arriving { n_bytes: announced.n_bytes, n_before: there, part: &part, progress };
    if there < announced.n_bytes {
        arriving.receive(&wanted.address).await?;
    }
    arriving.tell(announced.n_bytes, true);
    let checked = part.clone();
    let found = tokio::task::spawn_blocking(move || hash_of(&checked)).await.map_err(io::Error::other)??;
    if found != sha256 {
        // Going on behind wrong bytes would never come right.
        fs::remove_file(&part)?;
        return Err(FetchError::WrongHash);
    }
    let file = folder.join(&wanted.file);
    fs::rename(&part, &file)?;
    Ok(file)
}

/// A file on its way to the disk.
struct Arriving<'a> {
    n_bytes: u64,
    n_before: u64,
    part: &'a Path,
    progress: &'a (dyn Fn(FetchProgress) + Send + Sync),
}

impl Arriving<'_> {
    fn tell(&self, n_done: u64, is_checking: bool) {
        (self.progress)(FetchProgress { n_done, n_before: self.n_before, n_bytes: self.n_bytes, is_checking });
    }

    async fn receive(&mut self, address: &str) -> Result<(), FetchError> {
        let mut hops = Hops::new(address)?;
        let from = (self.n_before > 0).then_some(self.n_before);
        let mut response = hops.send(Method::GET, from, &mut |_| {}).await?;
        let goes_on = response.status() == StatusCode::PARTIAL_CONTENT
            && from.is_some_and(|from| begins_at(response.headers(), from));
        if response.status() == StatusCode::PARTIAL_CONTENT && !goes_on {
            return Err(FetchError::Status { server: hops.server(), status: 206 });
        }
        let mut file = OpenOptions::new().create(true).append(true).open(self.part)?;
        if !goes_on {
            file.set_len(0)?;
            self.n_before = 0;
        }
        let mut n_done = self.n_before;
        self.tell(n_done, false);
        // A piece is a few kilobytes and goes to the system's cache, so writing it here keeps nobody waiting.
        while let Some(piece) = next_piece(&mut response).await? {
            n_done += piece.len() as u64;
            if n_done > self.n_bytes {
                drop(file);
                fs::remove_file(self.part)?;
                return Err(FetchError::WrongHash);
            }
            file.write_all(&piece)?;
            self.tell(n_done, false);
        }
        file.sync_all()?;
        if n_done < self.n_bytes { Err(FetchError::BrokenOff) } else { Ok(()) }
    }
}

/// The next bytes; `None` at the end. A part that was written stays, whatever happens to the connection.
async fn next_piece(response: &mut Response) -> Result<Option<Vec<u8>>, FetchError> {
    match tokio::time::timeout(IDLE, response.chunk()).await {
        Ok(Ok(piece)) => Ok(piece.map(|bytes| bytes.to_vec())),
        Ok(Err(_)) | Err(_) => Err(FetchError::BrokenOff),
    }
}

fn begins_at(headers: &HeaderMap, from: u64) -> bool {
    let range = headers.get(CONTENT_RANGE).and_then(|range| range.to_str().ok()).unwrap_or_default();
    range.strip_prefix("bytes ").and_then(|range| range.split('-').next()) == Some(from.to_string().as_str())
}

/// The way of a question from the publisher's address to wherever the file is. No key goes along.
struct Hops {
    at: Url,
    is_local: bool,
}

impl Hops {
    fn new(address: &str) -> Result<Self, FetchError> {
        let at = Url::parse(address).map_err(|_| FetchError::Unsafe(server_of(address)))?;
        let is_local = safe(&at)?.is_loopback();
        Ok(Self { at, is_local })
    }

    fn server(&self) -> String {
        server_of(self.at.as_str())
    }

    /// Asks, and follows what is encrypted or stays on this computer; `seen` is shown the headers of every answer on the way.
    async fn send(
        &mut self,
        method: Method,
        from: Option<u64>,
        seen: &mut (dyn FnMut(&HeaderMap) + Send),
    ) -> Result<Response, FetchError> {
        for _ in 0..HOPS {
            let address = safe(&self.at)?;
            // A file from elsewhere has nothing to look for on this computer.
            if address.is_loopback() != self.is_local {
                return Err(FetchError::Unsafe(self.server()));
            }
            let unreachable = || FetchError::Unreachable(self.server());
            let client = http::client(&address, Timing::usual(self.is_local)).map_err(|_| unreachable())?;
            let mut question = client.request(method.clone(), self.at.clone());
            if let Some(from) = from {
                question = question.header(RANGE, format!("bytes={from}-"));
            }
            let asked = tokio::time::timeout(IDLE, question.send()).await;
            let response = asked.ok().and_then(Result::ok).ok_or_else(unreachable)?;
            seen(response.headers());
            let status = response.status();
            if status.is_success() {
                return Ok(response);
            }
            let target = response.headers().get(LOCATION).and_then(|target| target.to_str().ok());
            match target.filter(|_| status.is_redirection()).and_then(|target| self.at.join(target).ok()) {
                Some(next) => self.at = next,
                None => return Err(FetchError::Status { server: self.server(), status: status.as_u16() }),
            }
        }
        Err(FetchError::Unsafe(self.server()))
    }
}

/// The server of an address, if one may go there: encrypted, or on this computer, and without a name in it.
fn safe(url: &Url) -> Result<ServerAddress, FetchError> {
    ServerAddress::parse(url.as_str(), false).map_err(|_| FetchError::Unsafe(server_of(url.as_str())))
}

fn server_of(address: &str) -> String {
    Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "the publisher".into())
}

fn check_space(folder: &Path, needed: u64) -> Result<(), FetchError> {
    match free_bytes(folder) {
        Some(free) if free < needed => Err(FetchError::NoSpace { needed_mib: needed >> 20, free_mib: free >> 20 }),
        _ => Ok(()),
    }
}

/// What a person may still write into a folder; `None` where the system does not say.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        let n = file.read(&mut piece)?;
        if n == 0 {
            break;
        }
        hash.update(&piece[..n]);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
