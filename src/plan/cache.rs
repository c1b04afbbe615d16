//! Plans kept for copies that come again, owned by whoever wants them kept.

use alloc::sync::Arc;
use core::fmt;
use core::num::NonZeroUsize;

use lru::LruCache;

use super::{CopySpec, Plan, PlanOptions};
use crate::error::PlanError;

/// The plans used last, up to a fixed number.
///
/// Planning a small copy takes a few dozen nanoseconds, so a program that knows its copies keeps
/// their plans itself. The cache is for programs that meet the same layouts again without knowing
/// when, and pays where planning takes longer than a look-up: from three or four axes on, or where
/// the overlap of a destination is hard to rule out.
///
/// There is no lock inside and no global cache. To share one, put it behind a lock of your own and
/// clone the plan out of it; holding the lock while the plan runs would make the copies wait for
/// each other.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::sync::{Arc, Mutex};
/// use restride::{CopySpec, PlanCache, PlanOptions};
///
/// let cache = Mutex::new(PlanCache::new(NonZeroUsize::new(64).unwrap()));
/// let spec = CopySpec::new(4, &[4, 3], &[4, 16], &[12, 4]);
/// let options = PlanOptions::default();
///
/// let plan = Arc::clone(cache.lock().unwrap().get_or_plan(&spec, &options)?);
/// let again = Arc::clone(cache.lock().unwrap().get_or_plan(&spec, &options)?);
/// assert!(Arc::ptr_eq(&plan, &again));
/// # Ok::<(), restride::PlanError>(())
/// ```
pub struct PlanCache {
    plans: LruCache<(CopySpec, PlanOptions), Arc<Plan>>,
}

impl PlanCache {
    /// An empty cache for up to `capacity` plans; room for them is made as they come.
    pub fn new(capacity: NonZeroUsize) -> Self {
        // `LruCache::new` would make room for all of them at once.
        let mut plans = LruCache::unbounded();
        plans.resize(capacity);
        Self { plans }
    }

    /// The plan of `spec` under `options`: the one kept, or a new one, which takes the place of
    /// the plan whose last use is longest ago when the cache is full.
    ///
    /// # Errors
    /// As [`Plan::new`]; the cache is unchanged then.
    ///
    /// # Panics
    /// As [`Plan::new`].
    pub fn get_or_plan(
        &mut self,
        spec: &CopySpec,
        options: &PlanOptions,
    ) -> Result<&Arc<Plan>, PlanError> {
        let key = (spec.clone(), options.clone());
        self.plans.try_get_or_insert(key, || Plan::new(spec, options).map(Arc::new))
    }

    /// Plans kept.
    pub fn len(&self) -> usize {
        self.plans.len()
    }

    /// Whether no plan is kept.
    pub fn is_empty(&self) -> bool {
        self.plans.is_empty()
    }

    /// The most plans that are kept.
    pub fn capacity(&self) -> NonZeroUsize {
        self.plans.cap()
    }

    /// Forgets every plan.
    pub fn clear(&mut self) {
        self.plans.clear();
    }
}

impl fmt::Debug for PlanCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlanCache({} of {} plans)", self.len(), self.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(len: usize) -> CopySpec {
        CopySpec::new(4, &[len], &[8], &[4])
    }

    fn cache(capacity: usize) -> PlanCache {
        PlanCache::new(NonZeroUsize::new(capacity).unwrap())
    }

    #[test]
    fn the_plan_used_longest_ago_makes_room() {
        let (mut cache, options) = (cache(2), PlanOptions::default());
        let mut plan = |len| Arc::clone(cache.get_or_plan(&row(len), &options).unwrap());
        let (one, two) = (plan(1), plan(2));
        assert!(Arc::ptr_eq(&one, &plan(1)));
        plan(3);
        assert!(Arc::ptr_eq(&one, &plan(1)), "1 was used after 2");
        assert!(!Arc::ptr_eq(&two, &plan(2)), "2 made room for 3");
        assert_eq!((cache.len(), cache.capacity().get()), (2, 2));
    }

    #[test]
    fn options_are_part_of_the_question() {
        let (mut cache, spec) = (cache(8), row(100));
        let auto = Arc::clone(cache.get_or_plan(&spec, &PlanOptions::default()).unwrap());
        let serial = Arc::clone(cache.get_or_plan(&spec, &PlanOptions::serial()).unwrap());
        assert_ne!(auto.threads(), serial.threads());
        assert_eq!(cache.len(), 2);
        cache.clear();
        assert!(cache.is_empty());
    }

    #[test]
    fn what_cannot_be_planned_is_not_kept() {
        let mut cache = cache(2);
        let refused = cache.get_or_plan(&CopySpec::new(0, &[], &[], &[]), &PlanOptions::default());
        assert_eq!(refused.err(), Some(PlanError::ZeroElementSize));
        assert!(cache.is_empty());
    }
}
