//! Named lists of specs: those built in, and files of the same form.

use std::fs;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::BenchError;

/// The suites that come with the program: name and text.
const BUILT_IN: [(&str, &str); 5] = [
    ("main", include_str!("../../benches/suites/main.json")),
    ("models", include_str!("../../benches/suites/models.json")),
    ("permutation", include_str!("../../benches/suites/permutation.json")),
    ("sizes", include_str!("../../benches/suites/sizes.json")),
    ("ttc57", include_str!("../../benches/suites/ttc57.json")),
];

/// The suite that runs when nothing was asked for.
pub const MAIN: &str = "main";

/// A list of specs. Files may hold further fields beside these two, which are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Suite {
    /// Its name.
    #[serde(rename = "suite")]
    pub name: String,
    /// Its specs.
    pub cases: Vec<Entry>,
}

/// One spec of a suite. A file may also hold the same case in numbers, for other programs; any
/// other field is a mistake.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "FileEntry")]
pub struct Entry {
    /// Short name for tables.
    pub name: String,
    /// A source and view operations.
    pub spec: String,
    /// What it stands for.
    pub why: Option<String>,
}

/// An [`Entry`] as files write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    name: String,
    spec: String,
    why: Option<String>,
    #[serde(rename = "elem")]
    _elem: Option<IgnoredAny>,
    #[serde(rename = "shape")]
    _shape: Option<IgnoredAny>,
    #[serde(rename = "permute")]
    _permute: Option<IgnoredAny>,
    #[serde(rename = "src_strides")]
    _src_strides: Option<IgnoredAny>,
}

impl From<FileEntry> for Entry {
    fn from(FileEntry { name, spec, why, .. }: FileEntry) -> Self {
        Self { name, spec, why }
    }
}

impl Suite {
    /// The suite built in under `name`, or else the file of that path.
    ///
    /// # Errors
    /// [`BenchError::UnknownSuite`], [`BenchError::Unreadable`] or [`BenchError::NotASuite`].
    pub fn load(name: &str) -> Result<Self, BenchError> {
        let path = Path::new(name);
        let parse = |text: &str| {
            serde_json::from_str(text)
                .map_err(|error| BenchError::NotASuite { path: path.into(), error })
        };
        if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return parse(text);
        }
        match fs::read_to_string(path) {
            Ok(text) => parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let known = BUILT_IN.map(|(known, _)| known).join(", ");
                Err(BenchError::UnknownSuite { name: name.into(), known })
            }
            Err(error) => Err(BenchError::Unreadable { path: path.into(), error }),
        }
    }

    /// The suite of specs given one by one; each is its own name.
    pub fn of_specs(specs: &[String]) -> Self {
        let entry = |spec: &String| Entry { name: spec.clone(), spec: spec.clone(), why: None };
        Self { name: "command line".into(), cases: specs.iter().map(entry).collect() }
    }

    /// Keeps the entries whose name or spec contains `text`.
    pub fn filter(&mut self, text: &str) {
        self.cases.retain(|entry| entry.name.contains(text) || entry.spec.contains(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_suite_parses() {
        let count = |name| {
            let suite = Suite::load(name).unwrap();
            assert_eq!(suite.name, name);
            suite.cases.len()
        };
        assert_eq!(BUILT_IN.map(|(name, _)| count(name)), [14, 39, 10, 17, 57]);
    }

    #[test]
    fn names_within_a_suite_differ() {
        for (name, _) in BUILT_IN {
            let mut names: Vec<_> =
                Suite::load(name).unwrap().cases.into_iter().map(|entry| entry.name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{name}");
        }
    }

    #[test]
    fn filters_look_at_names_and_specs() {
        let mut suite = Suite::load("models").unwrap();
        suite.filter("broadcast");
        assert_eq!(suite.cases.len(), 3);
        let mut suite = Suite::of_specs(&["f32[3,4].T".into(), "u8[3].flip(0)".into()]);
        suite.filter("flip");
        assert_eq!(suite.cases.len(), 1);
    }

    #[test]
    fn what_is_no_suite_is_refused() {
        assert!(matches!(Suite::load("no such"), Err(BenchError::UnknownSuite { .. })));
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), r#"{"suite": "x", "cases": [{"name": 3}]}"#).unwrap();
        let path = file.path().to_str().unwrap();
        assert!(matches!(Suite::load(path), Err(BenchError::NotASuite { .. })));
        let text = r#"{"suite": "x", "cases": [{"name": "a", "spec": "u8[2]", "sepc": 1}]}"#;
        fs::write(file.path(), text).unwrap();
        let message = Suite::load(path).unwrap_err().to_string();
        assert!(message.contains("unknown field `sepc`"), "{message}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        assert!(matches!(Suite::load(path), Err(BenchError::Unreadable { .. })));
    }
}
