import pytest

from benchwright.reading.places import Places
from benchwright.reading.shell import Shell

FILES = frozenset(
    {
        "a/source/x.csv",
        "a/source/y.csv",
        "a/source/two words.csv",
        "b/source/x.csv",
        "b/source/z.json",
        "top.csv",
    }
)


def shell(*, indexed=True, start="/w"):
    places = Places({"room": FILES if indexed else None}, {"/data": "room", f"{start}/data": "room"}, {start: "room"})
    return Shell(places, start, start)


def opened(command, **more):
    return [item.spot.path for item in shell(**more).run(command).opened]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("head -2 data/a/source/x.csv", ["a/source/x.csv"]),
        ("cd data/a/source && cat x.csv | wc -l", ["a/source/x.csv"]),
        ("(cd data/a; cat source/y.csv); cat data/top.csv", ["a/source/y.csv", "top.csv"]),
        ("cat 'data/a/source/two words.csv' data/a/source/two\\ words.csv", ["a/source/two words.csv"] * 2),
        ("cat /data/b/source/*.csv", ["b/source/x.csv"]),
        ("cat data/{a,b}/source/x.csv", ["a/source/x.csv", "b/source/x.csv"]),
        ("D=/data/a/source; wc -l $D/x.csv ${D}/y.csv", ["a/source/x.csv", "a/source/y.csv"]),
        ("for d in a b; do head -1 data/$d/source/x.csv; done", ["a/source/x.csv", "b/source/x.csv"]),
        ('for f in /data/b/source/*; do head -1 "$f"; done', ["b/source/x.csv", "b/source/z.json"]),
        ("find /data -name '*.json' | xargs head", ["b/source/z.json"]),
        ("find data -name 'x.csv' -exec wc -l {} \\;", ["a/source/x.csv", "b/source/x.csv"]),
        ("find data -iname '*.JSON' | while read f; do jq . \"$f\"; done", ["b/source/z.json"]),
        ("grep -rn foo /data/b", ["b/source/x.csv", "b/source/z.json"]),
        ("grep -r --include='*.json' foo /data", ["b/source/z.json"]),
        ("grep x.csv data/top.csv", ["top.csv"]),
        ("sed -n '1,5p' data/top.csv; awk -F, '{print $1}' data/b/source/x.csv", ["top.csv", "b/source/x.csv"]),
        ("wc -l < data/top.csv 2>/dev/null", ["top.csv"]),
        ("bash -lc 'cd data && timeout 5 head top.csv'", ["top.csv"]),
        ("duckdb -c \"select count(*) from '/data/top.csv'\"", ["top.csv"]),
        ("x=$(head -1 data/top.csv)", ["top.csv"]),
        ("if [ -f data/top.csv ]; then cat data/top.csv; fi", ["top.csv"]),
        ("cp data/top.csv . && head top.csv", ["top.csv"]),
        ("ls -la data/*; stat data/top.csv; find data -name x.csv; test -f data/top.csv; du data", []),
        ("echo data/top.csv > list.txt; touch data/top.csv", []),
    ],
)
def test_what_a_command_line_reads(command, files):
    assert opened(command) == files


@pytest.mark.parametrize(
    ("tests", "files", "certain"),
    [
        ("-name '*.json'", ["b/source/z.json"], True),
        ("-type f \\( -name '*.json' -o -name top.csv \\) -print0", ["b/source/z.json", "top.csv"], True),
        ("-path '*/b/*' -name '*.json'", ["b/source/z.json"], True),
        ("-ipath '*/B/*'", ["b/source/x.csv", "b/source/z.json"], True),
        ("-maxdepth 1 -name top.csv", ["top.csv"], True),
        ("-maxdepth 1", ["top.csv"], True),
        ("-mindepth 2 -name '*.json'", ["b/source/z.json"], True),
        ("! -name '*.csv'", ["b/source/z.json"], True),
        ("-type f -not -path '*/a/*'", ["b/source/x.csv", "b/source/z.json", "top.csv"], True),
        ("-not -name y.csv -name '*.json'", ["b/source/z.json"], True),
        ("! \\( -name '*.csv' -o -name top.csv \\)", ["b/source/z.json"], True),
        ("-name TOP.csv", [], True),
        ("-iname TOP.csv", ["top.csv"], True),
        ("-type d", [], True),
        ("-type f,l -name '*.json'", ["b/source/z.json"], True),
        ("-size +1k -iname TOP.csv", ["top.csv"], False),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "find /data {} -exec cat {{}} \\;",
        "find -L data {} -exec cat {{}} +",
        "find data {} | xargs cat",
        'find data {} | while read f; do cat "$f"; done',
    ],
)
def test_what_find_lets_through_goes_by_its_tests_and_what_paths_do_not_tell_is_not_certain(
    command, tests, files, certain
):
    found = shell().run(command.format(tests)).opened
    assert {item.spot.path: item.certain for item in found} == dict.fromkeys(files, certain)


def test_the_folder_is_carried_from_one_command_to_the_next():
    one = shell()
    one.run("cd data/a")
    assert [item.spot.path for item in one.run("cat source/x.csv").opened] == ["a/source/x.csv"]


def test_a_shell_that_was_put_back_into_its_first_folder_is_recognised():
    one = shell(indexed=False)
    one.run("cd data/a/source && head x.csv")
    found = one.run("cd ./data/a/source && head y.csv")
    assert [item.spot.path for item in found.opened] == ["a/source/y.csv"]


def test_without_an_index_only_named_files_below_a_root_count():
    assert opened("cd data/a/source && head -n 5 x.csv", indexed=False) == ["a/source/x.csv"]
    assert opened("cat /etc/hosts.csv; cat notes.txt; cat data/run.py", indexed=False) == []
    assert opened("cat /home/me/c_3/full_community/s/source/f.csv", indexed=False) == ["s/source/f.csv"]
    found = shell(indexed=False).run("cat data/*/source/*.csv")
    assert (found.opened, found.unresolved) == ([], 1)


def test_a_root_is_learnt_from_a_path_that_ends_in_a_room_file():
    one = shell()
    one.run("head /mnt/elsewhere/a/source/x.csv")
    assert [item.spot.path for item in one.run("cat /mnt/elsewhere/top.csv").opened] == ["top.csv"]


def test_a_link_to_the_data_is_followed():
    one = shell()
    one.run("ln -s /data d")
    assert [item.spot.path for item in one.run("cat d/top.csv").opened] == ["top.csv"]


def test_programs_are_found_wherever_their_text_stands():
    one = shell()
    one.run("cat > s.py <<'EOF'\nprint('one')\nEOF")
    found = one.run("python3 s.py data/top.csv && python - <<PY\nprint('two')\nPY\npython -c \"print('three')\"")
    assert [run.code for run in found.programs] == ["print('one')\n", "print('two')\n", "print('three')"]
    assert found.programs[0].arguments == ("data/top.csv",)
    assert [run.code for run in one.run("python unknown.py").programs] == [None]


def test_what_is_written_is_known_where_the_command_says_it():
    one = shell()
    one.run("echo 2 > result.txt")
    assert one.files["/w/result.txt"] == "2\n"
    one.run("printf '%s' 38% > result.txt; echo -n more >> result.txt")
    assert one.files["/w/result.txt"] == "38%more"
    one.run("wc -l x > result.txt")
    assert one.files["/w/result.txt"] is None


def test_a_number_before_a_redirection_is_a_descriptor_only_where_it_touches_it():
    one = shell()
    one.run("ls nothing 2> errors.txt; echo 5 > five.txt")
    assert one.files == {"/w/five.txt": "5\n"}


def test_the_one_file_that_is_all_that_is_printed():
    assert shell().run("cd /w && cat result.txt").shows == "/w/result.txt"
    assert shell().run("echo done; cat result.txt").shows == ""
    assert shell().run("cat result.txt | head").shows == ""
    assert shell().run("python x.py 2>&1 | tee /w/result.txt").shows == "/w/result.txt"
    for command in (
        "x | tee result.txt | head",
        "x | tee -a result.txt",
        "x | tee a result.txt",
        "x; y | tee result.txt",
    ):
        assert shell().run(command).shows == ""


@pytest.mark.parametrize(
    "command",
    [
        "a=x;" + "a=$a$a;" * 200 + "cat $a",
        "(" * 5000,
        "$(" * 5000,
        "'" * 9999,
        "`" * 9999,
        "<<EOF\n" * 3000,
        "for i in " + "a " * 3000 + "; do for j in " + "b " * 3000 + "; do cat $i$j; done; done",
        "{a,b}" * 50,
        "cat " + "*a" * 500,
        "if " * 3000,
        "eval " * 200 + "x",
        "cat \\",
        "cat <<",
        "echo ${",
        "for",
        "| | && ; )",
        "x" * (2 << 20),
    ],
)
@pytest.mark.timeout(120)
def test_no_command_line_makes_it_fail_or_hang(command):
    shell().run(command)


@pytest.mark.parametrize("word", ["export", "declare", "readonly", "local"])
def test_a_variable_that_is_declared_is_known(word):
    assert opened(f"{word} D=/data/a/source; cat $D/x.csv") == ["a/source/x.csv"]


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("n=5\ncat > result.txt <<EOF\n$n and ${n}\nEOF", "5 and 5\n"),
        ("n=5\ncat > result.txt <<'EOF'\n$n\nEOF", "$n\n"),
        ("echo 1 > result.txt; sed -i s/1/2/ result.txt", None),
        ("cat > result.txt <<EOF\n\\$5\nEOF", "$5\n"),
    ],
)
def test_what_a_file_holds_is_known_where_the_log_tells(command, text):
    state = shell()
    state.run(command)
    assert state.files["/w/result.txt"] == text


def test_a_file_that_was_removed_is_no_longer_known():
    state = shell()
    state.run("echo 1 > result.txt; rm result.txt")
    assert "/w/result.txt" not in state.files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("find data -name a -prune -o -name 'x.csv' -exec cat {} +", ["b/source/x.csv"]),
        (
            "find data -path data/a -prune -o -type f -print | xargs wc -l",
            ["b/source/x.csv", "b/source/z.json", "top.csv"],
        ),
        ("find data -name '*.json' -exec cat {} \\; -o -name top.csv -exec wc {} \\;", ["b/source/z.json", "top.csv"]),
        ("find data/b data/top.csv -name '*.csv' | sort | xargs -n 1 head", ["b/source/x.csv", "top.csv"]),
        ("D=$(find data -type d -name source | grep b/); head $D/x.csv", ["b/source/x.csv"]),
        ("find data -mindepth 1 -maxdepth 1 -type d -name b | xargs grep -r x", ["b/source/x.csv", "b/source/z.json"]),
        ("printf 'data/top.csv\\n' > l; xargs -a l cat; cat l | xargs -n 1 wc", ["top.csv", "top.csv"]),
        ("sh -c 'cat $1 \"$2\"' _ data/top.csv data/b/source/x.csv", ["top.csv", "b/source/x.csv"]),
        (
            "tar czf x.tgz data/b; tar -cf y.tar data/top.csv; zip -qr z.zip data/b/source",
            ["b/source/x.csv", "b/source/z.json", "top.csv", "b/source/x.csv", "b/source/z.json"],
        ),
        ("for f in $(find data -name x.csv); do head -1 $f; done", ["a/source/x.csv", "b/source/x.csv"]),
        ("while read -r f; do head \"$f\"; done < <(find data -name '*.json')", ["b/source/z.json"]),
        ("while read d; do cat data/$d/source/x.csv; done <<E\na\nb\nE", ["a/source/x.csv", "b/source/x.csv"]),
        ("echo data/top.csv > l; while read f; do cat $f; done < l; cat $(cat l)", ["top.csv", "top.csv"]),
        ("cd data/b/source && ls | grep json | xargs cat", ["b/source/z.json"]),
        ("ls data/b/source | grep -v '\\.json$' | while read f; do cat data/b/source/$f; done", ["b/source/x.csv"]),
        ("F=${1:-data/top.csv}; wc -l $F", ["top.csv"]),
        ('f=(data/top.csv data/b/source/z.json); for x in "${f[@]}"; do cat $x; done', ["top.csv", "b/source/z.json"]),
        ("show() {\n  head -2 data/$1/source/x.csv\n}\nshow a; show b", ["a/source/x.csv", "b/source/x.csv"]),
        ("echo \"select * from 'data/top.csv'\" | duckdb", ["top.csv"]),
        ("sqlite3 :memory: '.mode csv' '.import data/top.csv t' 'select 1'", ["top.csv"]),
        ("sqlite3 <<'E'\nattach database 'data/top.csv' as x;\n.tables\nE", ["top.csv"]),
        ("sqlite3 -cmd '.open data/top.csv' :memory: 'select 1'", ["top.csv"]),
        ("comm <(sort data/top.csv) <(sort data/b/source/x.csv)", ["top.csv", "b/source/x.csv"]),
        ("for n in {a..b}; do head data/$n/source/x.csv; done", ["a/source/x.csv", "b/source/x.csv"]),
        ("rsync -a data/b/ /tmp/b", ["b/source/x.csv", "b/source/z.json"]),
    ],
)
def test_names_of_files_reach_what_reads_them(command, files):
    found = shell().run(command)
    assert ([item.spot.path for item in found.opened], found.unresolved) == (files, 0)
    assert all(item.certain for item in found.opened)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat data/top.csv || cat data/b/source/x.csv", {"top.csv": True, "b/source/x.csv": False}),
        ("cat data/top.csv || true; cat data/b/source/x.csv", {"top.csv": True, "b/source/x.csv": True}),
        (
            "if [ -f data/top.csv ]; then cat data/top.csv; else cat data/b/source/x.csv; fi",
            {"top.csv": True, "b/source/x.csv": False},
        ),
        ("if grep -q x data/top.csv; then cat data/b/source/x.csv; fi", {"top.csv": True, "b/source/x.csv": False}),
        ("case $1 in a) cat data/top.csv;; esac; cat data/b/source/x.csv", {"top.csv": False, "b/source/x.csv": True}),
        ("F=$(find data -name x.csv | head -1); cat $F", {"a/source/x.csv": False, "b/source/x.csv": False}),
        ("F=$(find data -name '*.json' | head -1); cat $F", {"b/source/z.json": True}),
        ("cat $(find data -size +1k -name '*.json')", {"b/source/z.json": False}),
        ("find data -name x.csv | grep -E '(a|b)+' | xargs cat", {"a/source/x.csv": False, "b/source/x.csv": False}),
    ],
)
def test_what_may_not_have_run_or_may_not_be_meant_is_not_certain(command, files):
    assert {item.spot.path: item.certain for item in shell().run(command).opened} == files


@pytest.mark.parametrize(
    "command", ["find data " + "\\( " * 500, "find data -name '" + "*a" * 100 + "' | xargs cat", "f() { f; }; f"]
)
@pytest.mark.timeout(120)
def test_commands_that_nobody_writes_end_soon(command):
    shell().run(command)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("{1..4}", "1 2 3 4"),
        ("{08..11}", "08 09 10 11"),
        ("{3..1}", "3 2 1"),
        ("{1..10..4}", "1 5 9"),
        ("{-1..1}", "-1 0 1"),
        ("x{1..2}{a..b}", "x1a x1b x2a x2b"),
        ("{a..1}", "{a..1}"),
        ("$(seq 3)", "1 2 3"),
        ("$(seq 2 2 6)", "2 4 6"),
        ("$(seq 3 -1 1)", "3 2 1"),
        ("$(seq 2 2)", "2"),
    ],
)
def test_numbers_that_are_told_by_their_ends(words, numbers):
    found = shell()
    found.run(f"for n in {words}; do echo $n >> all; done")
    assert found.files[found.absolute("all")].split() == numbers.split()


@pytest.mark.parametrize("words", ["{1..999999999}", "$(seq 999999999)", "$(seq 1.5 3)", "$(seq 1 0 3)", "$(seq $X)"])
def test_ends_that_are_too_far_apart_or_unknown_take_no_time(words):
    shell().run(f"for n in {words}; do cat data/$n.csv; done")
