//! A table as text: the first column to the left, the others to the right, as wide as they need to be.

/// Rows of cells under a head. A row of none is a line.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with this head.
    pub(crate) fn with_head<const N: usize>(head: [&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned).to_vec(), Vec::new()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Adds a line.
    pub(crate) fn line(&mut self) {
        self.rows.push(Vec::new());
    }

    /// The whole text.
    pub(crate) fn to_text(&self) -> String {
        let n_columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..n_columns)
            .map(|column| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0))
            .collect();
        let lines = self.rows.iter().map(|row| {
            if row.is_empty() {
                return "─".repeat(widths.iter().sum::<usize>() + 2 * n_columns.saturating_sub(1));
            }
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, wanted))| {
                let space = " ".repeat(wanted - width(cell));
                if column == 0 { format!("{cell}{space}") } else { format!("{space}{cell}") }
            });
            cells.collect::<Vec<_>>().join("  ")
        });
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

/// The middle of some numbers; 0 if there are none.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match (numbers.get(middle), middle.checked_sub(1).and_then(|before| numbers.get(before))) {
        (Some(upper), Some(lower)) if numbers.len().is_multiple_of(2) => f64::midpoint(*upper, *lower),
        (Some(one), _) => *one,
        (None, _) => 0.0,
    }
}

/// A share in per cent; 0 of nothing.
pub(crate) fn percent(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 }
}

/// The 95 % interval of a share after Wilson, in per cent; all of it for nothing.
pub(crate) fn wilson(part: usize, of: usize) -> (f64, f64) {
    if of == 0 {
        return (0.0, 100.0);
    }
    const Z: f64 = 1.959_964;
    let (n, share) = (of as f64, part as f64 / of as f64);
    let middle = share + Z * Z / (2.0 * n);
    let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    (((middle - reach) * scale).max(0.0), ((middle + reach) * scale).min(100.0))
}

#[cfg(test)]
mod tests {
    use super::{Table, median, wilson};

    #[test]
    fn the_interval_of_wilson_is_wide_for_few_and_stays_between_none_and_all() {
        let rounded = |(low, high): (f64, f64)| (low.round(), high.round());
        let found = [(25, 61), (0, 5), (5, 5), (0, 0)].map(|(part, of)| rounded(wilson(part, of)));
        assert_eq!(found, [(30.0, 54.0), (0.0, 43.0), (57.0, 100.0), (0.0, 100.0)]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::with_head(["task", "right", "s"]);
        table.row(vec!["desk-run".into(), "5/5".into(), "12.5".into()]);
        table.line();
        table.row(vec!["all".into(), "5/5".into(), "9.0".into()]);
        let expected = "task      right     s\n\
                        ─────────────────────\n\
                        desk-run    5/5  12.5\n\
                        ─────────────────────\n\
                        all         5/5   9.0\n";
        assert_eq!(table.to_text(), expected);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!([median(vec![]), median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0])], [0.0, 2.0, 2.5]);
    }
}
