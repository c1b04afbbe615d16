//! What `restride run` refuses: one line, the right exit code, and no file left behind.

use super::*;

#[test]
fn declared_data_that_are_not_there_are_counted() {
    let dir = TempDir::new().unwrap();
    let input = save(&dir, 1, &fields("'<f8'", "False", "(1000, 1000)"), &[0; 16]);
    let message = refusal(dir.path(), 2, &input, ".T", "out.npy");
    assert_eq!(
        message,
        format!("error: {}: truncated: need 8000000 bytes of data, have 16\n", input.display())
    );
    // More than any machine has: nothing was allocated on the file's word.
    let input = save(&dir, 1, &fields("'<f8'", "False", "(1000000, 1000000, 100000)"), &[0; 16]);
    let message = refusal(dir.path(), 2, &input, ".T", "out.npy");
    assert!(message.contains("need 800000000000000000 bytes of data, have 16"), "{message}");
}

#[test]
fn bad_headers_are_one_line_with_file_and_place() {
    let dir = TempDir::new().unwrap();
    for (header, message) in [
        (fields("'<f8'", "False", "(184)"), "shape `(184)` is not a tuple"),
        (fields("'<f8'", "False", "(np.int64(3),)"), "`np.int64(3)` is not a literal value"),
        (fields("'<f8'", "False", "(99999999999, 99999999999)"), "overflows"),
        (fields("'|O'", "False", "(3,)"), "Python objects"),
        (fields("'|V0'", "False", "(3,)"), "items of 0 bytes"),
        ("nonsense".into(), "`nonsense` is not a literal value"),
    ] {
        let input = save(&dir, 1, &header, &[0; 32]);
        let refused = refusal(dir.path(), 2, &input, "", "out.npy");
        assert!(refused.contains(message), "{refused}");
        assert!(refused.contains("in.npy: "), "{refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }

    let input = save(&dir, 2, &fields("'<f8'", "False", "(3,)"), &[0; 24]);
    let mut bytes = fs::read(&input).unwrap();
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&input, &bytes).unwrap();
    let refused = refusal(dir.path(), 2, &input, "", "out.npy");
    assert!(refused.contains("truncated header: need 4294967307 bytes"), "{refused}");

    bytes[..10].fill(0);
    fs::write(&input, &bytes).unwrap();
    assert!(refusal(dir.path(), 2, &input, "", "out.npy").contains("bad magic"));
    fs::write(&input, b"").unwrap();
    assert!(refusal(dir.path(), 2, &input, "", "out.npy").contains("bad magic"));
}

#[test]
fn bad_operations_are_pointed_at() {
    let dir = TempDir::new().unwrap();
    for (ops, pointer) in [(".T.nope()", "    ^^^^"), (".T[9]", "    ^"), (".T[", "    ^")] {
        let message = refusal(dir.path(), 2, PHOTO, ops, "out.npy");
        let lines: Vec<_> = message.lines().collect();
        let at = lines.iter().position(|line| line.ends_with(ops)).expect(&message);
        assert!(lines[at + 1].ends_with(pointer), "{message}");
    }
    let message = refusal(dir.path(), 2, PHOTO, ".T.view(-1)", "out.npy");
    assert!(message.contains("stride"), "{message}");
}

#[test]
fn with_json_an_error_is_an_object_too() {
    for (ops, output, kind, at) in [
        (".T.nope()", "out.npy", "bad_spec", Some(3)),
        ("", "no/such/out.npy", "bad_input", None),
        ("", "-", "bad_input", None),
    ] {
        let output = restride().args(["run", "--json", PHOTO, ops, "-o", output]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["error"]["kind"], kind);
        assert_eq!(object["error"]["at"].as_u64(), at);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(object["error"]["message"].as_str().unwrap()), "{message}");
    }
    assert!(!Path::new("-").exists());
}

#[test]
fn inputs_that_are_no_files_are_refused() {
    let dir = TempDir::new().unwrap();
    let message = refusal(dir.path(), 2, dir.path().join("nowhere.npy"), "", "out.npy");
    assert!(message.contains("nowhere.npy: cannot open"), "{message}");
    let message = refusal(dir.path(), 2, dir.path(), "", "out.npy");
    assert!(message.contains("is a directory"), "{message}");
    if cfg!(unix) {
        let message = refusal(dir.path(), 2, "/dev/zero", "", "out.npy");
        assert!(message.contains("is not a regular file"), "{message}");
    }
}

#[test]
fn targets_that_cannot_be_written_are_refused() {
    let dir = TempDir::new().unwrap();
    let message = refusal(dir.path(), 2, PHOTO, "", "no/such/dir/out.npy");
    assert!(message.contains("out.npy: cannot create"), "{message}");
    fs::create_dir(dir.path().join("dir")).unwrap();
    assert!(refusal(dir.path(), 2, PHOTO, "", "dir").contains("is a directory"));
    fs::write(dir.path().join("file"), "mine").unwrap();
    refusal(dir.path(), 2, PHOTO, "", "file/out.npy");
    if cfg!(unix) {
        let output = run(PHOTO, "", "/dev/null");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("is not a regular file"));
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs the command from a shell, after `setup`.
    fn shell(setup: &str, output: &Path) -> Output {
        let script = format!("{setup}; exec \"$0\" run \"$1\" .T -o \"$2\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_restride"), PHOTO]).arg(output);
        command.output().unwrap()
    }

    #[test]
    fn the_output_has_the_permissions_of_any_new_file() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("out.npy");
        assert!(shell("umask 027", &path).status.success());
        assert_eq!(mode(&path), 0o640);
        chmod(&path, 0o604);
        assert!(shell("umask 077", &path).status.success());
        assert_eq!(mode(&path), 0o604, "a replaced file keeps its own");
    }

    #[test]
    fn a_link_stays_and_its_file_is_written() {
        let dir = TempDir::new().unwrap();
        let (file, link) = (dir.path().join("file.npy"), dir.path().join("link.npy"));
        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        assert!(run(PHOTO, "", &link).status.success());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::read(&file).unwrap() == fs::read(PHOTO).unwrap());
        symlink(dir.path().join("nowhere/x"), dir.path().join("dangling")).unwrap();
        refusal(dir.path(), 2, PHOTO, "", "dangling");
    }

    #[test]
    fn what_may_not_be_written_stays() {
        let dir = TempDir::new().unwrap();
        let sealed = dir.path().join("sealed");
        fs::create_dir(&sealed).unwrap();
        let path = dir.path().join("mine.npy");
        fs::write(&path, "mine").unwrap();
        chmod(&path, 0o444);
        chmod(&sealed, 0o555);
        if fs::write(&path, "mine").is_ok() {
            return; // the superuser may write everything
        }
        assert!(refusal(dir.path(), 2, PHOTO, "", "mine.npy").contains("ermission denied"));
        assert!(refusal(dir.path(), 2, PHOTO, "", "sealed/out.npy").contains("ermission denied"));
        chmod(&sealed, 0o755);
    }

    /// The limit on a file's size stands in for the disk that has no room.
    #[test]
    fn no_room_for_the_output_is_another_failure_and_leaves_nothing() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("out.npy");
        fs::write(&path, "old").unwrap();
        let output = shell("ulimit -f 100", &path);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("out.npy: cannot reserve 405900 bytes"), "{message}");
        assert_eq!(message.lines().count(), 1);
        assert_eq!(listing(dir.path()), [(path, b"old".to_vec())]);
    }

    /// A real full disk, where the kernel lets an unprivileged test mount one.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_another_failure_and_leaves_nothing() {
        let dir = TempDir::new().unwrap();
        let script = "mount -t tmpfs -o size=64k none \"$1\" || exit 77
            \"$0\" run \"$2\" .T -o \"$1/out.npy\"; code=$?
            ls -A \"$1\"; exit $code";
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script]);
        command.args([env!("CARGO_BIN_EXE_restride"), dir.path().to_str().unwrap(), PHOTO]);
        let Ok(output) = command.output() else { return };
        let message = String::from_utf8(output.stderr).unwrap();
        if output.status.code() == Some(77) || message.starts_with("unshare: ") {
            return;
        }
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("cannot reserve 405900 bytes of disk space"), "{message}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    }

    /// `/proc` takes no new files, not even under a temporary name.
    #[cfg(target_os = "linux")]
    #[test]
    fn messages_name_the_users_path_only() {
        let output = run(PHOTO, "", "/proc/x.npy");
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: /proc/x.npy: cannot create: "), "{message}");
        assert!(!message.contains(".restride-"), "{message}");
    }

    /// Standard output redirected to a file is still not a file to be replaced.
    #[cfg(target_os = "linux")]
    #[test]
    fn open_files_are_not_replaced() {
        let dir = TempDir::new().unwrap();
        let (link, out) = (dir.path().join("link"), dir.path().join("out"));
        symlink("/dev/stdout", &link).unwrap();
        for target in [Path::new("/dev/stdout"), Path::new("/proc/self/fd/1"), &link] {
            for to_file in [true, false] {
                let mut command = restride();
                command.args(["run", PHOTO, "", "-o"]).arg(target);
                if to_file {
                    command.stdout(fs::File::create(&out).unwrap());
                }
                let output = command.output().unwrap();
                let message = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(2), "{message}");
                assert!(message.contains("is an open file of a process"), "{message}");
                assert!(output.stdout.is_empty());
            }
        }
        assert_eq!(fs::read(out).unwrap(), b"");
    }

    #[test]
    fn no_room_for_a_scratch_copy_says_so() {
        let dir = TempDir::new().unwrap();
        // 405900 bytes in between, 2 bytes in the end.
        let script = "ulimit -f 100; exec \"$0\" run \"$1\" \".T.reshape(-1)[:2]\" -o \"$2\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_restride"), PHOTO]);
        let output = command.arg(dir.path().join("out.npy")).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{message}");
        let wanted = "405900 bytes of disk space for the scratch copy beside it";
        assert!(message.contains(wanted), "{message}");
        assert_eq!(listing(dir.path()), []);
    }
}
