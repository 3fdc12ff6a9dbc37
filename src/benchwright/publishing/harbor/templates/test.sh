#!/bin/sh
# Judges what lies in /workspace by the gold beside this script; writes /logs/verifier/reward.txt and reward.json.
set -eu
here=$$(cd "$$(dirname "$$0")" && pwd)
logs=$${BENCHWRIGHT_LOGS:-/logs/verifier}
mkdir -p "$$logs"
rm -rf "$$logs/reward.txt" "$$logs/reward.json"
exec python3 -m benchwright.scoring.reward "$$here/suite" $task "$${BENCHWRIGHT_WORKSPACE:-/workspace}" "$$logs"
