//! A child process has none of its parent's threads, but copies all the same. Alone in its file:
//! no other test's thread may hold anything while it forks.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use restride::{Layout, contiguous};

/// Large enough to be shared out.
const N: usize = 1024;

fn copy_is_right() -> bool {
    let data: Vec<u64> = (0..(N * N) as u64).collect();
    let out = contiguous(&Layout::contiguous(&[N, N]).unwrap().t(), &data).unwrap();
    (0..N * N).step_by(97).all(|i| out[i] == data[i % N * N + i / N])
}

#[test]
fn a_child_of_a_process_that_has_copied_in_parallel_can_copy() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4);
    pool.build_global().unwrap();
    assert!(copy_is_right());

    // SAFETY: the child copies, which takes no lock that a thread of the idle pool could hold, and
    // leaves without running anything of the test harness.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = if copy_is_right() { 0 } else { 1 };
        // SAFETY: ends this process.
        unsafe { libc::_exit(code) };
    }
    assert!(child > 0, "fork");
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut status = 0;
    loop {
        // SAFETY: `child` is this process's child and `status` a place for its answer.
        match unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } {
            0 if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            0 => {
                // SAFETY: as above.
                unsafe { libc::kill(child, libc::SIGKILL) };
                panic!("the child's copy does not end");
            }
            _ => break,
        }
    }
    assert_eq!(status, 0, "the child's copy");
}
