import json

import pytest

from benchwright.errors import InputError, SuiteError
from benchwright.live.prompts import Prompts
from benchwright.suites.agentic_data_bench import AgenticDataBenchLoader
from benchwright.suites.base import BuildRequest

pytestmark = pytest.mark.usefixtures("own_home")


def record(number=1, **values):
    return {
        "id": f"shop_{number}",
        "question": "How many units were sold a day? Write sales.csv.",
        "domain": "shop",
        "skills": ["CSV Processing", "Join Operations and Merging"],
        "output_file_name": ["output.csv"],
        "gold_file_name": ["result.csv"],
        "eval_func": ["compare_csv('output.csv', 'result.csv', ignore_order=True)"],
    } | values


def published(folder, **types):
    """The published file of skills and their types."""
    path = folder / "step-clusters.jsonl"
    lines = [{"graph_id": "3-1", "name": name, "cluster": ["1-2-3"], "type": type_} for name, type_ in types.items()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


TYPES = {"CSV Processing": "Data I/O", "Join Operations and Merging": "Data Manipulation"}


def build(folder, *records, gold=None, rooms=None, **sources):
    folder.mkdir(exist_ok=True)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in records]
    (folder / "tasks.jsonl").write_text("\n".join(lines))
    given = {"tasks": folder / "tasks.jsonl", "gold": gold, "rooms": rooms, **sources}
    sources = {name: path for name, path in given.items() if path is not None}
    return AgenticDataBenchLoader().load(BuildRequest(out=folder / "suite", sources=sources))


@pytest.fixture
def gold(tmp_path):
    folder = tmp_path / "gold"
    (folder / "shop_1").mkdir(parents=True)
    (folder / "shop_1" / "result.csv").write_bytes(b"\xef\xbb\xbfday,units\nmon,1\n")
    return folder


@pytest.mark.parametrize("post", [None, [], [None], "absent"])
def test_a_bare_call_any_order_of_keys_and_every_form_of_post_processing_are_read(tmp_path, gold, post):
    bare = record(eval_func="compare_csv('output.csv', 'result.csv', thresholds={1: 0.02})")
    if post != "absent":
        bare["post_process_func"] = post
    published(tmp_path, **TYPES)
    suite = build(tmp_path, dict(reversed([*bare.items()])), gold=gold)
    (check,) = suite.golds["shop_1"].checks
    assert check.options["tolerances"] == {"units": {"relative": 0.02}}  # the byte order mark is no part of a name
    assert suite.label("shop_1").categories == ("Data Format Handling", "Data Manipulation")


def test_golds_are_copied_and_missing_ones_are_a_state_of_their_own(tmp_path, gold):
    told = []
    (tmp_path / "tasks.jsonl").write_text(json.dumps(record()) + "\n" + json.dumps(record(2)))
    published(tmp_path, **TYPES)
    request = BuildRequest(
        out=tmp_path / "suite", sources={"tasks": tmp_path / "tasks.jsonl", "gold": gold}, progress=told.append
    )
    suite = AgenticDataBenchLoader().load(request)
    assert (suite.gold_files("shop_1") / "result.csv").read_bytes() == (gold / "shop_1/result.csv").read_bytes()
    assert suite.label("shop_2").extra["missing_golds"] == ["result.csv"]
    assert suite.subset("gold_complete") == ("shop_1",)
    assert told == ["1 gold files of 1 tasks are missing: shop_2/result.csv"]


def test_a_gold_that_is_a_link_is_missing(tmp_path, gold):
    (tmp_path / "secret").write_text("day,units\n")
    (gold / "shop_2").mkdir()
    (gold / "shop_2" / "result.csv").symlink_to(tmp_path / "secret")
    suite = build(tmp_path, record(2), gold=gold)
    assert suite.label("shop_2").extra["missing_golds"] == ["result.csv"]
    assert not (suite.gold_files("shop_2") / "result.csv").exists()


def test_a_chart_has_its_companions(tmp_path):
    folder = tmp_path / "gold" / "shop_1"
    folder.mkdir(parents=True)
    for ending in ("png", "json"):
        (folder / f"result.{ending}").write_text(ending)
    chart = record(
        output_file_name=["output.png"],
        gold_file_name=["result.png"],
        eval_func=["compare_image('output.png', 'result.png')"],
        post_process_func=["image_post_process('output.png')", "image_post_process('result.png')"],
    )
    suite = build(tmp_path, chart, gold=tmp_path / "gold")
    assert suite.golds["shop_1"].files == ("result.png", "result.json", "result.npy")
    assert suite.label("shop_1").extra["missing_golds"] == ["result.npy"]
    assert suite.label("shop_1").extra["post_process"] == ["output.png", "result.png"]


@pytest.mark.parametrize(
    ("call", "name", "kind"),
    [
        ("compare_csv('{}', 'g.csv')", "o.csv", "table"),
        ("compare_model('{}', 'g.csv')", "o.csv", "predictions"),
        ("compare_json_normalized('{}', thresholds={{'a': [0, 1]}})", "o.json", "document"),
        ("compare_image('{}', 'g.csv')", "o.png", "chart"),
        ("compare_text('{}', 'g.csv')", "o.txt", "text"),
        ("compare_sqlite('{}', 'g.csv')", "o.db", "database"),
    ],
)
def test_outputs_have_the_kind_by_which_they_are_judged(tmp_path, call, name, kind):
    suite = build(tmp_path, record(output_file_name=[name], gold_file_name=["g.csv"], eval_func=[call.format(name)]))
    assert [(output.name, output.kind) for output in suite.tasks["shop_1"].outputs] == [(name, kind)]


def test_names_are_stated_to_the_agent_unless_the_published_variant_is_asked_for(tmp_path):
    suite = build(tmp_path, record())
    task = suite.tasks["shop_1"]
    assert "/workspace/output.csv" in Prompts().task(task, "")
    unstated = Prompts().task(task, "as_published")
    assert "output.csv" not in unstated
    assert "/workspace" in unstated


def test_rooms_are_writable_and_data_sources_of_all_forms_are_found_in_them(tmp_path):
    room = tmp_path / "rooms" / "datasets" / "shop"
    (room / "NBA Database").mkdir(parents=True)
    for name in ("sales.csv", "NBA Database/Player.csv", "NBA Database/team.csv"):
        (room / name).write_text(name)
    sources = [
        "sales.csv",
        "NBA Database/team.csv",
        "datasets/shop/sales.csv",
        "shop/sales.csv",
        "player.csv",
        "lost.csv",
    ]
    suite = build(tmp_path, record(data_sources=sources), rooms=tmp_path / "rooms")
    gold = suite.golds["shop_1"]
    assert [(file.path, file.matches) for file in gold.required_files] == [
        ("sales.csv", ("sales.csv",)),
        ("NBA Database/team.csv", ("NBA Database/team.csv",)),
        ("sales.csv", ("sales.csv",)),
        ("sales.csv", ("sales.csv",)),
        ("NBA Database/Player.csv", ("NBA Database/Player.csv",)),
        ("lost.csv", ()),
    ]
    assert gold.required_files_status == "declared"
    assert suite.info.rooms["shop"].files == 3
    assert suite.info.rooms["shop"].writable
    (mount,) = suite.tasks["shop_1"].data
    assert mount.writable


def test_a_domain_may_have_a_folder_of_data_a_task(tmp_path, archive):
    (tmp_path / "rooms").mkdir()
    archive(
        tmp_path / "rooms", {"datasets/loan/loan_7/input.csv": b"a\n", "datasets/loan/other.csv": b""}, "loan.tar.zst"
    )
    suite = build(tmp_path, record(7, domain="loan/loan_7"), record(8, domain="loan/loan_8"), rooms=tmp_path / "rooms")
    assert [entry.path for entry in suite.room_index("loan/loan_7")] == ["input.csv"]
    assert suite.info.rooms["loan/loan_8"].files is None
    assert suite.label("shop_7").domain == "loan"
    assert suite.golds["shop_7"].required_files_status == "unknown"


def test_skills_have_the_categories_of_their_published_types_wherever_the_types_lie(tmp_path):
    elsewhere = published(tmp_path, **TYPES).rename(tmp_path / "types.jsonl")
    assert build(tmp_path, record(), skills=elsewhere).label("shop_1").categories == (
        "Data Format Handling",
        "Data Manipulation",
    )
    published(tmp_path, **TYPES | {"CSV Processing": "Coding"})  # beside the tasks
    assert build(tmp_path, record()).label("shop_1").categories == ("Data Manipulation", "Cross-Stage")
    assert build(tmp_path, record(), skills=elsewhere).label("shop_1").categories[0] == "Data Format Handling"


def test_an_override_goes_before_the_type(tmp_path):
    published(tmp_path, **{"ETL and Data Integration": "System & Pipeline"})
    suite = build(tmp_path, record(skills=["ETL and Data Integration"]))
    assert suite.label("shop_1").categories == ("Data Preprocessing",)


def test_without_published_types_skills_have_no_category_and_that_is_said(tmp_path):
    told = []
    (tmp_path / "tasks.jsonl").write_text(json.dumps(record()))
    request = BuildRequest(out=tmp_path / "suite", sources={"tasks": tmp_path / "tasks.jsonl"}, progress=told.append)
    label = AgenticDataBenchLoader().load(request).label("shop_1")
    assert (label.categories, label.extra["uncategorised_skills"]) == ((), list(TYPES))
    (line,) = [line for line in told if "2 skills are in no category" in line]
    assert "step-clusters.jsonl" in line


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"name": "CSV Processing"}', r"line 1 .name 'CSV Processing'.: type is wrong"),
        ('{"name": "a", "type": "x"}\n{"name": "a", "type": "y"}', r"line 2: skill 'a' has two types"),
        ("[]", "line 1: the record is wrong"),
        ("{", "line 1: not valid JSON"),
    ],
)
def test_types_of_skills_that_cannot_be_read_are_named(tmp_path, text, complaint):
    (tmp_path / "types.jsonl").write_text(text)
    with pytest.raises(InputError, match=complaint):
        build(tmp_path, record(), skills=tmp_path / "types.jsonl")


def test_a_map_of_ones_own_replaces_the_shipped_one_and_unknown_skills_are_reported(tmp_path):
    published(tmp_path, **TYPES)
    own = tmp_path / "own.toml"
    own.write_text('[types]\n"Data Manipulation" = "Joins"\n')
    suite = build(tmp_path, record(), categories=own)
    assert suite.label("shop_1").categories == ("Joins",)
    assert suite.label("shop_1").extra["uncategorised_skills"] == ["CSV Processing"]
    own.write_text('[overrides]\n"CSV Processing" = "Reading"\n')
    assert build(tmp_path, record(), categories=own).label("shop_1").categories == ("Reading",)
    own.write_text("[types]\nx = 5\n")
    with pytest.raises(InputError, match=r"own.toml(.|\n)*types.x"):
        build(tmp_path, record(), categories=own)


def test_an_output_or_gold_that_stands_twice_is_one_file(tmp_path):
    twice = record(
        output_file_name=["output.csv", "output.csv"],
        gold_file_name=["a.csv", "b.csv"],
        eval_func=["compare_csv('output.csv', ['a.csv', 'b.csv'])"],
    )
    suite = build(tmp_path, twice)
    assert [output.name for output in suite.tasks["shop_1"].outputs] == ["output.csv"]
    assert suite.golds["shop_1"].files == ("a.csv", "b.csv")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 1: not valid JSON"),
        ("5", r"line 1: the record is wrong"),
        ("", r"no tasks"),
        (record(question=""), r"line 1 \(id 'shop_1'\): question is wrong"),
        (record(id="../up"), r"id is wrong"),
        (record(domain="../up"), r"domain is wrong"),
        (record(output_file_name=[]), r"output_file_name is wrong"),
        (record(output_file_name=[".."]), r"output_file_name is wrong"),
        (record(output_file_name=["a/"]), r"output_file_name.0 is wrong"),
        (record(gold_file_name=["a", "b"]), r"the record is wrong"),
        (record(gold_file_name=[None]), r"gold_file_name.0 is wrong"),
        (record(eval_func=[None]), r"eval_func.0 is wrong"),
        (record(eval_func=[]), r"eval_func is wrong"),
        (record(eval_func=["compare_pdf('output.csv', 'result.csv')"]), r"task shop_1: no function 'compare_pdf'"),
        (record(eval_func=["compare_csv('other.csv', 'result.csv')"]), r"task shop_1: .* does not list: other.csv"),
        (record(eval_func=["compare_csv('output.csv', 'other.csv')"]), r"task shop_1: .* does not list: other.csv"),
        (record(post_process_func=["blur('output.csv')"]), r"task shop_1: no post-processing 'blur'"),
        (record(post_process_func=5), r"post_process_func is wrong"),
        (record(question="\ud800"), r"question is wrong"),
        (record(skills="CSV"), r"skills is wrong"),
    ],
)
def test_a_hostile_record_names_line_task_and_field_and_leaves_nothing(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        build(tmp_path, line)
    assert not (tmp_path / "suite").exists()


def test_a_task_that_stands_twice_is_refused(tmp_path):
    with pytest.raises(SuiteError, match=r"line 2: task shop_1 stands twice"):
        build(tmp_path, record(), record())


def test_sources_and_releases_that_cannot_be_had_are_refused(tmp_path):
    loader = AgenticDataBenchLoader()
    with pytest.raises(SuiteError, match="built from its tasks"):
        loader.load(BuildRequest(out=tmp_path / "s"))
    with pytest.raises(SuiteError, match="no source 'data'"):
        loader.load(BuildRequest(out=tmp_path / "s", sources={"data": tmp_path}))
    with pytest.raises(SuiteError, match="unknown release"):
        loader.load(BuildRequest(out=tmp_path / "s", sources={"tasks": tmp_path}, release="2026-04-11"))
    with pytest.raises(SuiteError, match="no such folder of golds"):
        build(tmp_path, record(), gold=tmp_path / "tasks.jsonl")
    (tmp_path / "rooms").mkdir()
    with pytest.raises(SuiteError, match="holds no domain's data"):
        build(tmp_path, record(), rooms=tmp_path / "rooms")
