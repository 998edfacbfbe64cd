#!/usr/bin/env bash
# Opens reports in a headless Chromium and uses them as a reader would. Installs what it needs: Debian's chromium, nodejs and npm
# if they are missing and this user may, and playwright-core out of package-lock.json.
#
# usage: e2e/run.sh [REPORT_FOLDER ...]     without folders, reports of made-up findings are written and tested
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

need=()
command -v node >/dev/null || need+=(nodejs)
command -v npm >/dev/null || need+=(npm)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || need+=(chromium)
if [ ${#need[@]} -gt 0 ]; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "e2e needs: ${need[*]}. Install them, or run as root on Debian." >&2
        exit 2
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
fi
[ -d "$here/node_modules/playwright-core" ] || npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --silent

if [ $# -eq 0 ]; then
    made="$(mktemp -d)"
    trap 'rm -rf "$made"' EXIT
    # With the features of the whole workspace, as the tests were built: nothing is compiled twice.
    (cd "$here/.." && cargo build --quiet --workspace --example made_up_report)
    for size in quickstart awkward; do
        "${CARGO_TARGET_DIR:-$here/../target}/debug/examples/made_up_report" "$made/$size" "$size" >/dev/null
    done
    node "$here/report.mjs" "$made/quickstart" "$made/awkward"
else
    node "$here/report.mjs" "$@"
fi
