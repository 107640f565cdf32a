//! Workbooks of Excel, cell by cell: as a whole, a sheet with one cell in its last corner would fill the memory.

use super::extract::{MAX_TEXT, Unread};
use super::office::check_size;
use calamine::{DataRef, Reader as _, Xlsx, XlsxError};
use recto_core::library::{Form, Section, Unit};
use std::io::Cursor;

/// Cells further to the right are left out; no table that a person reads has them.
const MAX_COLUMN: u32 = 256;

pub(super) fn xlsx(bytes: &[u8]) -> Result<Vec<Section>, Unread> {
    check_size(bytes)?;
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| match error {
        XlsxError::Password => Unread::Protected,
        _ => Unread::Damaged,
    })?;
    let mut sections = Vec::new();
    let mut left = MAX_TEXT;
    for sheet in workbook.sheet_names() {
        // A sheet of charts has no cells.
        let Ok(mut cells) = workbook.worksheet_cells_reader(&sheet) else { continue };
        let mut rows: Vec<(u32, String)> = Vec::new();
        let mut column = 0;
        while let Some(cell) = cells.next_cell().map_err(|_| Unread::Damaged)? {
            let ((row, at), text) = (cell.get_position(), shown(cell.get_value()));
            if text.is_empty() || at >= MAX_COLUMN {
                continue;
            }
            left = left.checked_sub(text.len() + 1).ok_or(Unread::TooLargeInside)?;
            if rows.last().is_none_or(|(last, _)| *last != row) {
                rows.push((row, String::new()));
                column = 0;
            }
            if let Some((_, line)) = rows.last_mut() {
                line.extend(std::iter::repeat_n('\t', at.saturating_sub(column) as usize));
                line.push_str(&text);
                column = at;
            }
        }
        sections.extend(tables(&sheet, &rows));
    }
    if sections.is_empty() { Err(Unread::NoText) } else { Ok(sections) }
}

/// Rows that follow each other without a gap are one table, each with a header of its own.
fn tables(sheet: &str, rows: &[(u32, String)]) -> Vec<Section> {
    let mut tables: Vec<Section> = Vec::new();
    let mut next = None;
    for (row, line) in rows {
        match tables.last_mut().filter(|_| next == Some(*row)) {
            Some(table) => {
                table.text.push('\n');
                table.text.push_str(line);
            }
            None => tables.push(Section {
                form: Form::Table,
                unit: Unit::Row,
                first: row + 1,
                sheet: sheet.to_owned(),
                text: line.clone(),
            }),
        }
        next = Some(row + 1);
    }
    tables
}

fn shown(value: &DataRef<'_>) -> String {
    let text = match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, _, _) = moment.to_ymd_hms_milli();
            if (hour, minute) == (0, 0) {
                format!("{year:04}-{month:02}-{day:02}")
            } else {
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
            }
        }
        DataRef::DateTime(moment) => moment.as_f64().to_string(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    };
    // A cell is one line, and a tab is what lies between two of them.
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}
