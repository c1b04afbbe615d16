//! A profile as a page of its own: no script, no network, light or dark as the reader likes.

use core::fmt::Write;

use super::Profile;
use super::text::{columns, legend, simulated};
use crate::profile::simulate::LevelCounts;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#d0d7de;--bar:#0072b2;--soft:#57606a}\
@media(prefers-color-scheme:dark){:root{--line:#30363d;--bar:#56b4e9;--soft:#8b949e}}\
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
code{font-family:ui-monospace,monospace}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\
th:first-child,td:first-child{text-align:left}\
.soft{color:var(--soft)}dt{font-weight:600}dd{margin:0 0 .6rem}\
meter{width:8rem}";

/// The profile as an HTML page.
pub fn render(profile: &Profile) -> String {
    let spec = escaped(&profile.spec);
    let (heading, rows) = columns(profile);
    let limits: String = profile
        .strategies
        .iter()
        .filter(|one| !one.dense)
        .map(|one| format!("<dt>{}</dt><dd>{}</dd>", escaped(&one.strategy), escaped(&one.limit)))
        .collect();
    let speeds: Vec<Vec<String>> = profile
        .strategies
        .iter()
        .map(|one| {
            let (ratio, most) = (one.to_ceiling, 1.0f64.max(one.to_ceiling));
            let meter = format!("<meter min=\"0\" max=\"{most:.2}\" value=\"{ratio:.3}\"></meter>");
            let throughput = format!("{:.1}", one.gb_per_second);
            vec![escaped(&one.strategy), meter, format!("{ratio:.2}"), throughput]
        })
        .collect();
    let cells = rows.iter().map(|row| row.iter().map(|cell| escaped(cell)).collect()).collect();
    let cpu = profile.cpu.as_deref().unwrap_or("unknown processor");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{spec}</title><style>{STYLE}</style></head><body>\n\
         <h1><code>{spec}</code></h1>\n<p>{}</p>\n<p class=\"soft\">{}; {}.</p>\n\
         <h2>What limits it</h2>\n<dl>{limits}</dl>\n\
         <h2>Time and misses</h2>\n{}\n<p class=\"soft\">{}</p>\n\
         <h2>Speed relative to the ceiling</h2>\n{}\n\
         <h2>Conflicts</h2>\n<p class=\"soft\">Misses that a fully associative cache of the same \
         size would not have had, and the sets with the most misses.</p>\n{}\n</body></html>\n",
        escaped(&profile.plan),
        escaped(cpu),
        escaped(&simulated(&profile.caches)),
        table(&heading, &cells),
        escaped(&legend(profile)),
        table(&["strategy", "", "of ceiling", "GB/s"].map(String::from), &speeds),
        conflicts(profile),
    )
}

fn conflicts(profile: &Profile) -> String {
    let heading = ["strategy", "cache", "lookups", "misses", "conflicts", "worst sets"];
    let cells = |strategy: &str, level: &LevelCounts| {
        let sets = level.worst_sets.iter().map(|(set, misses)| format!("{set}: {misses}"));
        vec![
            escaped(strategy),
            level.name.to_owned(),
            level.lookups.to_string(),
            level.misses.to_string(),
            level.conflicts.to_string(),
            format!("{} of {}", sets.collect::<Vec<_>>().join(", "), level.sets),
        ]
    };
    let rows = profile.strategies.iter().filter(|one| !one.dense).flat_map(|one| {
        one.simulated.levels.iter().map(|level| cells(&one.strategy, level)).collect::<Vec<_>>()
    });
    table(&heading.map(String::from), &rows.collect())
}

/// A table of cells that are HTML already.
fn table(heading: &[String], rows: &Vec<Vec<String>>) -> String {
    let mut html = String::from("<div class=\"wide\"><table><thead><tr>");
    for cell in heading {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(cell));
    }
    html += "</tr></thead><tbody>";
    for row in rows {
        html += "<tr>";
        for cell in row {
            let _ = write!(html, "<td>{cell}</td>");
        }
        html += "</tr>";
    }
    html + "</tbody></table></div>"
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn specs_cannot_end_the_text_around_them() {
        assert_eq!(escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
    }
}
