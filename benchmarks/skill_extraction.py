"""How well a model takes solutions apart: twenty short questions with answers, by `skills corpus` and `skills extract`.

    python benchmarks/skill_extraction.py openai-api/local/qwen1.5b [--out FOLDER] [--limit N] [--coverage 0.8]

Prints how many solutions were taken apart, how many steps they have, which share of their calls the steps name, and what it
used. The folder is kept: the same command goes on with it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from _skill_extraction_texts import TEXTS

PROGRAM = [sys.executable, "-c", "from benchwright.cli import main; main()", "skills"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--limit", default=str(len(TEXTS)))
    parser.add_argument("--coverage", default="0.8")
    given = parser.parse_args()
    out = given.out or Path(tempfile.mkdtemp(prefix="skill-extraction-"))
    out.mkdir(parents=True, exist_ok=True)
    pairs, corpus = out / "pairs.jsonl", out / "corpus.jsonl"
    rows = [
        {
            "id": f"own-{number}",
            "question": f"{title}\n\n{question}",
            "solution": told,
            "code": code,
            "language": "python",
        }
        for number, (title, question, told, code) in enumerate(TEXTS, start=1)
    ]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    subprocess.run([*PROGRAM, "corpus", str(pairs), "--out", str(corpus)], check=True, stdout=subprocess.DEVNULL)
    options = ["--model", given.model, "--out", str(out / "steps"), "--max-parallel", "1", "--json"]
    words = [*PROGRAM, "extract", str(corpus), *options, "--limit", given.limit, "--coverage", given.coverage]
    done = subprocess.run(words, check=False, stdout=subprocess.PIPE, text=True)
    document = json.loads(done.stdout)
    status = [json.loads(line) for line in (out / "steps" / "status.jsonl").read_text().splitlines()]
    apart = [row for row in status if row["status"] == "done"]
    calls = sum(row.get("calls", 0) for row in apart)
    unnamed = sum(len(row.get("unnamed_calls", ())) for row in apart)
    print(f"model {given.model}, coverage of at least {given.coverage}")
    print(
        f"taken apart: {document['done']} of {document['solutions']}, failed {document['failed']}, missing {document['missing']}"
    )
    if apart:
        print(f"steps: {document['steps']}, {document['steps'] / len(apart):.1f} a solution")
        print(f"calls named: {calls - unnamed} of {calls}")
    print(f"model calls: {document['calls']}, tokens: {document['tokens']}")
    for row in status:
        if row["status"] == "failed":
            print(f"failed {row['id']}: {row['reason'][:150]}")
    print(f"kept in {out}")


if __name__ == "__main__":
    main()
