//! Which cases a limited time still allows: small ones always, large ones spread over the suite.

use std::time::Instant;

/// Time that is left, and how much of it cases have taken so far.
#[derive(Debug)]
pub struct Allowance {
    begin: Instant,
    ledger: Ledger,
}

impl Allowance {
    /// The time for cases that write (or view) these numbers of bytes begins to run. `limit` is in seconds;
    /// every case costs at least `least` seconds.
    pub fn new(limit: Option<f64>, least: f64, bytes: impl Iterator<Item = usize>) -> Self {
        let (mut cases, mut sum) = (0, 0.0);
        for bytes in bytes {
            cases += 1;
            sum += bytes as f64;
        }
        let limit = limit.unwrap_or(f64::INFINITY);
        let ledger = Ledger { limit, least, cases, bytes: sum, spent: 0.0, of: 0.0, credit: 0.0 };
        Self { begin: Instant::now(), ledger }
    }

    /// Whether the next case, which writes `bytes`, should be measured.
    pub fn admits(&mut self, bytes: usize) -> bool {
        self.ledger.admits(self.begin.elapsed().as_secs_f64(), bytes as f64)
    }

    /// Books that a case which writes `bytes` took all the time since `start`.
    pub fn book(&mut self, start: Instant, bytes: usize) {
        self.ledger.spent += (start.elapsed().as_secs_f64() - self.ledger.least).max(0.0);
        self.ledger.of += bytes as f64;
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        self.begin.elapsed().as_secs_f64() > self.ledger.limit
    }
}

/// The reckoning, apart from the clock.
#[derive(Debug)]
struct Ledger {
    /// Seconds there are.
    limit: f64,
    /// Seconds of the smallest case.
    least: f64,
    /// Cases not yet decided on.
    cases: usize,
    /// Bytes that they write.
    bytes: f64,
    /// Seconds that measured cases took beyond `least`.
    spent: f64,
    /// Bytes that those wrote.
    of: f64,
    /// How many large cases are due: grows by the affordable share of each that comes by.
    credit: f64,
}

impl Ledger {
    /// Whether to measure the next case when `elapsed` seconds are gone. The first is always
    /// measured: what the others will take is reckoned from those before them, by their bytes.
    fn admits(&mut self, elapsed: f64, bytes: f64) -> bool {
        let rate = if self.of > 0.0 { self.spent / self.of } else { 0.0 };
        let cost = |cases: usize, bytes: f64| self.least * cases as f64 + rate * bytes;
        let (own, all) = (cost(1, bytes), cost(self.cases, self.bytes));
        let left = self.limit - elapsed;
        let fair = left / self.cases as f64;
        self.cases -= 1;
        self.bytes -= bytes;
        if self.of == 0.0 || (own <= fair && left > 0.0) {
            return true;
        }
        self.credit += (left / all).clamp(0.0, 1.0);
        let due = self.credit >= 1.0 && own <= left;
        if due {
            self.credit -= 1.0;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays through cases that take a second for each byte; tells which are measured.
    fn play(limit: f64, cases: &[f64]) -> (Vec<usize>, f64) {
        let bytes = cases.iter().sum();
        let count = cases.len();
        let mut ledger =
            Ledger { limit, least: 0.0, cases: count, bytes, spent: 0.0, of: 0.0, credit: 0.0 };
        let mut measured = Vec::new();
        for (index, &bytes) in cases.iter().enumerate() {
            if ledger.admits(ledger.spent, bytes) {
                measured.push(index);
                ledger.spent += bytes;
                ledger.of += bytes;
            }
        }
        (measured, ledger.spent)
    }

    #[test]
    fn without_haste_everything_is_measured() {
        assert_eq!(play(f64::INFINITY, &[5.0; 20]).0.len(), 20);
        assert_eq!(play(100.0, &[5.0; 20]).0.len(), 20);
    }

    #[test]
    fn haste_leaves_a_sample_from_the_whole_suite() {
        let (measured, spent) = play(50.0, &[5.0; 40]);
        assert!(spent <= 50.0 && (6..=10).contains(&measured.len()), "{measured:?}");
        assert_eq!(measured[0], 0);
        assert!(measured[measured.len() - 1] >= 30, "{measured:?}");
    }

    #[test]
    fn small_cases_are_always_measured() {
        let cases: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 20.0 } else { 0.1 }).collect();
        let (measured, spent) = play(100.0, &cases);
        assert!(spent <= 100.0);
        assert_eq!(measured.iter().filter(|&&index| index % 2 == 1).count(), 20);
        assert!(measured.iter().filter(|&&index| index % 2 == 0).count() >= 3);
    }
}
