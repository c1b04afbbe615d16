//! A profile as a page of its own: no script, no network, light or dark as the reader likes.

use maud::{DOCTYPE, Markup, html};

use super::Profile;
use super::text::{columns, legend, limits, simulated};
use crate::bench::report::page::head;
use crate::profile::simulate::LevelCounts;

/// The profile as an HTML page.
pub fn render(profile: &Profile) -> String {
    let (heading, rows) = columns(profile);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&profile.spec, ""))
            body {
                header {
                    h1 { code { (profile.spec) } }
                    p { strong { (profile.in_short) } }
                    p { (profile.plan) }
                    p {
                        (profile.cpu.as_deref().unwrap_or("unknown processor")) "; "
                        (simulated(&profile.caches)) "."
                    }
                }
                h2 { "What limits it" }
                dl {
                    @for (names, limit) in limits(profile) {
                        div { dt { (names) } dd { (limit) } }
                    }
                }
                h2 { "Time and misses" }
                (table(&heading, rows.iter().map(|row| row.iter().map(|cell| html! { (cell) }))))
                p { small { (legend(profile)) } }
                h2 { "Speed relative to the ceiling" }
                (speeds(profile))
                h2 { "Conflicts" }
                p {
                    small {
                        "Misses that a fully associative cache of the same size would not have had, \
                         and the sets with the most misses."
                    }
                }
                (conflicts(profile))
            }
        }
    };
    page.into_string()
}

fn speeds(profile: &Profile) -> Markup {
    let rows = profile.strategies.iter().map(|one| {
        let most = 1.0f64.max(one.to_ceiling);
        let (max, value) = (format!("{most:.2}"), format!("{:.3}", one.to_ceiling));
        [
            html! { (one.strategy) },
            html! { meter min="0" max=(max) value=(value) {} },
            html! { (format!("{:.2}", one.to_ceiling)) },
            html! { (format!("{:.1}", one.gb_per_second)) },
        ]
    });
    table(&["strategy", "", "of ceiling", "GB/s"], rows)
}

fn conflicts(profile: &Profile) -> Markup {
    let cells = |strategy: &str, level: &LevelCounts| {
        let sets = level.worst_sets.iter().map(|(set, misses)| format!("{set}: {misses}"));
        let sets = sets.collect::<Vec<_>>().join(", ");
        [
            html! { (strategy) },
            html! { (level.name) },
            html! { (level.lookups) },
            html! { (level.misses) },
            html! { (level.conflicts) },
            html! { (sets) " of " (level.sets) },
        ]
    };
    let strided = profile.strategies.iter().filter(|one| !one.dense);
    let rows = strided
        .flat_map(|one| one.simulated.levels.iter().map(move |level| (&one.strategy, level)))
        .map(|(strategy, level)| cells(strategy, level));
    table(&["strategy", "cache", "lookups", "misses", "conflicts", "worst sets"], rows)
}

/// A table of figures behind a first column of names.
fn table<R: IntoIterator<Item = Markup>>(
    heading: &[impl maud::Render],
    rows: impl Iterator<Item = R>,
) -> Markup {
    let class = |place: usize| (place > 0).then_some("figure");
    html! {
        div.scroll tabindex="0" {
            table {
                thead {
                    tr {
                        @for (place, cell) in heading.iter().enumerate() {
                            th scope="col" class=[class(place)] { (cell) }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for (place, cell) in row.into_iter().enumerate() {
                                td class=[class(place)] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}
