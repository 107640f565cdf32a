//! The audit log as a file, and the check of such a file. The check reads the file alone, so that it can be made anywhere.

use anyhow::Context as _;
use recto_app::record::Store;
use recto_core::audit::export::{ExportVerifier, WholeExport, first_line, last_line, row_line};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Rows that are read at once.
const PAGE: usize = 1_000;

/// Writes the whole log to a new file. A file that is there is never replaced.
pub(crate) async fn export(record: &Store, to: &Path) -> anyhow::Result<ExitCode> {
    let file = match OpenOptions::new().write(true).create_new(true).open(to) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            anyhow::bail!("a file is there already and is not replaced, choose another name: {}", to.display())
        }
        other => other.with_context(|| format!("cannot write the file: {}", to.display()))?,
    };
    let written =
        write_rows(record, file, PAGE).await.with_context(|| format!("cannot write the file: {}", to.display()));
    if written.is_err() {
        // A part of the log is no export; why it could not be written is what there is to say.
        let _ = std::fs::remove_file(to);
    }
    println!("{}", summary(&written?));
    Ok(ExitCode::SUCCESS)
}

async fn write_rows(record: &Store, file: File, page: usize) -> anyhow::Result<WholeExport> {
    let mut out = BufWriter::new(file);
    let (mut n_rows, mut after, mut head) = (0, 0, None);
    writeln!(out, "{}", first_line()?)?;
    loop {
        let rows = record.audit_after(after, page).await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            writeln!(out, "{}", row_line(row.seq, &row.entry, &row.link)?)?;
            (n_rows, after, head) = (n_rows + 1, row.seq, Some(row.link));
        }
    }
    let last = last_line(n_rows, head.as_ref())?;
    writeln!(out, "{last}")?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    let head = head.unwrap_or_else(|| recto_core::text::ContentHash(recto_core::audit::CHAIN_START.to_owned()));
    Ok(WholeExport { n_rows, head })
}

/// Checks an exported file and says where it is not what was exported.
pub(crate) fn verify(file: &Path) -> anyhow::Result<ExitCode> {
    let cannot_read = || format!("cannot read the file: {}", file.display());
    let mut lines = BufReader::new(File::open(file).with_context(cannot_read)?);
    let (mut verifier, mut line) = (ExportVerifier::default(), Vec::new());
    while lines.read_until(b'\n', &mut line).with_context(cannot_read)? > 0 {
        // Bytes that are no text stand in no export, and neither does an empty line.
        verifier.line(std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(&line)).unwrap_or_default());
        line.clear();
    }
    Ok(match verifier.finish() {
        Ok(whole) => {
            println!("{}", summary(&whole));
            ExitCode::SUCCESS
        }
        Err(fault) => {
            println!("the export is not whole: {fault}");
            ExitCode::FAILURE
        }
    })
}

fn summary(whole: &WholeExport) -> String {
    format!("{} rows, head {}", whole.n_rows, whole.head)
}
