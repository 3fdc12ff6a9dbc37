"""The privacy lint finds what is valid, and leaves numbers alone that only look alike."""

import gzip
import random
import sqlite3
import zipfile

import pytest

from benchwright.gold import Gold
from benchwright.proving.privacy import PrivacyOptions, scan_suite
from benchwright.proving.privacy.detectors import DETECTORS, Candidates, masked, matches, possible
from benchwright.proving.privacy.texts import Extent, lines
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task

VALID = [
    ("write to jane.doe@uni-west.edu today", "email"),
    ("call (212) 664-7665 after six", "phone"),
    ("212-664-7665", "phone"),
    ("tel: +49 30 901820-11", "phone"),
    ("+86 138 0013 8000", "phone"),
    ("ssn 219-45-8123", "us-ssn"),
    ("DE89 3704 0044 0532 0130 00", "iban"),
    ("pay to GB82WEST12345698765432 now", "iban"),
    ("4111 1111 1111 1111", "payment-card"),
    ("3782-822463-10005", "payment-card"),
    ("AB 12 34 56 C", "uk-national-insurance"),
    ("aws_key = AKIA" + "Q3ZR7JD2WLM5XK9T", "key"),
    ("token ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2, "key"),
    ("OPENAI sk-proj-" + "T3BlbkFJq8Zw1nVx5Rk2", "key"),
    ("-----BEGIN OPENSSH " + "PRIVATE KEY-----", "private-key"),
    ("Bearer eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0NTY3" + ".SflKxwRJSMeKKF2QT4", "token"),
    ("postgres://admin:" + "hunter2wq@db.intern.net/x", "password"),
]
BY_SHARE = [
    (["11010519491231002X"], "cn-resident-id"),
    (["4111111111111111", "5500005555555559", "4012888888881881", "6011111111111117"], "payment-card"),
    (["2341 2341 2346", "4991 1866 5246", "9999 4105 7058"], "in-aadhaar"),
]


def _candidates(kind, texts):
    detector = next(one for one in DETECTORS if one.kind == kind and one.share is not None)
    counted = Candidates(detector)
    for text in texts:
        counted.add(f"x,{text},y")
    return counted


HARMLESS = [
    "risk-adjusted-mortality-of-all-wards",
    "sk-" + "x" * 30,
    "https://your-name:your-password@example.org/",
    "https://example.org:8080/a@b",
    "jane@example.com",
    "logo@2x.png",
    "info@harbour-museum.org",
    "@pandas.api.extensions",
    "000-12-3456",
    "666-45-8123",
    "900-45-8123",
    "078-05-1120",
    "219-00-8123",
    "212-164-7665",
    "(111) 664-7665",
    "212-555-0142",
    "1-800-664-7665",
    "DE89 3704 0044 0532 0130 01",
    "4111 1111 1111 1112",
    "2020-01-15, 2021-12-31",
    "1234.5678, 9012.3456, -17.25",
    "3.141592653589793",
    "1,234,567,890",
    "192.168.10.12",
    "ISBN 978-3-16-148410-0",
    "10.1000/182.555-1234",
    "51.5074 -0.1278",
    "GX 12 34 56 CD",
]


@pytest.mark.parametrize(("text", "kind"), VALID)
def test_valid_personal_data_are_found(text, kind):
    assert [match.kind for match in matches(text)] == [kind]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_personal_data_is_left_alone(text):
    assert [match.text for match in matches(text)] == []


@pytest.mark.parametrize(("text", "kind"), VALID)
def test_the_quick_look_never_hides_a_match(text, kind):
    assert kind in {detector.kind for detector in possible(text)}


@pytest.mark.parametrize(("texts", "kind"), BY_SHARE)
def test_numbers_that_all_pass_their_check_are_found(texts, kind):
    assert _candidates(kind, texts).alarming


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("payment-card", 4 * 10**15, 5 * 10**15), ("cn-resident-id", 10**17, 8 * 10**17)],
)
def test_random_long_numbers_of_which_some_pass_are_not(kind, low, high):
    rng = random.Random(5)
    counted = _candidates(kind, [str(rng.randrange(low, high)) for _ in range(5000)])
    assert counted.valid > 0
    assert not counted.alarming


def test_random_numeric_tables_raise_no_alarm():
    rng = random.Random(11)
    rows = [
        f"{rng.random():.9f},{rng.randrange(10**11)},{rng.gauss(0, 1e6):.4f},{rng.randrange(1900, 2030)}-{rng.randrange(1, 13):02d}-"
        f"{rng.randrange(1, 29):02d},{rng.randrange(10**17, 10**18)},{rng.randrange(10**12, 10**13)}"
        for _ in range(20_000)
    ]
    assert [match.text for row in rows for match in matches(row)] == []


@pytest.mark.parametrize("text", ["110105194912310021", "110105194913310026", "990105194912310021"])
def test_a_resident_number_with_a_wrong_digit_date_or_province_is_none(text):
    assert _candidates("cn-resident-id", [text]).valid == 0


def test_evidence_masks_what_was_found():
    assert masked("jane.doe@uni-west.edu") == "j***@uni-west.edu"
    assert masked("219-45-8123") == "21*******23"


SECRET = "ssn,219-45-8123"


def _sqlite(path):
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE people (note TEXT)")
    base.execute("INSERT INTO people VALUES (?)", (SECRET,))
    base.commit()
    base.close()


def _parquet(path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"value": [1.5, 2.5], "note": ["none", SECRET]}), path)


def _xlsx(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst><si><t>{SECRET}</t></si></sst>")


WRITERS = {
    "notes.csv": lambda path: path.write_text(f"a,b\n{SECRET}\n"),
    "notes.csv.gz": lambda path: path.write_bytes(gzip.compress(SECRET.encode())),
    "notes.json": lambda path: path.write_text(f'{{"note": "{SECRET}"}}'),
    "notes.sqlite": _sqlite,
    "notes.parquet": _parquet,
    "notes.xlsx": _xlsx,
}


def _suite(folder, question="How many rows?", answer="1"):
    return Suite.write(
        folder,
        SuiteInfo(name="private", rooms={"room": RoomInfo()}),
        [Task(id="a", question=question, data=(DataMount(room="room"),))],
        (),
        [Gold(task_id="a", answer=answer)],
    )


@pytest.mark.parametrize("name", WRITERS)
def test_personal_data_are_found_in_every_format(name, tmp_path):
    (tmp_path / "data/room").mkdir(parents=True)
    WRITERS[name](tmp_path / "data/room" / name)
    found = scan_suite(_suite(tmp_path))
    assert [(finding.rule, name in finding.evidence) for finding in found] == [("privacy-us-ssn", True)]
    assert "219-45-8123" not in found[0].evidence


def test_a_file_without_personal_data_is_clean_in_every_format(tmp_path, monkeypatch):
    (tmp_path / "data/room").mkdir(parents=True)
    monkeypatch.setitem(globals(), "SECRET", "ssn,000-00-0000")
    for name, write in WRITERS.items():
        write(tmp_path / "data/room" / name)
    assert scan_suite(_suite(tmp_path)) == ()


def test_tasks_and_golds_are_read_and_data_only_where_asked(tmp_path):
    (tmp_path / "data/room").mkdir(parents=True)
    (tmp_path / "data/room/notes.csv").write_text(SECRET)
    suite = _suite(tmp_path, "Who is jane.doe@uni-west.edu?", "219-45-8123")
    assert {finding.task_id for finding in scan_suite(suite)} == {"a", ""}
    found = scan_suite(suite, PrivacyOptions(data=False))
    assert [(finding.task_id, finding.rule) for finding in found] == [("a", "privacy-email"), ("a", "privacy-us-ssn")]


def test_large_files_are_sampled_over_their_whole_length_and_that_is_said(tmp_path):
    path = tmp_path / "data/room/big.csv"
    path.parent.mkdir(parents=True)
    path.write_text("1,2,3\n" * 40_000 + f"{SECRET}\n" + "1,2,3\n" * 100)
    found = scan_suite(_suite(tmp_path), PrivacyOptions(file_bytes=50_000))
    assert {finding.rule for finding in found} == {"privacy-us-ssn", "privacy-sampled"}
    extent = Extent()
    assert sum(len(line.text) for line in lines(path, 50_000, extent)) < 60_000
    assert not extent.complete


@pytest.mark.parametrize("name", ["broken.parquet", "broken.sqlite", "broken.xlsx", "broken.csv.gz", "noise.bin"])
def test_files_that_cannot_be_read_are_named_and_stop_nothing(name, tmp_path):
    room = tmp_path / "data/room"
    room.mkdir(parents=True)
    (room / name).write_bytes(b"\x00\x01 not what it says")
    (room / "notes.csv").write_text(SECRET)
    found = {finding.rule: finding.evidence for finding in scan_suite(_suite(tmp_path))}
    assert set(found) == {"privacy-us-ssn", "privacy-sampled"}
    assert name in found["privacy-sampled"]


def test_real_measurement_tables_raise_no_alarm(shared, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "room").symlink_to(shared / "data/dsbc", target_is_directory=True)
    assert [finding for finding in scan_suite(_suite(tmp_path)) if finding.alarming] == []


def test_every_detector_has_a_valid_sample_here():
    assert {detector.kind for detector in DETECTORS} == {kind for _, kind in (*VALID, *BY_SHARE)}
