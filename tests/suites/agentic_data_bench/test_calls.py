"""Published calls are read as literals, in both styles of arguments, and never run."""

import json

import pytest

from benchwright.errors import SuiteError
from benchwright.suites.agentic_data_bench.calls import parse_call, parse_post_process
from benchwright.suites.agentic_data_bench.checks import check_of


def check(text, header=lambda _: ("a", "b", "c")):
    return check_of(parse_call(text, "tasks.jsonl, task x"), header)


def sound(text):
    return {name: value for name, value in check(text).options.items() if name != "published"}


def test_both_styles_of_arguments_say_the_same():
    keyword = "compare_csv(output_file_name='output.csv', gold_file_name='result.csv', ignore_order=False)"
    assert parse_call(keyword, "") == parse_call("compare_csv('output.csv', 'result.csv', ignore_order=False)", "")
    assert parse_call("compare_json('o.json', 'g.json', {'a': None})", "").options == {"thresholds": {"a": None}}


def test_paths_count_by_their_last_part():
    call = parse_call("compare_csv('out/output.csv', ['gold/a.csv', 'gold/b.csv'])", "")
    assert (call.output, call.golds) == ("output.csv", ("a.csv", "b.csv"))


def test_a_table_call_keeps_whole_number_keys_apart_from_texts_and_is_json():
    text = "compare_csv('o.csv', 'g.csv', ignore_order=True, thresholds={1: 0.02, '1': None, 'a': 0})"
    made = check(text)
    assert made.options["published"] == {
        "function": "compare_csv",
        "arguments": {"ignore_order": True, "thresholds": [[1, 0.02], ["1", None], ["a", 0]]},
    }
    assert made.options["tolerances"] == {"b": {"relative": 0.02}, "1": {"relative": 0.01}, "a": {"relative": 0}}
    assert json.loads(json.dumps(made.to_json())) == made.to_json()


@pytest.mark.parametrize(
    ("text", "scorer", "options"),
    [
        (
            "compare_csv('o.csv', 'g.csv', specified_columns=['b'])",
            "table",
            {"columns": ["b"], "order": "any", "absolute": 0.01, "scaled": True, "credit": "columns"},
        ),
        (
            "compare_csv('o.csv', 'g.csv', ignore_order=False)",
            "table",
            {"order": "given", "absolute": 0.01, "scaled": True, "credit": "columns"},
        ),
        (
            "compare_csv('o.csv', ['g.csv', 'h.csv'], ignore_order=[False, False], specified_columns=[['a'], ['a']])",
            "table",
            {"columns": ["a"], "order": "given", "absolute": 0.01, "scaled": True, "credit": "columns"},
        ),
        (
            "compare_json('o.json', 'g.json', thresholds={'a': None, 'b': {'c': [0, 1]}}, matched_keys=['id'])",
            "document",
            {"fields": {"a": None, "b": {"c": [0, 1]}}, "key": ["id"], "order": "any", "relative": 0.01},
        ),
        ("compare_json('o.json', 'g.json', thresholds=None)", "document", {"order": "any", "relative": 0.01}),
        (
            "compare_json_normalized('o.json', thresholds={'auc': [0.5, 1.0]})",
            "document",
            {"fields": {"auc": [0.5, 1.0]}, "order": "any", "relative": 0.01, "self_reported": True},
        ),
        (  # lower is better: the range is the same
            "compare_json_normalized('o.json', thresholds={'a': {'loss': [1.0, 0.2]}})",
            "document",
            {"fields": {"a": {"loss": [0.2, 1.0]}}, "order": "any", "relative": 0.01, "self_reported": True},
        ),
        (
            "compare_model('o.csv', 'g.csv', matched_columns=['id'], calculate_columns=['y'], metric='mae', lower_bound=0, upper_bound=2)",
            "model_metric",
            {"id_columns": ["id"], "value_columns": ["y"], "metric": "mae", "baseline": 2, "target": 0, "above_constant": True},
        ),
        (
            "compare_model('o.csv', 'g.csv', calculate_columns=[1], metric='mse', lower_bound=0.01, upper_bound=0)",
            "model_metric",
            {"value_columns": [1], "metric": "mse", "baseline": 0.01, "target": 0, "above_constant": True},
        ),
        (
            "compare_model('o.csv', 'g.csv', matched_columns=None, calculate_columns=['y'], metric='RMSE ')",
            "model_metric",
            {"value_columns": ["y"], "metric": "rmse", "baseline": 1.0, "target": 0.0, "above_constant": True},
        ),
        (
            "compare_model('o.csv', 'g.csv', metric='pearson')",
            "model_metric",
            {"metric": "pearson", "baseline": 0.0, "target": 1.0, "above_constant": True},
        ),
        ("compare_image('o.png', 'g.png')", "chart", {"parts": ["data", "kind"]}),
        (
            "compare_image('o.png', 'g.png', calculate_columns=['graph_title', 'xtick_labels', 'figsize'])",
            "chart",
            {"parts": ["data", "title", "x_ticks"]},
        ),
        ("compare_text('o.txt', 'g.txt')", "text", {"mode": "exact"}),
        (
            "compare_sqlite('o.db', 'g.db', specified_schema={'t': ['a'], 'u': None}, ignore_order=False)",
            "database",
            {"tables": {"t": ["a"], "u": None}, "order": "given", "absolute": 0.01, "scaled": True, "credit": "columns"},
        ),
    ],
)  # fmt: skip
def test_each_call_becomes_a_check_of_the_sound_scorer(text, scorer, options):
    assert (check(text).scorer, sound(text)) == (scorer, options)


def test_a_position_without_its_gold_table_gives_no_tolerance():
    assert "tolerances" not in check("compare_csv('o.csv', 'g.csv', thresholds={1: 0.02})", lambda _: None).options
    assert "tolerances" not in check("compare_csv('o.csv', 'g.csv', thresholds={7: 0.02, -1: 0})").options


WRONG = [
    ("compare_cvs('o', 'g')", "no function 'compare_cvs'"),
    ("compare_csv('o', 'g', ignore_case=True)", "no option 'ignore_case'"),
    ("compare_csv('o', 'g', [], True, {}, 1)", "6 arguments without a name"),
    ("compare_csv('o', 'g', gold_file_name='g')", "gold_file_name is given twice"),
    ("compare_csv('o', 'g', ignore_order=True, ignore_order=True)", "ignore_order is given twice"),
    ("compare_csv('o')", "names no gold"),
    ("compare_csv()", "not named"),
    ("compare_csv('o', ['g', 5])", "not named"),
    ("compare_csv('o', 'g', ignore_order='yes')", "option ignore_order"),
    ("compare_csv('o', 'g', specified_columns='a')", "option specified_columns"),
    ("compare_csv('o', 'g', thresholds={'a': 'b'})", "option thresholds"),
    ("compare_json('o', 'g', thresholds={'a': [1]})", "option thresholds"),
    ("compare_json('o', 'g', thresholds={1: None})", "option thresholds"),
    ("compare_image('o', 'g', calculate_columns=['colour'])", "option calculate_columns"),
    ("compare_model('o', 'g', metric=abs)", "Name at character"),
    ("compare_model('o', 'g', lower_bound=1e999)", "too large"),
    ("compare_model('o', 'g', lower_bound=True)", "option lower_bound"),
    ("compare_csv(*['o', 'g'])", "Starred"),
    ("compare_csv('o', 'g', **{})", "not written out"),
    ("compare_csv('o' + 'p', 'g')", "BinOp"),
    ("compare_csv(f'{1}', 'g')", "JoinedStr"),
    ("compare_csv('o', 'g', thresholds={'a': -True})", "before no number"),
    ("compare_csv('o', 'g', thresholds={None: 1})", "neither text nor"),
    ("compare_csv('\\ud800', 'g')", "half a character"),
    ("__import__('os').system('touch {marker}')", "not the call of a function"),
    ("compare_csv(__import__('os').system('touch {marker}'), 'g')", "Call at character"),
    ("compare_csv('o', 'g', thresholds={{'a': exec('open(\"{marker}\", \"w\")')}})", "Call at character"),
    ("compare_csv((lambda: 1)(), 'g')", "Call at character"),
    ("compare_csv('o', 'g'); 1", "invalid syntax"),
    ("'" * 3, "cannot be read"),
    ("compare_csv('o', 'g', [" + "[" * 1000, "nested deeper"),
    ("compare_csv(" + "-" * 20_000 + "1)", "cannot be read"),
    ("compare_csv(" + "1+" * 30_000 + "1)", "cannot be read"),
    ("compare_csv(" + "not " * 20_000 + "1)", "cannot be read"),
    ("compare_csv('o', 'g', ignore_order=" + "9" * 5_000 + ")", "cannot be read"),
    ("x" * 200_000, "longer than"),
    ("compare_csv('o\0', 'g')", "null character"),
    ("", "cannot be read"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text[:40] for text, _ in WRONG])
def test_a_wrong_call_names_task_text_and_what_is_wrong(text, message, tmp_path):
    marker = tmp_path / "ran"
    text = text.replace("{marker}", str(marker)).replace("{{", "{").replace("}}", "}")
    with pytest.raises(SuiteError) as caught:
        parse_call(text, "tasks.jsonl, task x")
    assert caught.value.what.startswith("tasks.jsonl, task x: ")
    assert message in caught.value.text()
    assert text[:200] in caught.value.text()
    assert not marker.exists()


def test_the_marker_of_that_test_would_show_an_evaluation(tmp_path):
    marker = tmp_path / "ran"
    eval(f"__import__('os').system('touch {marker}')")
    assert marker.exists()


def test_post_processing_names_a_chart_in_both_styles():
    assert parse_post_process("image_post_process('a.png')", "") == "a.png"
    assert parse_post_process("image_post_process(output_file_name='a.png')", "") == "a.png"
    for text in ("image_post_process()", "other('a.png')", "image_post_process(1)", "image_post_process('a', 'b')"):
        with pytest.raises(SuiteError, match=r"post-processing|without a name"):
            parse_post_process(text, "")
