import time

import pytest

from benchwright.reading.other_languages import files_of


def read(code, language, **known):
    found = files_of(code, language, known)
    return [(file.path, file.sure) for file in found.read], found.unresolved


@pytest.mark.parametrize(
    ("language", "code", "files", "unresolved"),
    [
        ("r", "d <- read.csv('/d/a.csv')  # read.csv('/d/no.csv')", [("/d/a.csv", True)], 0),
        ("r", 'library(readr)\nd <- readr::read_csv(file = "/d/a.csv", n_max = 5)', [("/d/a.csv", True)], 0),
        ("r", 'p <- "/d"\nx <- readxl::read_excel(file.path(p, "b", "x.xlsx"), sheet = 2)', [("/d/b/x.xlsx", True)], 0),
        ("r", 'read.csv(paste0("/d/", "a", ".csv"))\nfread(x)', [("/d/a.csv", True)], 1),
        ("r", 'con <- dbConnect(RSQLite::SQLite(), "/d/x.db")', [("/d/x.db", True)], 0),
        ("r", "if (TRUE) d <- read.csv('/d/a.csv')", [("/d/a.csv", False)], 0),
        (
            "r",
            "f <- function(x) {\n read.csv('/d/a.csv')\n}\nreadRDS('/d/b.rds')",
            [("/d/a.csv", False), ("/d/b.rds", True)],
            0,
        ),
        ("r", "f <- file('/d/a.csv', 'w')\nwriteLines('x', f)", [], 0),
        ("r", "p <- '/d/a.csv'\np <- '/d/b.csv'\nread.csv(p)", [], 1),
        (
            "javascript",
            "const fs = require('fs');\nconst t = fs.readFileSync('/d/a.csv', 'utf8');",
            [("/d/a.csv", True)],
            0,
        ),
        ("javascript", "const d = require('/d/a.json'); // fs.readFileSync('/d/no')", [("/d/a.json", True)], 0),
        (
            "javascript",
            "const dir = '/d';\nJSON.parse(fs.readFileSync(path.join(dir, 'a.json')));\nfs.readFileSync(`${dir}/b.csv`);",
            [("/d/a.json", True), ("/d/b.csv", True)],
            0,
        ),
        ("javascript", "fs.readFileSync(base + '/a.csv')", [("/k/a.csv", True)], 0),
        ("javascript", "for (const f of fs.readdirSync('/d')) { fs.readFileSync('/d/' + f); }", [], 1),
        (
            "javascript",
            "async function main() { await fs.promises.readFile('/d/a.csv'); }\nmain();",
            [("/d/a.csv", False)],
            0,
        ),
        ("julia", 'using CSV\np = "/d"\nd = CSV.read("$p/a.csv", DataFrame)', [("/d/a.csv", True)], 0),
        (
            "julia",
            'for i in 1:2\n CSV.File("/d/a.csv")\nend\nopen("/d/b.txt")',
            [("/d/a.csv", False), ("/d/b.txt", True)],
            0,
        ),
        ("julia", 'open("/d/a.csv", "w")', [], 0),
        ("ruby", "CSV.foreach('/d/a.csv') do |row|\nend", [("/d/a.csv", True)], 0),
    ],
)
def test_files_that_a_program_names(language, code, files, unresolved):
    assert read(code, language, base="/k") == (files, unresolved)


def test_a_program_moves_and_writes():
    found = files_of(
        "setwd('/d')\nd <- read.csv('a.csv')\nwriteLines('5', 'result.txt')\nwrite.csv(d, 'out.csv')", "r", {}
    )
    assert [(file.folder, file.path) for file in found.read] == [("/d", "a.csv")]
    assert [(file.path, file.text) for file in found.written] == [("result.txt", "5"), ("out.csv", None)]
    (told,) = files_of("fs.writeFileSync('result.txt', '5\\n')", "javascript", {}).written
    assert told.text == "5\n"


@pytest.mark.parametrize(
    "code", ["'\\" * 40_000, "read.csv(" * 10_000, "x <- " * 20_000, "f(" * 49_000, "if " * 30_000, "`" * 90_000]
)
@pytest.mark.parametrize("language", ["r", "javascript"])
def test_no_program_takes_long(code, language):
    began = time.process_time()
    files_of(f"{code}\nread.csv('a')", language, {})
    assert time.process_time() - began < 5


def test_a_program_that_is_too_long_is_not_looked_at():
    assert files_of("read.csv('/d/a.csv')\n" * 10_000, "r", {}).unresolved == 1
