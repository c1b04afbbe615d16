//! A browser without a window: pages in, pixels and elements out.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The variable that makes a missing browser a failure: set it to anything.
const REQUIRED: &str = "RESTRIDE_REQUIRE_CHROMIUM";

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Longest wait for a page.
const PATIENCE: Duration = Duration::from_secs(180);

/// The reader's choice of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

/// An installed Chromium.
pub struct Browser {
    program: PathBuf,
}

impl Browser {
    /// The installed Chromium. Without one the test is skipped with a message, or fails where
    /// [`REQUIRED`] is set.
    pub fn find() -> Option<Self> {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = std::env::split_paths(&folders).collect();
        let found = NAMES
            .iter()
            .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
            .find(|program| program.is_file());
        assert!(
            found.is_some() || std::env::var_os(REQUIRED).is_none(),
            "{REQUIRED} is set, but no Chromium is installed"
        );
        if found.is_none() {
            eprintln!("skipped: no Chromium is installed, so nobody looked at the pictures");
        }
        found.map(|program| Self { program })
    }

    /// Opens `page` with `arguments` more; returns what the browser wrote to standard output.
    fn open(&self, page: &Path, arguments: &[String]) -> Vec<u8> {
        let profile = tempfile::tempdir().unwrap();
        let output = profile.path().join("stdout");
        let mut child = Command::new(&self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--hide-scrollbars", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(arguments)
            .arg(format!("file://{}", page.display()))
            .stdout(std::fs::File::create(&output).unwrap())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None if begin.elapsed() > PATIENCE => {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    panic!("the browser did not come back");
                }
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        assert!(status.success(), "{}: {status}", self.program.display());
        std::fs::read(&output).unwrap()
    }

    /// The page's elements after loading, as text.
    pub fn elements(&self, page: &Path) -> String {
        String::from_utf8(self.open(page, &["--dump-dom".into()])).unwrap()
    }

    /// What a reader sees in a window of `size` pixels.
    pub fn look(&self, page: &Path, size: (u32, u32), scheme: Scheme) -> Screen {
        let folder = tempfile::tempdir().unwrap();
        let file = match std::env::var_os("RESTRIDE_KEEP_SCREENSHOTS") {
            // For eyes instead of tests.
            Some(kept) => {
                let name = page.file_name().unwrap().to_string_lossy();
                PathBuf::from(kept).join(format!("{name}-{scheme:?}-{}.png", size.0))
            }
            None => folder.path().join("screen.png"),
        };
        let preferred = if scheme == Scheme::Dark { 0 } else { 1 };
        let arguments = [
            format!("--screenshot={}", file.display()),
            format!("--window-size={},{}", size.0, size.1),
            format!("--blink-settings=preferredColorScheme={preferred}"),
        ];
        self.open(page, &arguments);
        Screen::decode(&file)
    }
}

/// The pixels of a window.
pub struct Screen {
    pixels: Vec<u8>,
    samples: usize,
}

impl Screen {
    fn decode(file: &Path) -> Self {
        let file = std::io::BufReader::new(std::fs::File::open(file).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        pixels.truncate(info.buffer_size());
        Self { pixels, samples: info.color_type.samples() }
    }

    /// How many pixels have exactly this colour.
    pub fn count(&self, (red, green, blue): (u8, u8, u8)) -> usize {
        let pixels = self.pixels.chunks_exact(self.samples);
        pixels.filter(|pixel| pixel[..3] == [red, green, blue]).count()
    }

    /// How many pixels there are.
    pub fn area(&self) -> usize {
        self.pixels.len() / self.samples
    }
}
