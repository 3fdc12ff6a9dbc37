"""The suite built from the 207 published tasks that are here, against the figures that were counted for them."""

import json
from collections import Counter

from benchwright.proving import CheckOptions
from benchwright.proving import check as check_suite
from benchwright.suites.agentic_data_bench import AgenticDataBenchLoader
from benchwright.suites.agentic_data_bench.calls import parse_call
from benchwright.suites.agentic_data_bench.checks import check_of
from benchwright.suites.agentic_data_bench.skills import read_categories, read_types
from benchwright.suites.base import BuildRequest


def checks(suite):
    return [check for gold in suite.golds.values() for check in gold.checks]


def published(suite, function):
    calls = [check.options["published"] for check in checks(suite)]
    return [call["arguments"] for call in calls if call["function"] == function]


def test_tasks_and_domains_have_the_counted_sizes(suite):
    assert len(suite.tasks) == 207
    assert Counter(label.domain for label in suite.labels.values()) == {
        "agriculture": 19, "ecommerce": 12, "energy": 4, "entertainment": 5, "financial": 19, "healthcare": 18,
        "loan_model": 8, "loan_risk": 21, "marketing": 9, "real_estate": 20, "social_network": 17, "sports": 14,
        "strategy": 4, "tourism": 18, "transportation": 19,
    }  # fmt: skip
    assert sum("/" in name for name in suite.info.rooms) == 21  # a folder of data a task of loan_risk
    assert len(suite.info.rooms) == 14 + 21
    assert all(room.writable for room in suite.info.rooms.values())


def test_every_call_is_a_check(suite):
    assert Counter(check.options["published"]["function"] for check in checks(suite)) == {
        "compare_csv": 179, "compare_json": 30, "compare_json_normalized": 15, "compare_model": 12,
        "compare_image": 30, "compare_text": 6, "compare_sqlite": 3,
    }  # fmt: skip
    assert Counter(check.scorer for check in checks(suite)) == {
        "table": 179, "document": 45, "model_metric": 12, "chart": 30, "text": 6, "database": 3,
    }  # fmt: skip
    loan = suite.golds["loan_risk_10"]
    assert [(check.scorer, check.output) for check in loan.checks] == [
        ("model_metric", "output.csv"),
        ("table", "output.csv"),
    ]


def test_options_are_kept_to_the_letter(suite, official):
    for line in (official / "tasks.jsonl").read_text().splitlines():
        record = json.loads(line)
        texts = [record["eval_func"]] if isinstance(record["eval_func"], str) else record["eval_func"]
        for text, each in zip(texts, suite.golds[record["id"]].checks, strict=True):
            arguments = dict(each.options["published"]["arguments"])
            if each.scorer == "table" and "thresholds" in arguments:
                arguments["thresholds"] = dict(arguments["thresholds"])
            scope = {name: lambda *files, name=name, **options: (name, files, options) for name in NAMES}
            name, _, options = eval(text, {"__builtins__": {}}, scope)
            options = {key: value for key, value in options.items() if not key.endswith("file_name")}
            assert (each.options["published"]["function"], arguments) == (name, options)


NAMES = ("compare_csv", "compare_json", "compare_json_normalized", "compare_model", "compare_image", "compare_text", "compare_sqlite")  # fmt: skip


def test_every_threshold_of_a_table_finds_its_column(suite):
    missed = []
    for gold in suite.golds.values():
        for each in gold.checks:
            if each.scorer == "table" and not set(each.golds) & set(
                suite.label(gold.task_id).extra.get("missing_golds", ())
            ):
                asked = each.options["published"]["arguments"].get("thresholds", [])
                missed += [(gold.task_id, len(asked))] if len(each.options.get("tolerances", {})) != len(asked) else []
    assert missed == []


def test_files_of_the_gold_are_copied_and_eleven_are_missing(suite):
    missing = {
        task_id: label.extra["missing_golds"]
        for task_id, label in suite.labels.items()
        if "missing_golds" in label.extra
    }
    assert missing == {
        "entertainment_08": ["result.csv"], "loan_risk_6": ["result_data.csv"], "loan_risk_9": ["result.csv"],
        "loan_risk_10": ["result.csv"], "loan_risk_11": ["result.csv"], "loan_risk_20": ["result.csv"],
        "loan_risk_25": ["result_1.csv"], "loan_risk_33": ["result.csv"], "loan_risk_35": ["result.csv"],
        "sports_11": ["result.csv"], "tourism_23": ["result.csv"],
    }  # fmt: skip
    assert len(suite.subset("gold_complete")) == 196
    files = [path for path in (suite.folder / "gold" / "files").rglob("*") if path.is_file()]
    assert Counter(path.suffix for path in files) == {
        ".csv": 179,
        ".json": 75,
        ".png": 30,
        ".npy": 30,
        ".txt": 6,
        ".db": 3,
    }


def test_outputs_have_kinds(suite):
    outputs = [output for task in suite.tasks.values() for output in task.outputs]
    by_scorer = {
        (gold.task_id, check.output): check.scorer for gold in suite.golds.values() for check in reversed(gold.checks)
    }
    assert len(outputs) == len(by_scorer) == 274
    assert Counter(output.kind for output in outputs)["chart"] == 30
    assert Counter(output.kind for output in outputs)["predictions"] == 12


def test_data_sources_are_the_required_files(suite):
    known = [gold for gold in suite.golds.values() if gold.required_files_status == "declared"]
    assert len(known) == 154
    assert sum(len(gold.required_files) for gold in known) == 406 + 360 + 126
    for gold in known:  # 13 paths start at the domain
        starts = ("datasets/", f"{suite.label(gold.task_id).domain}/")
        assert not any(file.path.startswith(starts) for file in gold.required_files)
    unknown = Counter(suite.label(gold.task_id).domain for gold in suite.golds.values() if gold not in known)
    assert set(unknown) == {"financial", "loan_risk", "marketing", "loan_model"}


def test_skills_and_categories_have_the_counted_sizes(suite, official):
    skills = [skill for label in suite.labels.values() for skill in label.skills]
    assert (len(skills), len(set(skills)), round(len(skills) / 207, 2)) == (4790, 401, 23.14)
    assert not any("uncategorised_skills" in label.extra for label in suite.labels.values())
    categories = read_categories(read_types(official / "step-clusters.jsonl"))
    assert len(categories.by_skill) == 433
    assert Counter(categories.by_skill.values()) == {
        "Data Format Handling": 39, "Data Preprocessing": 37 + 1, "Data Manipulation": 92 + 2, "Data Analysis": 134,
        "Data Modeling": 41, "Data Visualization": 27, "Cross-Stage": 63 - 3,
    }  # fmt: skip
    assert len(categories.categories) == 7


def test_the_lint_finds_what_was_counted_by_hand(suite):
    found = {}
    for finding in check_suite(suite, CheckOptions(proofs=None, privacy=None)).findings:
        found.setdefault(finding.rule, []).append(finding)
    ids = {rule: [finding.task_id for finding in findings] for rule, findings in found.items()}
    assert ids["gold-missing"] == [name for name in suite.tasks if "missing_golds" in suite.label(name).extra]
    assert set(ids["gold-empty"]) == {f"marketing_{number}" for number in (2, 3, 4, 5, 6, 9, 12, 13, 14)}
    assert set(ids["self-reported-only"]) == set(ids["gold-empty"]) | {f"loan_model_{n}" for n in (3, 5, 8, 9, 13, 14)}
    assert set(ids["output-not-named"]) == {
        *(f"healthcare_{number}" for number in (11, 12, 14, 15, 16, 17, 18, 19, 20)), "social_network_24", "sports_11",
    }  # fmt: skip
    assert set(ids["chart-holds-nan"]) == {"healthcare_01", "healthcare_25", "real_estate_26", "tourism_12"}
    strays = {finding.task_id: finding.evidence for finding in found["text-among-numbers"]}
    counts = {"loan_risk_42": 15, "loan_risk_44": 3, "strategy_2": 4, "strategy_5": 1, "strategy_7": 5}
    assert {name: f"({count})" in strays[name] for name, count in counts.items()} == dict.fromkeys(counts, True)
    assert len(ids["rows-beyond-cap"]) == 6
    errors = {finding.task_id for findings in found.values() for finding in findings if finding.severity == "error"}
    assert errors == set(ids["gold-missing"]) | set(ids["self-reported-only"])
    assert "prompt-names-path" in found
    assert not any(finding.alarming for finding in (*found["prompt-names-path"], *found["foreign-script"]))


def test_nothing_of_the_gold_is_shown(suite):
    for task in suite.tasks.values():
        shown = {output.name for output in task.outputs}
        golds = set(suite.golds[task.id].files) - shown
        assert not any(name in task.model_dump_json() and name not in task.question for name in golds)


def test_building_twice_gives_the_same_suite(suite, official, tmp_path):
    sources = {"tasks": official / "tasks.jsonl", "gold": official / "gold"}
    again = AgenticDataBenchLoader().load(BuildRequest(out=tmp_path / "again", sources=sources))
    assert (again.digest, again.gold_digest) == (suite.digest, suite.gold_digest)


def test_the_crafted_calls_are_read(shared):
    for line in (shared / "conformance" / "agenticdatabench_crafted.jsonl").read_text().splitlines():
        case = json.loads(line)
        made = check_of(parse_call(case["call"], case["id"]), lambda _: None)
        published = dict(made.options["published"]["arguments"])
        if made.scorer == "table" and "thresholds" in published:
            published["thresholds"] = {str(key): value for key, value in published["thresholds"]}
        assert published == case["options"]
