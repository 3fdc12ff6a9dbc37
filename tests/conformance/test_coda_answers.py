"""The published answer rule, against what the official functions said of 11,307 predictions."""

from benchwright.files import read_json, read_jsonl
from benchwright.scorers.reference.coda_bench import exact_match, match, numeric_match


def test_every_row_has_the_published_verdicts(shared):
    golds = {
        record["instance_id"]: record["answer"]
        for record in read_json(shared / "data" / "coda_bench" / "coda_bench.json")
    }
    rows = [row for _, row in read_jsonl(shared / "conformance" / "coda_expected.jsonl")]
    assert len(rows) == 11_307
    different = [
        (row["instance_id"], row["perturbation"])
        for row in rows
        if (
            exact_match(row["prediction"], golds[row["instance_id"]]),
            numeric_match(row["prediction"], golds[row["instance_id"]]),
        )
        != (row["exact"], row["numeric"])
    ]
    assert different == []


def test_every_gold_matches_itself_exactly(shared):
    for record in read_json(shared / "data" / "coda_bench" / "coda_bench.json"):
        assert match(record["answer"], record["answer"]) == (True, True)
