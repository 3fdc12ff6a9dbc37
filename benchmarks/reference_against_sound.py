"""CoDA-Bench's published answer rules against the sound scorer, on perturbed golds; writes the table in the docs.

    python benchmarks/reference_against_sound.py coda_bench.json perturbed.jsonl [--docs docs/scoring-answers.md]

The first file is the official task file. Each line of the second is {"instance_id", "perturbation", "prediction"}.
"""

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from benchwright.files import read_text, write_atomic
from benchwright.scorers.answer import gold_fault, judge
from benchwright.scorers.answer.guideline import read_guideline
from benchwright.scorers.reference.coda_bench import exact_match, numeric_match

BEGIN, END = "<!-- table: reference against sound -->", "<!-- end of table -->"
WANTED = {
    "commas_to_semicolons": "yes, but 39;853 is two numbers",
    "empty": "no",
    "leading_plus": "yes, but not in dates and names",
    "list_last_dropped": "no",
    "list_reversed": "no",
    "negated": "no, but -0 is 0",
    "not_applicable": "no",
    "one_digit_less": "no, but 4.0 is 4",
    "plus_1e-5": "by the stated decimals",
    "plus_1e-7": "by the stated decimals",
    "scientific": "yes, but 1.3e2,022 is no number",
    "trailing_zero": "yes, but 64.0,000 is no number",
    "unicode_minus_added": "no, but -0 is 0",
    "words_junk": "no",
}


@dataclass
class Tally:
    rows: int = 0
    exact: int = 0
    numeric: int = 0
    sound: int = 0
    unscored: int = 0

    def line(self, name: str) -> str:
        shares = (f"{count / self.rows:.1%}" for count in (self.exact, self.numeric))
        sound = f"{self.sound / max(1, self.rows - self.unscored):.1%}"
        return f"| {name} | {self.rows} | {WANTED.get(name, 'yes')} | {' | '.join(shares)} | {sound} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("perturbed", type=Path)
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()
    tasks = {task["instance_id"]: task for task in json.loads(read_text(options.tasks))}
    rows = [json.loads(line) for line in read_text(options.perturbed).splitlines() if line.strip()]
    started = time.process_time()
    tallies = tally(tasks, rows)
    seconds = time.process_time() - started
    text = table(tallies, seconds, len(rows))
    print(text)
    if options.docs:
        before, _, rest = read_text(options.docs).partition(BEGIN)
        write_atomic(options.docs, f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}")


def tally(tasks: dict, rows: list[dict]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for row in rows:
        task, said = tasks[row["instance_id"]], row["prediction"]
        guideline = read_guideline(task["answer_guidelines"], task["question"], {})
        exact = exact_match(said, task["answer"])
        broken = bool(gold_fault(task["answer"], guideline))
        entry = tallies[row["perturbation"]]
        entry.rows += 1
        entry.exact += exact
        entry.numeric += exact or numeric_match(said, task["answer"])
        entry.unscored += broken
        entry.sound += not broken and judge(said, task["answer"], guideline).right
    return tallies


def table(tallies: dict[str, Tally], seconds: float, rows: int) -> str:
    head = "| perturbation | rows | right? | exact | numeric | sound |\n|---|---|---|---|---|---|"
    lines = [tallies[name].line(name) for name in sorted(tallies)]
    return "\n".join([head, *lines, "", f"{rows:,} answers under the three rules in {seconds:.1f} s of one core."])


if __name__ == "__main__":
    main()
