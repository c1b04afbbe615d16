//! A copy too small to share out starts no thread. Alone in its file: it counts the threads of the
//! whole process.
#![cfg(target_os = "linux")]

use restride::{Layout, contiguous};

fn threads_of_this_process() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn a_batch_of_120_kilobytes_stays_on_its_thread() {
    let batch = Layout::from_parts(&[40, 3, 32, 32], &[3072, 1, 96, 3], 0, 122_880).unwrap();
    let pixels: Vec<u8> = (0..122_880u32).map(|i| ((i * 7) >> 3) as u8).collect();
    let before = threads_of_this_process();
    for _ in 0..200 {
        let planes = contiguous(&batch, &pixels).unwrap();
        assert_eq!(planes[1024], pixels[1]);
    }
    assert_eq!(threads_of_this_process(), before);
}
