//! Translation look-aside buffers, from `cpuid`: leaf 0x18 on Intel, 0x8000_0005 and 0x8000_0006 on
//! AMD. Intel processors that only have leaf 2 (before 2019 or so) are not asked.

use serde::Serialize;

/// What a TLB translates for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TlbKind {
    /// Loads and stores.
    Data,
    /// Instruction fetches.
    Instruction,
    /// Everything.
    Unified,
    /// Loads only.
    Loads,
    /// Stores only.
    Stores,
}

/// One TLB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tlb {
    /// 1 is nearest to the core.
    pub level: u8,
    /// What it translates for.
    pub kind: TlbKind,
    /// Translations it holds.
    pub entries: usize,
    /// Translations that a set holds; as many as there are entries when it is fully associative.
    pub ways: usize,
    /// Sizes of the pages it translates, in bytes.
    pub pages: Vec<usize>,
}

impl Tlb {
    /// Whether loads look here.
    pub fn serves_loads(&self) -> bool {
        matches!(self.kind, TlbKind::Data | TlbKind::Unified | TlbKind::Loads)
    }

    /// Whether it translates pages of `page` bytes.
    pub fn holds(&self, page: usize) -> bool {
        self.pages.contains(&page)
    }
}

/// The TLBs that this processor tells of, nearest first.
#[cfg(target_arch = "x86_64")]
pub(super) fn of_this_processor() -> Vec<Tlb> {
    let cpuid = raw_cpuid::CpuId::new();
    let mut tlbs = x86::intel(&cpuid);
    if tlbs.is_empty() {
        tlbs = x86::amd(&cpuid);
    }
    tlbs.sort_by_key(|tlb| tlb.level);
    tlbs
}

/// Only x86-64 tells a process of its TLBs.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn of_this_processor() -> Vec<Tlb> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Tlb, TlbKind};
    use raw_cpuid::{Associativity, CpuId, CpuIdReader, DatType};

    const KIB_4: usize = 4 << 10;
    const MIB_2: usize = 2 << 20;
    const MIB_4: usize = 4 << 20;
    const GIB_1: usize = 1 << 30;

    pub fn intel<R: CpuIdReader>(cpuid: &CpuId<R>) -> Vec<Tlb> {
        let Some(translations) = cpuid.get_deterministic_address_translation_info() else {
            return Vec::new();
        };
        let tlb = |info: raw_cpuid::DatInfo| {
            let kind = match info.cache_type() {
                DatType::DataTLB => TlbKind::Data,
                DatType::InstructionTLB => TlbKind::Instruction,
                DatType::UnifiedTLB => TlbKind::Unified,
                DatType::LoadOnly => TlbKind::Loads,
                DatType::StoreOnly => TlbKind::Stores,
                _ => return None,
            };
            let pages = [
                (info.has_4k_entries(), KIB_4),
                (info.has_2mb_entries(), MIB_2),
                (info.has_4mb_entries(), MIB_4),
                (info.has_1gb_entries(), GIB_1),
            ];
            let entries = usize::from(info.ways()) * info.sets() as usize;
            Some(Tlb {
                level: info.cache_level(),
                kind,
                entries,
                ways: if info.is_fully_associative() { entries } else { info.ways().into() },
                pages: pages.into_iter().filter(|page| page.0).map(|page| page.1).collect(),
            })
        };
        translations.filter_map(tlb).filter(|tlb| tlb.entries > 0).collect()
    }

    pub fn amd<R: CpuIdReader>(cpuid: &CpuId<R>) -> Vec<Tlb> {
        let tlb = |level, kind, entries: usize, ways: Associativity, page| {
            let ways = match ways {
                Associativity::DirectMapped => 1,
                Associativity::NWay(ways) => ways.into(),
                Associativity::FullyAssociative => entries,
                Associativity::Disabled | Associativity::Unknown => return None,
            };
            let pages = vec![page];
            (entries > 0 && ways > 0).then_some(Tlb { level, kind, entries, ways, pages })
        };
        let (data, code) = (TlbKind::Data, TlbKind::Instruction);
        let mut tlbs = Vec::new();
        if let Some(l1) = cpuid.get_l1_cache_and_tlb_info() {
            tlbs.extend([
                tlb(1, data, l1.dtlb_4k_size().into(), l1.dtlb_4k_associativity(), KIB_4),
                tlb(1, data, l1.dtlb_2m_4m_size().into(), l1.dtlb_2m_4m_associativity(), MIB_2),
                tlb(1, code, l1.itlb_4k_size().into(), l1.itlb_4k_associativity(), KIB_4),
            ]);
        }
        if let Some(l2) = cpuid.get_l2_l3_cache_and_tlb_info() {
            tlbs.extend([
                tlb(2, data, l2.dtlb_4k_size().into(), l2.dtlb_4k_associativity(), KIB_4),
                tlb(2, data, l2.dtlb_2m_4m_size().into(), l2.dtlb_2m_4m_associativity(), MIB_2),
                tlb(2, code, l2.itlb_4k_size().into(), l2.itlb_4k_associativity(), KIB_4),
            ]);
        }
        tlbs.into_iter().flatten().collect()
    }
}
