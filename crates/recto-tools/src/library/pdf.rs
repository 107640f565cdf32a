//! Pages of PDF files. The library that reads them gives up with a panic on some; its thread ends then, and nothing else.

use super::extract::{MAX_TEXT, Unread};
use pdf_extract::OutputError;
use recto_core::library::{Form, Section, Unit};

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Section>, Unread> {
    if !bytes.iter().take(1_024).collect::<Vec<_>>().windows(5).any(|five| five.iter().copied().eq(b"%PDF-")) {
        return Err(Unread::Damaged);
    }
    let pages = pdf_extract::extract_text_from_mem_by_pages(bytes).map_err(|error| match error {
        OutputError::PdfError(error) if error.to_string().to_lowercase().contains("password") => Unread::Protected,
        _ => Unread::Damaged,
    })?;
    if pages.iter().map(String::len).sum::<usize>() > MAX_TEXT {
        return Err(Unread::TooLargeInside);
    }
    if pages.iter().all(|page| page.trim().is_empty()) {
        return Err(Unread::OnlyPictures);
    }
    let section = |(number, text): (u32, String)| Section {
        form: Form::Prose,
        unit: Unit::Page,
        first: number,
        sheet: String::new(),
        text,
    };
    Ok((1..).zip(pages).map(section).collect())
}
