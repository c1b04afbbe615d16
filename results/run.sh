#!/usr/bin/env bash
# Measures every built-in suite anew and writes, for each, all rounds (JSON), medians (CSV) and a
# picture (SVG), and README.md about them. Takes one to two hours on a quiet machine.
#
#   results/run.sh                                    everything, into results/
#   RESULTS=/tmp/trial results/run.sh --quick --within 5     a trial, elsewhere
#
# Arguments are passed on to every `restride bench`. A report of further strategies that is there as
# peers.json gets its CSV, its picture and its section too.
set -euo pipefail
cd "$(dirname "$0")/.."
into=${RESULTS:-results}
mkdir -p "$into"

cargo build --release --features cli
restride=${CARGO_TARGET_DIR:-target}/release/restride

suites=(main models permutation ttc57 sizes)
for suite in "${suites[@]}"; do
    specs=()
    if [ "$suite" = main ]; then specs=('tests/data/chelsea.npy.permute(2,0,1)'); fi
    "$restride" bench "${specs[@]}" --suite "$suite" --json "$into/$suite.json" \
        --csv "$into/$suite.csv" --svg "$into/$suite.svg" "$@" > /dev/null
done
if [ -f "$into/peers.json" ]; then
    suites+=(peers)
    "$restride" report "$into/peers.json" --csv "$into/peers.csv" --svg "$into/peers.svg" > /dev/null
fi

{
    cat results/about.md
    for suite in "${suites[@]}"; do
        printf '\n## %s\n\n![%s](%s.svg)\n\n' "$suite" "$suite" "$suite"
        printf '[Medians and intervals](%s.csv), [everything with all rounds](%s.json).\n\n' \
            "$suite" "$suite"
        "$restride" report "$into/$suite.json" --markdown
    done
} > "$into/README.md.part"
mv "$into/README.md.part" "$into/README.md"
