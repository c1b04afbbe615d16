//! The files that show a report: which were asked for, and writing them.

use std::fs;
use std::path::{Path, PathBuf};

use super::CliError;
use crate::bench::record::Report;
use crate::bench::report::{self, Export, csv, html, svg};

/// The path that means standard output.
pub const STDOUT: &str = "-";

/// Files that `bench` and `report` write.
#[derive(Debug, clap::Args)]
pub struct Outputs {
    /// Write medians and intervals as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratios to the ceiling, or the throughput of a size sweep.
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// Write one web page with all charts and tables; it needs nothing from the network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Outputs {
    /// The files asked for, each with what makes its content; `more` come first.
    ///
    /// # Errors
    /// [`CliError::BadInput`] when two outputs have one place, or one would go to standard output.
    pub fn files(&self, more: Option<(PathBuf, Export)>) -> Result<Files, CliError> {
        let exports: [(&Option<PathBuf>, Export); 3] =
            [(&self.csv, csv::export), (&self.svg, svg::export), (&self.html, html::export)];
        let asked = exports.into_iter().filter_map(|(path, export)| Some((path.clone()?, export)));
        let mut files: Vec<(PathBuf, Export)> = Vec::new();
        for (path, export) in more.into_iter().chain(asked) {
            if path == Path::new(STDOUT) {
                let message = "only --json can go to standard output; --csv, --svg and --html need \
                               a file";
                return Err(CliError::BadInput(message.into()));
            }
            if files.iter().any(|(other, _)| place(other) == place(&path)) {
                let message = format!("{}: named for two outputs", path.display());
                return Err(CliError::BadInput(message));
            }
            files.push((path, export));
        }
        Ok(Files(files))
    }
}

/// Files, each with what makes its content.
#[derive(Debug)]
pub struct Files(Vec<(PathBuf, Export)>);

impl Files {
    /// Brings every file up to date, each as a whole.
    ///
    /// # Errors
    /// [`CliError`] for the first file that cannot be written.
    pub fn write(&self, report: &Report) -> Result<(), CliError> {
        for (path, export) in &self.0 {
            let bytes = export(report).map_err(|error| CliError::Other(error.to_string()))?;
            report::write_file(path, &bytes)?;
        }
        Ok(())
    }
}

/// A path that is the same for every spelling of one place, existing or not.
fn place(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.into())
}
