"""Play a whole sweep over the worked DSBC questions with a scripted model: right code for clean wordings, careless for raw.

Prints how many attempts of each wording were right, what an attempt took, and how often each outcome occurred.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with the data files and questions_sample.jsonl")
    parser.add_argument("--agents", default="single_code,multi_code")
    parser.add_argument("--sweep", default="temperature=0:0.1:0.1")
    parser.add_argument("--parallel", default="4")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchwright-dsbc-") as name:
        print(json.dumps(measure(Path(name), options), indent=2))


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    questions = options.data / "questions_sample.jsonl"
    suite, run = folder / "suite", folder / "run"
    build = ["suites", "build", "dsbc", "--queries", questions, "--data", options.data, "--out", suite]
    subprocess.run([*PROGRAM, *build], check=True, capture_output=True)
    script = write_script(questions, folder / "script.jsonl")
    grid = ["--agent", options.agents, "--variants", "raw,clean", "--sweep", options.sweep]
    began = time.monotonic()
    command = [*PROGRAM, "run", suite, *grid, "--model", f"scripted/{script}", "--out", run, "--json"]
    done = subprocess.run([*command, "--max-parallel", options.parallel], check=False, capture_output=True, text=True)
    seconds = time.monotonic() - began
    planned = json.loads(done.stdout)["planned"]
    told = json.loads(subprocess.run([*PROGRAM, "analyse", run, "--json"], check=True, capture_output=True).stdout)
    return {
        "attempts": planned,
        "seconds_an_attempt": round(seconds / planned, 2),
        "right": {f"{row['approach']} {row['variant']}": f"{row['right']} of {row['n']}" for row in told["accuracy"]},
        "outcomes": {row["approach"]: {k: v for k, v in row["counts"].items() if v} for row in told["errors"]},
        "difference_raw_clean": [round(row["difference"], 3) for row in told["raw_against_clean"]],
    }


def write_script(questions: Path, path: Path) -> Path:
    """One reply a question and wording: the gold's code for the clean one, the careless code, if any, for the raw."""
    lines = []
    for text in questions.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        for wording, code in (("clean", row["gold_code"]), ("raw", row.get("naive_code") or row["gold_code"])):
            reply = json.dumps({"explanation": row["trap"], "code": code})
            lines.append(json.dumps({"match": row[f"query_{wording}"], "text": reply}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
