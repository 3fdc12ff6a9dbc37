"""The required files of the official tasks, against the figures that were published for them."""

from collections import Counter, defaultdict

import pytest

from benchwright.files import read_json
from benchwright.reading import canonical_key, required_files


@pytest.fixture(scope="module")
def records(shared):
    return read_json(shared / "data" / "coda_bench" / "coda_bench.json")


@pytest.fixture(scope="module")
def targets(records):
    return {record["instance_id"]: required_files(record["reference_code"]) for record in records}


@pytest.fixture(scope="module")
def keys(targets):
    return {number: {canonical_key(target.path) for target in found.files} for number, found in targets.items()}


@pytest.fixture(scope="module")
def hard(shared, records):
    def content(record):
        return record["question"], record["answer"], record["reference_code"]

    full = {content(record): record["instance_id"] for record in records}
    return {full[content(record)] for record in read_json(shared / "data" / "coda_bench" / "coda_bench_hard.json")}


def test_the_statuses_of_all_tasks_are_as_published(targets):
    named = defaultdict(list)
    for number, found in targets.items():
        named[found.status].append(number)
    assert len(named.pop("static")) == 997
    assert named == {
        "glob": [646],
        "basename_only": [61],
        "embedded_or_none": [6, 7, 10, 11, 12, 600, 936],
        "remote": [5, 29],
        "unparsable": [907],
    }


def test_files_per_task_are_distributed_as_published(keys, hard):
    assert Counter(map(len, keys.values())) == {0: 10, 1: 796, 2: 143, 3: 33, 4: 17, 5: 4, 6: 4, 9: 2}
    assert Counter(len(keys[number]) for number in hard) == {1: 10, 2: 69, 3: 17, 4: 15, 5: 3, 6: 4, 9: 1}


def test_distinct_files_and_datasets_are_as_published(keys, hard):
    distinct = set().union(*keys.values())
    named = {key for key in distinct if key[0]}
    spanning = {number for number, found in keys.items() if len({dataset for dataset, _ in found}) >= 2}
    assert len(distinct) == 366
    assert len({dataset for dataset, _ in distinct}) == 252
    assert (len(spanning), len(spanning & hard)) == (130, 87)
    datasets = defaultdict(set)
    for dataset, path in named:
        datasets[path.rpartition("/")[2]].add(dataset)
    assert sum(len(found) > 1 for found in datasets.values()) == 14


def test_readers_are_as_published(targets):
    readers = Counter(target.read.reader for found in targets.values() for target in found.files)
    assert readers == {
        "read_csv": 1207,
        "read_excel": 45,
        "sqlite3": 27,
        "read_feather": 11,
        "read_parquet": 10,
        "np.load": 9,
        "open": 1,
        "read_file": 1,
    }


def test_spaces_nesting_and_pivots_are_as_published(records, targets, keys):
    paths = [target.path for found in targets.values() for target in found.files]
    assert sum(" " in path for path in paths if path != "dataset 2.csv") + 1 == 85
    assert sum(path.count("/") > 2 for path in paths) == 24
    pivots = {record["instance_id"]: canonical_key(f"{record['dataset']}/source/x")[0] for record in records}
    assert sum(pivots[number] in {dataset for dataset, _ in found} for number, found in keys.items()) == 358


def test_the_published_hard_rule_selects_the_published_tasks(records, keys, hard):
    lines = {
        record["instance_id"]: sum(
            bool(line.strip()) and not line.strip().startswith("#") for line in record["reference_code"].split("\n")
        )
        for record in records
    }
    rule = {number for number, found in keys.items() if len(found) >= 2 and lines[number] > 30}
    assert (len(rule), len(rule & hard)) == (111, 109)
    assert rule - hard == {27, 835}
    assert hard - rule == {58, 84, 183, 432, 670, 671, 779, 919, 922, 923}
