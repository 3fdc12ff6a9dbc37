"""Lint CoDA-Bench's official file, plant faults into its clean tasks, and print what is found, missed and alarmed.

    python benchmarks/lint_coda.py path/to/coda_bench.json [--plant]

The verdicts on the alarms of release v1.0.0 were given by reading question, guideline and gold of each; the reference code
was opened only where these three left a doubt.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType

from benchwright.cli.output import print_table, progress
from benchwright.proving import Finding, lint
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.suites.base import BuildRequest
from benchwright.suites.registry import loader

VERDICTS = {
    "4": "true: the gold is the guideline's sentence and an editor's remark",
    "21": "true: the question is an editor's instruction",
    "24": "true: an untranslated clause",
    "25": "true: an untranslated clause",
    "61": "true: the question names the file to be found",
    "63": "true: an untranslated clause",
    "174": "true: the question offers two sites, the gold is one of them",
    "185": "true: the question states the two possible conclusions word for word",
    "240": "true: an untranslated clause",
    "248": "true: asked again in 249 with another gold; the guideline drops two of the four values",
    "249": "true: asked again in 248 with another gold",
    "370": "true: the question names the file to be found",
    "479": "true: asked again in 503",
    "496": "true: the guideline's template starts with the city, the gold leaves it out",
    "500": "true: asks for a street and a daily count, the gold is a time zone and a percentage",
    "503": "true: asked again in 479",
    "534": "true: the gold describes a table",
    "558": "true, and harmless to who reads on: the template has 2 parts, the list 6",
    "638": "true, and harmless to who reads on: the template has 2 parts, the list 6",
    "671": "disputable: both parts are among the four countries that the question names, as the question needs them",
    "833": "true: the guideline's example is the gold",
    "855": "true: the gold describes a table",
    "930": "true: asks for industries and a share, the gold is two company sizes (it belongs to 937)",
    "937": "true: asks for company sizes, the gold is two industries and a share (it belongs to 930)",
}


def main() -> None:
    """Lint, and where asked plant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--plant", action="store_true", help="plant every kind of fault into all clean tasks, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        request = BuildRequest(Path(folder) / "coda", {"tasks": arguments.tasks}, progress=progress)
        suite = loader("coda_bench").load(request)
        found = lint(suite)
        show_alarms(suite, found)
        if arguments.plant:
            show_planted(suite, found, Path(folder))


def show_alarms(suite: Suite, found: tuple[Finding, ...]) -> None:
    """The findings by rule, and each alarmed task with its verdict."""
    rules = Counter((finding.rule, finding.severity.value) for finding in found)
    print_table("Findings", ("rule", "severity", "findings"), [(*key, count) for key, count in sorted(rules.items())])
    alarms: dict[str, set[str]] = defaultdict(set)
    for finding in found:
        if finding.alarming:
            alarms[finding.task_id].add(finding.rule)
    rows = [(task, ", ".join(sorted(names)), VERDICTS.get(task, "NOT READ YET")) for task, names in alarms.items()]
    print_table("Tasks with an error or a warning", ("task", "rules", "verdict"), rows)
    doubtful = [task for task in alarms if not VERDICTS.get(task, "").startswith("true")]
    print(f"{len(alarms)} of {len(suite.tasks)} tasks alarmed; false or disputable: {len(doubtful)}")
    print(f"({100 * len(doubtful) / len(suite.tasks):.2f} % of all tasks)")


def show_planted(suite: Suite, found: tuple[Finding, ...], folder: Path) -> None:
    """How many planted faults are found, over every clean task into which the fault can be planted."""
    plants = planting()
    alarmed = {finding.task_id for finding in found if finding.alarming}
    clean = [(task, suite.golds[task.id]) for task in suite.tasks.values() if task.id not in alarmed]
    rows = []
    for index, (kind, (plant, rules)) in enumerate(plants.PLANTS.items()):
        planted = plants.plant_all(clean, plant, random.Random(index))
        planted.pop(next(iter(planted)))  # one stays as it is: a suite of empty golds alone is another finding
        pairs = [planted.get(task.id, (task, gold)) for task, gold in clean]
        rooms = {mount.room: RoomInfo() for task, _ in pairs for mount in task.data}
        info = SuiteInfo(name="planted", rooms=rooms)
        made = Suite.write(folder / str(index), info, [task for task, _ in pairs], (), [gold for _, gold in pairs])
        hit = {finding.task_id for finding in lint(made) if finding.rule in rules} & set(planted)
        rows.append((kind, len(planted), len(hit), f"{100 * len(hit) / len(planted):.1f}"))
    print_table("Planted faults", ("fault", "planted", "found", "%"), rows)


def planting() -> ModuleType:
    """The plants of the test suite."""
    path = Path(__file__).parents[1] / "tests" / "proving" / "test_planted_faults.py"
    spec = importlib.util.spec_from_file_location("planting", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
