//! Any numbers as a copy: planning never panics, and what memory can hold is copied as the naive loop
//! copies it, between buffers of exactly the bytes that the copy may touch.
#![no_main]

use libfuzzer_sys::fuzz_target;
use restride::machine::{Isa, Machine};
use restride::{CopySpec, Plan, PlanOptions, StorePolicy, Strategy, Threads, TileSize, oracle};

/// Reaches up to here are carried out, in bytes.
const SMALL: isize = 1 << 16;

fuzz_target!(|data: &[u8]| {
    let mut numbers = Numbers(data);
    let (spec, mut options, shift) = numbers.copy();
    let Ok(plan) = Plan::new(&spec, &options) else { return };
    assert!(!plan.to_string().is_empty());
    let traffic = plan.traffic(Machine::current());
    assert_eq!(traffic.dst.lines == 0, plan.bytes() == 0);
    let (src, dst) = (plan.src_reach(), plan.dst_reach());
    assert!(src.start <= 0 && src.end >= 0 && dst.start <= 0 && dst.end >= 0);
    assert!(plan.bytes() <= (dst.end - dst.start) as usize);
    if src.end - src.start > SMALL || dst.end - dst.start > SMALL {
        assert!(plan.execute_bytes(&[0; 64], 0, &mut [0; 64], 0).is_err());
        return;
    }

    let pattern = |len: usize, salt: usize| -> Box<[u8]> {
        (0..len).map(|at| ((at + salt).wrapping_mul(0x9e37_79b9) >> 13) as u8).collect()
    };
    let from = pattern((src.end - src.start) as usize, 1);
    let poison = pattern(shift + (dst.end - dst.start) as usize, 77);
    let dst_at = shift as isize - dst.start;
    let src_at = from.as_ptr().wrapping_offset(-src.start);
    let mut expected = poison.clone();
    // SAFETY: the buffers cover both reaches.
    unsafe {
        oracle::naive_copy(&spec, src_at, expected.as_mut_ptr().wrapping_offset(dst_at));
    }
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        options.isa = Some(isa);
        let Ok(plan) = Plan::new(&spec, &options) else {
            // Only a tier whose kernel takes no tiles may refuse what another plans.
            assert!(options.tile.is_some(), "another tier's plan");
            continue;
        };
        let mut to = poison.clone();
        // SAFETY: the buffers cover both reaches.
        unsafe { plan.execute_raw(src_at, to.as_mut_ptr().wrapping_offset(dst_at)) };
        assert!(to == expected, "{spec:?}\n{options:?}\n{plan}");
    }
});

/// Numbers out of bytes: small ones in one byte, any in nine; zeros at the end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    fn number(&mut self) -> i64 {
        match self.byte() {
            small @ 0..=191 => i64::from(small) - 64,
            factor @ 192..=239 => (i64::from(factor) - 216) * i64::from(self.byte()),
            power @ 240..=247 => 1 << (8 * (power - 240) + self.byte() % 8),
            248 => i64::MAX,
            249 => i64::MIN,
            _ => i64::from_le_bytes(core::array::from_fn(|_| self.byte())),
        }
    }

    /// A copy, how to plan it, and the bytes in front of its destination.
    fn copy(&mut self) -> (CopySpec, PlanOptions, usize) {
        let (how, flags, shift) = (self.byte(), self.byte(), self.byte());
        let elem = self.number().unsigned_abs() as usize;
        let mut spec = CopySpec::new(elem, &[], &[], &[]);
        while !self.0.is_empty() && spec.shape.len() < 70 {
            spec.shape.push(self.number().unsigned_abs() as usize);
            // Steps of whole elements are the rule.
            let unit = if flags & 1 == 0 { elem as isize } else { 1 };
            spec.src_strides.push((self.number() as isize).wrapping_mul(unit));
            spec.dst_strides.push((self.number() as isize).wrapping_mul(unit));
        }
        if flags & 2 == 0 {
            make_dense(&mut spec);
        }
        if flags & 12 == 12 {
            spec.src_strides.pop();
        }
        let strategies =
            [Strategy::Auto, Strategy::Rows, Strategy::ScalarTiles, Strategy::SimdTiles];
        let options = PlanOptions {
            strategy: strategies[usize::from(how & 3)],
            stores: if how & 4 == 0 { StorePolicy::Cached } else { StorePolicy::Streaming },
            threads: if how & 8 == 0 { Threads::Serial } else { Threads::AtMost(2) },
            grain: if how & 16 == 0 { 64 } else { 1 << 20 },
            isa: None,
            tile: (how & 32 != 0)
                .then(|| TileSize { rows: u32::from(flags), columns: u32::from(shift) }),
        };
        (spec, options, usize::from(shift & 63))
    }
}

/// Replaces the destination's strides by dense ones in their order and with their signs, so that
/// most destinations do not overlap themselves.
fn make_dense(spec: &mut CopySpec) {
    let mut axes: Vec<usize> = (0..spec.shape.len()).collect();
    axes.sort_by_key(|&axis| spec.dst_strides[axis].unsigned_abs());
    let mut step = spec.elem_size as isize;
    for axis in axes {
        let backward = spec.dst_strides[axis] < 0;
        spec.dst_strides[axis] = if backward { step.wrapping_neg() } else { step };
        step = step.wrapping_mul(spec.shape[axis] as isize);
    }
}
