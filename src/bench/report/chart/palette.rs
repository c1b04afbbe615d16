//! One colour for each strategy, the same in every chart, on light pages and on dark ones.

use core::fmt::Write;

use plotters::style::RGBColor;

/// A colour on a light page and its counterpart on a dark one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shade {
    /// On white.
    pub light: RGBColor,
    /// On near-black.
    pub dark: RGBColor,
}

const fn shade(light: (u8, u8, u8), dark: (u8, u8, u8)) -> Shade {
    Shade { light: RGBColor(light.0, light.1, light.2), dark: RGBColor(dark.0, dark.1, dark.2) }
}

/// What is drawn on.
pub const PAPER: Shade = shade((255, 255, 255), (13, 17, 23));
/// Letters and axes.
pub const INK: Shade = shade((36, 41, 47), (230, 237, 243));

/// The strategies of `restride bench`, by name.
const KNOWN: [(&str, Shade); 7] = [
    ("naive", shade((138, 143, 152), (125, 133, 144))),
    ("rows", shade((183, 121, 31), (227, 179, 65))),
    ("scalar tiles", shade((154, 95, 196), (188, 140, 255))),
    ("SIMD tiles", shade((47, 129, 216), (88, 166, 255))),
    ("restride", shade((14, 138, 95), (47, 212, 143))),
    ("streaming copy", shade((194, 65, 12), (255, 139, 94))),
    ("memcpy", shade((87, 96, 106), (201, 209, 217))),
];

/// Everybody else, in the order in which a report names them.
const OTHERS: [Shade; 12] = [
    shade((214, 64, 159), (247, 120, 186)),
    shade((8, 145, 178), (57, 197, 224)),
    shade((91, 108, 217), (140, 158, 255)),
    shade((95, 127, 31), (166, 200, 72)),
    shade((180, 65, 60), (255, 123, 114)),
    shade((122, 82, 48), (198, 156, 109)),
    shade((59, 122, 120), (111, 191, 187)),
    shade((163, 70, 127), (226, 154, 198)),
    shade((76, 92, 119), (159, 177, 209)),
    shade((143, 122, 0), (217, 198, 46)),
    shade((46, 158, 58), (126, 231, 135)),
    shade((109, 40, 217), (196, 181, 253)),
];

/// The colours of `strategies`, in their order.
pub fn of(strategies: &[&str]) -> Vec<Shade> {
    let mut others = OTHERS.iter().cycle();
    let mut of_name = |name: &str| {
        let known = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, shade)| shade);
        known.or_else(|| others.next()).copied().unwrap_or(INK)
    };
    strategies.iter().map(|name| of_name(name)).collect()
}

/// A style sheet that turns what was drawn in light colours dark where the reader prefers that.
/// Its rules find every element by the colour that it carries, and win over it.
pub fn dark_style() -> String {
    // The root's background is what a browser shows around a picture opened by itself.
    let mut style = String::from("@media(prefers-color-scheme:dark){svg{background:");
    style += &hex(PAPER.dark);
    style.push('}');
    let strategies = KNOWN.iter().map(|(_, shade)| shade).chain(&OTHERS);
    for shade in [&PAPER, &INK].into_iter().chain(strategies) {
        let (light, dark) = (hex(shade.light), hex(shade.dark));
        for place in ["fill", "stroke"] {
            let _ = write!(style, "[{place}=\"{light}\"]{{{place}:{dark}}}");
        }
    }
    style.push('}');
    style
}

/// The colour as the drawing writes it.
fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// WCAG 2.2's contrast ratio.
    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// WCAG 2.2, criterion 1.4.11: graphics need 3 to 1, letters 4.5 to 1.
    #[test]
    fn colours_stand_out_on_both_papers() {
        for shade in KNOWN.iter().map(|(_, shade)| shade).chain(&OTHERS) {
            assert!(contrast(shade.light, PAPER.light) >= 3.0, "{shade:?}");
            assert!(contrast(shade.dark, PAPER.dark) >= 3.0, "{shade:?}");
        }
        assert!(contrast(INK.light, PAPER.light) >= 4.5);
        assert!(contrast(INK.dark, PAPER.dark) >= 4.5);
    }

    #[test]
    fn no_two_light_colours_are_the_same_rule() {
        let all = KNOWN.iter().map(|(_, shade)| shade).chain(&OTHERS).chain([&PAPER, &INK]);
        let mut light: Vec<_> = all.map(|shade| hex(shade.light)).collect();
        light.sort();
        assert!(light.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn known_names_keep_their_colours() {
        let shades = of(&["a peer", "restride", "another"]);
        assert_eq!(shades, [OTHERS[0], KNOWN[4].1, OTHERS[1]]);
    }
}
