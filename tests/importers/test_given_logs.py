"""The public logs beside the repository, against what is known of them."""

import pytest

from benchwright.importers import IMPORTERS
from benchwright.importers.reads import evidence
from benchwright.prices import prices
from benchwright.reading.places import Places

RATES = "AcceptedCmp1: 0.065907, AcceptedCmp2: 0.012884, AcceptedCmp3: 0.074827, AcceptedCmp4: 0.076809, "
KIDNEY = ["ckdisease/source/kidney_disease.csv"]
RENT = [f"rent-index/source/{name}" for name in ("price.csv", "pricepersqft.csv", "dataset-metadata.json")]


def read(shared, kind, name):
    path = shared / "data" / "trajectories" / name
    if not path.is_file():
        pytest.skip("the public logs are not here")
    (trajectory,) = IMPORTERS[kind].parse(path)
    roots = {"/data": "c", f"{trajectory.cwd}/data" if trajectory.cwd else "data": "c"}
    shown = evidence(trajectory, Places({"c": None}, roots), ["result.txt"], keeps_folder=IMPORTERS[kind].keeps_folder)
    return trajectory, shown


@pytest.mark.parametrize(
    ("kind", "name", "files", "answer", "source"),
    [
        ("claude_code", "claude-code-instance-0.jsonl", KIDNEY, "38%", "result_file"),
        ("claude_code", "claude-code-opus-4.7-instance-0.jsonl", KIDNEY, "38%", "result_file"),
        ("codex", "codex-gpt-5.5-instance-150.jsonl", RENT, "11.56", "last_message"),
        (
            "openhands",
            "openhands-deepseek-v4-instance-2.jsonl",
            ["marketing-data/source/ifood_df.csv"],
            f"{RATES}AcceptedCmp5: 0.072349, Response: 0.154113",
            "result_file",
        ),
    ],
)
def test_reads_and_answers_are_those_that_are_known(shared, kind, name, files, answer, source):
    trajectory, shown = read(shared, kind, name)
    assert shown.accesses.kind == "estimated"
    assert [(item.path, item.certain) for item in shown.accesses.files] == [(path, True) for path in files]
    assert (shown.accesses.unresolved, shown.answer.text, shown.answer.source) == (0, answer, source)
    assert trajectory.ending.kind == "answered"


def test_a_second_model_is_counted_though_the_summary_leaves_it_out(shared):
    trajectory, _ = read(shared, "claude_code", "claude-code-instance-0.jsonl")
    usage, models = trajectory.usage, trajectory.models
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens) == (
        24_234 + 192_338,
        395 + 2_771,
        104_546,
    )
    assert models["claude-haiku-4-5-20251001"].output_tokens == 395
    assert trajectory.logged_cost_usd == pytest.approx(0.6761518)
    assert prices().cost(models) == pytest.approx(0.6761518)
    assert (trajectory.harness_version, len(trajectory.steps), trajectory.seconds) == ("2.1.0", 7, 326.789)


def test_usage_is_that_of_the_result_and_not_the_sum_of_snapshots(shared):
    trajectory, _ = read(shared, "claude_code", "claude-code-opus-4.7-instance-0.jsonl")
    usage = trajectory.usage
    assert (usage.input_tokens, usage.cache_write_tokens, usage.cache_read_tokens) == (7, 7_554, 61_177)
    assert usage.output_tokens == 971
    assert trajectory.logged_cost_usd == 0.119228
    assert prices().cost(trajectory.models) == pytest.approx(0.119228)
    failed = trajectory.steps[3].calls[0]
    assert (failed.exit_code, failed.is_error) == (1, True)


def test_cached_tokens_are_part_of_codex_input_and_counted_once(shared):
    trajectory, _ = read(shared, "codex", "codex-gpt-5.5-instance-150.jsonl")
    usage = trajectory.usage
    assert usage.input_tokens + usage.cache_read_tokens == 220_617
    assert (usage.cache_read_tokens, usage.output_tokens, usage.reasoning_tokens) == (205_312, 1_546, 446)
    assert (trajectory.model, trajectory.logged_cost_usd, trajectory.usage.cost_usd) == ("", None, None)
    assert trajectory.steps[4].calls[0].text == "head -5 ./data/rent-index/source/price.csv"


def test_parallel_calls_are_one_step_and_missing_usage_is_not_zero(shared):
    trajectory, _ = read(shared, "openhands", "openhands-deepseek-v4-instance-2.jsonl")
    assert [len(step.calls) for step in trajectory.steps] == [1, 3, 1, 1, 1, 1, 1, 0]
    assert trajectory.usage.uncounted_calls == 8
    assert trajectory.steps[3].calls[0].output.startswith("import pandas") is False
    assert "\x1b" not in trajectory.steps[2].calls[0].output
    assert trajectory.ended - trajectory.started == pytest.approx(74.34, abs=0.01)
