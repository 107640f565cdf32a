//! F-71, T-47: a model file from a publisher that breaks off, lies, redirects, ignores ranges or sends names.

use recto_engine::ports::Stop;
use recto_providers::fetch::{FetchError, FetchProgress, Wanted, announced, fetch};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What a publisher does, and what it was asked.
#[derive(Clone, Default)]
struct Does {
    content: Vec<u8>,
    etag: Option<String>,
    size: Option<u64>,
    /// Of the first download only so many bytes come.
    breaks_after: Option<usize>,
    ignores_ranges: bool,
    /// Where everything but `/there` is sent.
    redirect: Option<String>,
    status: Option<u16>,
    disposition: Option<String>,
    is_silent: bool,
}

struct Publisher {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

fn publisher(does: Does) -> Publisher {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let told = asked.clone();
    std::thread::spawn(move || {
        let mut n_downloads = 0;
        for stream in listener.incoming() {
            answer(stream.unwrap(), &does, &told, &mut n_downloads);
        }
    });
    Publisher { url, asked }
}

fn answer(mut stream: TcpStream, does: &Does, asked: &Mutex<Vec<String>>, n_downloads: &mut usize) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let range = head.lines().find_map(|line| line.strip_prefix("range: bytes=")).map(str::to_owned);
    asked
        .lock()
        .unwrap()
        .push(format!("{line}{}", range.as_ref().map(|range| format!(" {range}")).unwrap_or_default()));
    let mut headers = String::from("connection: close\r\n");
    if let Some(etag) = &does.etag {
        headers.push_str(&format!("x-linked-etag: \"{etag}\"\r\n"));
    }
    if let Some(size) = does.size {
        headers.push_str(&format!("x-linked-size: {size}\r\n"));
    }
    if let Some(name) = &does.disposition {
        headers.push_str(&format!("content-disposition: attachment; filename=\"{name}\"\r\n"));
    }
    let is_download = line.starts_with("GET");
    let (status, body) = match (&does.redirect, does.status, range.filter(|_| !does.ignores_ranges)) {
        (Some(target), ..) if !line.ends_with("/there") => {
            headers.push_str(&format!("location: {target}\r\n"));
            (302, Vec::new())
        }
        (_, Some(status), _) => (status, Vec::new()),
        (.., Some(range)) => {
            let from: usize = range.trim_end_matches('-').parse().unwrap();
            let n = does.content.len();
            headers.push_str(&format!("content-range: bytes {from}-{}/{n}\r\n", n - 1));
            (206, does.content[from..].to_vec())
        }
        _ => (200, does.content.clone()),
    };
    *n_downloads += usize::from(is_download);
    let sent = match does.breaks_after {
        Some(n) if is_download && *n_downloads == 1 => n.min(body.len()),
        _ => body.len(),
    };
    // Whoever has heard enough closes the connection.
    let _ = stream
        .write_all(format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len()).as_bytes())
        .and_then(|()| if is_download { stream.write_all(&body[..sent]) } else { Ok(()) });
    if does.is_silent && is_download {
        std::thread::sleep(std::time::Duration::from_secs(3_600));
    }
}

fn content() -> Vec<u8> {
    (0..300_000_u32).flat_map(u32::to_le_bytes).collect()
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn honest() -> Does {
    let content = content();
    Does { etag: Some(sha256(&content)), size: Some(content.len() as u64), content, ..Does::default() }
}

async fn fetched(publisher: &Publisher, folder: &Path, sha256: Option<String>) -> Result<Vec<u8>, FetchError> {
    let wanted = Wanted { address: format!("{}/m.gguf", publisher.url), file: "model.gguf".into(), sha256 };
    let (_switch, stop) = Stop::new();
    Ok(std::fs::read(fetch(&wanted, folder, &|_| {}, stop).await?).unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn failure_f71_a_download_that_broke_off_goes_on_from_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let publisher = publisher(Does { breaks_after: Some(500_000), ..honest() });
    let broken = fetched(&publisher, folder.path(), None).await.unwrap_err();
    assert!(matches!(broken, FetchError::BrokenOff), "{broken}");
    let part = format!("{}.part", sha256(&content()));
    assert_eq!(names(folder.path()), std::slice::from_ref(&part));
    let n_there = folder.path().join(part).metadata().unwrap().len();
    assert!(n_there > 0 && n_there <= 500_000);
    assert_eq!(fetched(&publisher, folder.path(), None).await.unwrap(), content());
    assert_eq!(names(folder.path()), ["model.gguf"]);
    assert_eq!(publisher.asked.lock().unwrap().last().unwrap(), &format!("GET /m.gguf {n_there}-"));
}

#[tokio::test]
async fn failure_f71_a_server_that_ignores_the_range_is_read_from_the_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let publisher = publisher(Does { breaks_after: Some(500_000), ignores_ranges: true, ..honest() });
    fetched(&publisher, folder.path(), None).await.unwrap_err();
    assert_eq!(fetched(&publisher, folder.path(), None).await.unwrap(), content());
}

#[tokio::test]
async fn attack_t47_what_has_another_hash_is_thrown_away_and_never_gets_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = content();
    other[1_000] ^= 1;
    let publisher = publisher(Does { content: other, ..honest() });
    let wrong = fetched(&publisher, folder.path(), Some(sha256(&content()))).await.unwrap_err();
    assert!(matches!(wrong, FetchError::WrongHash), "{wrong}");
    assert!(names(folder.path()).is_empty());
    let known = fetched(&publisher, folder.path(), Some(sha256(b"another"))).await.unwrap_err();
    assert!(matches!(known, FetchError::OtherFile), "{known}");
}

#[tokio::test]
async fn failure_f71_without_a_hash_or_without_space_nothing_is_begun() {
    for (does, sentence) in [
        (
            Does { etag: None, ..honest() },
            "127.0.0.1 does not say the hash or the size of the file, so it cannot be checked and was not fetched",
        ),
        (
            Does { etag: Some("../../evil".into()), ..honest() },
            "127.0.0.1 does not say the hash or the size of the file, so it cannot be checked and was not fetched",
        ),
        (
            Does { status: Some(404), etag: None, ..honest() },
            "127.0.0.1 does not give the file (status 404); try again later, or take another model",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let publisher = publisher(does);
        assert_eq!(fetched(&publisher, folder.path(), None).await.unwrap_err().to_string(), sentence);
        assert!(names(folder.path()).is_empty());
        assert!(publisher.asked.lock().unwrap().iter().all(|asked| asked.starts_with("HEAD")));
    }
    let folder = tempfile::tempdir().unwrap();
    let publisher = publisher(Does { size: Some(1 << 60), ..honest() });
    let full = fetched(&publisher, folder.path(), None).await.unwrap_err();
    assert!(matches!(full, FetchError::NoSpace { .. }), "{full}");
    assert_eq!(publisher.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn attack_t47_no_name_and_no_address_of_a_server_leads_out_of_the_folder() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("models");
    for name in ["../evil.gguf", "/etc/evil", "..\\evil", "model.gguf\u{202e}"] {
        let publisher = publisher(Does { disposition: Some(name.into()), ..honest() });
        assert_eq!(fetched(&publisher, &folder, None).await.unwrap(), content());
        assert_eq!((names(outside.path()), names(&folder)), (vec!["models".into()], vec!["model.gguf".into()]));
    }
    for target in
        ["http://example.com/there", "https://example.com/there", "file:///etc/passwd", "ftp://127.0.0.1/there"]
    {
        let publisher = publisher(Does { redirect: Some(target.into()), ..honest() });
        let unsafe_one = fetched(&publisher, &folder, None).await.unwrap_err();
        assert!(matches!(unsafe_one, FetchError::Unsafe(_)), "{target}: {unsafe_one}");
    }
    let publisher = publisher(honest());
    for file in ["../evil.gguf", "a/b.gguf", "..", ""] {
        let wanted = Wanted { address: format!("{}/m", publisher.url), file: file.into(), sha256: None };
        let (_switch, stop) = Stop::new();
        assert!(fetch(&wanted, &folder, &|_| {}, stop).await.is_err(), "{file}");
    }
    assert_eq!(names(outside.path()), ["models"]);
}

#[tokio::test]
async fn a_publisher_may_send_from_elsewhere_and_says_size_and_hash_before() {
    let folder = tempfile::tempdir().unwrap();
    let publisher = publisher(Does { redirect: Some("/there".into()), ..honest() });
    let said = announced(&format!("{}/m.gguf", publisher.url)).await.unwrap();
    assert_eq!((said.n_bytes, said.sha256), (content().len() as u64, Some(sha256(&content()))));
    assert_eq!(fetched(&publisher, folder.path(), None).await.unwrap(), content());
}

#[tokio::test]
async fn a_stopped_download_keeps_its_part_and_says_how_far_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let publisher = publisher(Does { breaks_after: Some(500_000), is_silent: true, ..honest() });
    let wanted = Wanted { address: format!("{}/m.gguf", publisher.url), file: "model.gguf".into(), sha256: None };
    let (switch, stop) = Stop::new();
    let last = Mutex::new(None);
    let told = |progress: FetchProgress| {
        if progress.n_done == 500_000 {
            switch.send_replace(true);
        }
        *last.lock().unwrap() = Some(progress);
    };
    let stopped = fetch(&wanted, folder.path(), &told, stop).await.unwrap_err();
    assert!(matches!(stopped, FetchError::Stopped), "{stopped}");
    let expected = FetchProgress { n_done: 500_000, n_before: 0, n_bytes: content().len() as u64, is_checking: false };
    assert_eq!(*last.lock().unwrap(), Some(expected));
    assert_eq!(names(folder.path()), [format!("{}.part", sha256(&content()))]);
}
