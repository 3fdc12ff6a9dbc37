"""Uploads that were answered are there, whatever happens to the server: many at once, killed, started again."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPException
from io import BytesIO

import psutil
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, func, select, text, update
from tests.leaderboard.given import program, served, settled, submission

from benchwright.errors import InputError
from benchwright.leaderboard import queue
from benchwright.leaderboard.accounts import add_account, by_token
from benchwright.leaderboard.audit import broken_at, lines
from benchwright.leaderboard.database import MIGRATIONS, Database
from benchwright.leaderboard.limits import Limits, TooMany
from benchwright.leaderboard.models import AuditLine, Entry
from benchwright.leaderboard.store import Kept, Store

MANY = 200
FREE = ("--per-day", "9999", "--in-all", "9999", "--at-once", "999")
DEFAULT = Limits()
CLAIM = json.dumps({"method": "m", "model": "x", "ea_full": 0.3}).encode()
"""Refused as soon as a worker looks at it, so that two hundred of them are settled in seconds."""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    """The address of a database; empty: SQLite in the store."""
    if request.param == "sqlite":
        return ""
    return request.getfixturevalue("postgresql").database(f"lost_{time.monotonic_ns()}")


def kept(number, content=""):
    """An upload as if it were on disk; its content is its own, unless another is named."""
    return Kept(f"{number:022}", 1, "0" * 64, {"submission": content or f"{number:064}"})


def upgraded(connection, version):
    """Bring a database as far as a version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, version)


def uploading(server, token, count, accepted):
    """Threads that upload at the same time; ids that were answered go into `accepted`."""
    together = threading.Barrier(count)

    def one():
        together.wait()
        try:
            status, _, body = server.upload(token, CLAIM)
        except (OSError, HTTPException):  # the server was killed, before it answered or in the middle
            return
        if status == 202:
            accepted.append(json.loads(body)["id"])

    threads = [threading.Thread(target=one) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


@pytest.mark.chaos
def test_uploads_at_once_and_a_server_killed_among_them_lose_nothing(suite, tmp_path, url):
    store, accepted = tmp_path / "store", []
    with program(suite, store, *FREE, url=url) as (process, server):
        token = server.token()
        threads = uploading(server, token, MANY, accepted)
        while len(accepted) < MANY // 2:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        for thread in threads:
            thread.join()
    before = len(accepted)
    assert before >= MANY // 2
    with program(suite, store, *FREE, url=url) as (_, server):
        for thread in uploading(server, token, MANY, accepted):
            thread.join()
        assert len(accepted) == before + MANY
        with Database(server.url) as database:
            _wait_until_settled(database)
            with database.reading() as session:
                found = set(session.scalars(select(Entry.id)))
                statuses = Counter(session.scalars(select(Entry.status)))
                told = lines(session)
    assert set(accepted) <= found
    assert statuses == {"refused": len(found)}
    assert {path.name for path in (store / "entries").iterdir()} == found
    assert broken_at(told) is None
    assert [line.did for line in told].count("refused") == len(found)  # each was settled once


def _wait_until_settled(database):
    end = time.monotonic() + 120
    waiting = select(func.count()).select_from(Entry).where(Entry.status.in_(("queued", "scoring")))
    while time.monotonic() < end:
        with database.reading() as session:
            if session.scalar(waiting) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("some still wait")


@pytest.mark.chaos
def test_a_server_killed_while_it_scores_scores_again_when_it_is_back(suite, tmp_path):
    store = tmp_path / "store"
    content = submission(suite, tmp_path / "made", 7).read_bytes()

    def kill(worker):
        process.kill()
        process.wait()
        with suppress(psutil.NoSuchProcess):  # it ends with its server, but might be done with its work before
            worker.kill()
            worker.wait()

    with program(suite, store, *FREE) as (process, server), Database(server.url) as database:
        token = server.token()
        entry = _caught(database, lambda: server.upload(token, content), _worker(process), kill)
        assert _status(database, entry) == "scoring"
    with program(suite, store) as (_, server):
        assert settled(server, token, entry)["results"]["full"]["ea"] == 0.7


@pytest.mark.chaos
def test_a_worker_killed_while_it_scores_is_followed_by_one_that_scores_again(suite, tmp_path):
    content = submission(suite, tmp_path / "made", 7).read_bytes()
    with program(suite, tmp_path / "store", *FREE) as (process, server):
        token = server.token()
        with Database(server.url) as database:
            entry = _caught(database, lambda: server.upload(token, content), _worker(process), psutil.Process.kill)
            assert settled(server, token, entry)["results"]["full"]["ea"] == 0.7
            with database.reading() as session:
                assert session.get(Entry, entry).tries == 2
                assert sum(line.what.startswith(entry) for line in lines(session) if line.did == "scored") == 1


def _worker(process):
    """The worker of a server, which it starts at once and the first upload does not wait for."""
    while True:
        for each in psutil.Process(process.pid).children():
            with suppress(psutil.Error):
                if "benchwright.leaderboard.worker" in each.cmdline():
                    return each
        time.sleep(0.01)


def _caught(database, upload, worker, kill):
    """Hand something in and kill what scores it while it does: an entry that is being scored.

    Whoever holds the database for writing keeps the worker from telling that it is done. One that was faster than this
    look at it is not caught, and gets the next one.
    """
    for _ in range(100):
        entry, status = json.loads(upload()[2])["id"], "queued"
        while status == "queued":
            with database.writing() as session:
                status = session.scalar(select(Entry.status).where(Entry.id == entry))
                if status == "scoring":
                    kill(worker)
                    return entry
            time.sleep(0.005)
    raise AssertionError("the worker is too fast for this test")


def _status(database, entry):
    with database.reading() as session:
        return session.scalar(select(Entry.status).where(Entry.id == entry))


class TestQueue:
    @pytest.fixture
    def database(self, tmp_path, url):
        with Database(url or f"sqlite:///{tmp_path}/board.db") as database:
            yield database

    @pytest.fixture
    def account(self, database):
        return by_token(database, add_account(database, "ann"))

    def put(self, database, account, count=1, limits=DEFAULT):
        made = [kept(number) for number in range(count)]
        for each in made:
            queue.accept(database, account, each, limits, anonymous=False)
        return [each.id for each in made]

    def test_each_is_taken_once_by_many_workers(self, database, account):
        put = self.put(database, account, 40, Limits(per_day=99, in_all=99))
        taken = []

        def work():
            misses = 0
            while misses < 20:
                mine = queue.claim(database)
                misses = 0 if mine else misses + 1
                if mine:
                    taken.append(mine.id)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(taken) == put

    def test_a_claim_is_told_before_it_is_written_down(self, database, account):
        """Between the two a worker may be killed: what it took would be nobody's."""
        (entry,) = self.put(database, account)
        told = []
        mine = queue.claim(database, lambda claim: told.append((claim, _status(database, entry))))
        assert told == [(mine.claim, "queued")]
        assert queue.put_back(database, {mine.claim}) == 1

    def test_a_worker_that_was_given_up_cannot_finish(self, database, account):
        self.put(database, account)
        old = queue.claim(database)
        assert queue.put_back(database) == 1
        new = queue.claim(database)
        assert not queue.finish(database, old, queue.Outcome("scored"))
        assert queue.finish(database, new, queue.Outcome("refused", "why"))
        assert not queue.finish(database, new, queue.Outcome("scored"))

    def test_what_no_worker_lives_through_is_given_up_the_third_time(self, database, account):
        (entry,) = self.put(database, account)
        for expected in ("queued", "queued", "failed"):
            queue.put_back(database, {queue.claim(database).claim})
            assert _status(database, entry) == expected

    def test_that_servers_end_is_no_fault_of_a_submission(self, database, account):
        (entry,) = self.put(database, account)
        for _ in range(5):
            assert queue.claim(database) is not None
            queue.put_back(database)
            assert _status(database, entry) == "queued"

    def test_the_same_file_of_one_account_is_one_entry_however_many_at_once(self, database, account):
        first, refused = "f" * 64, []

        def one(number):
            try:
                queue.accept(database, account, kept(number, first), Limits(per_day=99), anonymous=False)
            except queue.HandedInAlready as error:
                refused.append(error.entry)

        threads = [threading.Thread(target=one, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with database.reading() as session:
            (entry,) = session.scalars(select(Entry.id))
        assert refused == [entry] * 7
        other = by_token(database, add_account(database, "bob"))
        queue.accept(database, other, kept(8, first), DEFAULT, anonymous=False)  # of another account it is another

    def test_what_broke_the_scorer_may_come_again(self, database, account):
        queue.accept(database, account, kept(0, "f" * 64), DEFAULT, anonymous=False)
        assert queue.finish(database, queue.claim(database), queue.Outcome("failed"))
        queue.accept(database, account, kept(1, "f" * 64), DEFAULT, anonymous=False)

    def test_a_reason_with_a_nul_is_kept_without_it(self, database, account):
        (entry,) = self.put(database, account)
        assert queue.finish(database, queue.claim(database), queue.Outcome("refused", "no field a\x00b"))
        with database.reading() as session:
            assert session.get(Entry, entry).reason == "no field a\ufffdb"

    def test_what_came_while_the_clock_was_years_ahead_fills_no_day(self, database, account):
        limits = Limits(per_day=2)
        for begin in (0, 2):
            for number in range(begin, begin + 2):
                queue.accept(database, account, kept(number), limits, anonymous=False)
            with pytest.raises(TooMany, match="within a day"):
                queue.accept(database, account, kept(9), limits, anonymous=False)
            with database.writing() as session:
                session.execute(update(Entry).values(received=Entry.received + 10 * 365 * 86_400.0))

    def test_an_account_cannot_hand_in_more_than_it_may_however_many_at_once(self, database, account):
        limits, done = Limits(per_day=3), []

        def one(number):
            with suppress(TooMany):
                queue.accept(database, account, kept(number), limits, anonymous=False)
                done.append(number)

        threads = [threading.Thread(target=one, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(done) == 3

    def test_tables_and_models_agree_and_a_difference_is_seen(self, database):
        assert database.differences() == []
        with database.writing() as session:
            session.execute(text("ALTER TABLE entries ADD COLUMN more INTEGER"))
        assert database.differences() != []

    def test_a_database_of_an_older_version_is_brought_up_to_date_with_what_it_holds(self, tmp_path, url):
        asked = url or f"sqlite:///{tmp_path}/old.db"
        engine = create_engine(asked.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as connection:
            upgraded(connection, "0001")
            connection.execute(text("INSERT INTO accounts VALUES (1, 'ann', 'x', 'y', 0.0, NULL)"))
            columns = (
                "id, account_id, received, status, claim, tries, reason, method, model, organization, date, anonymous"
            )
            more = "'m', 'x', 'o', '', false, 'h', 1, '{}', '{}', '[]', '[]'"
            connection.execute(
                text(
                    f"INSERT INTO entries ({columns}, sha256, bytes, released, exact, notes, trajectories) "
                    f"VALUES ('{'e' * 22}', 1, 1.0, 'scored', '', 0, '', {more})"
                )
            )
        engine.dispose()
        with Database(asked) as database, database.reading() as session:
            assert database.differences() == []
            assert (session.get(Entry, "e" * 22).method, session.get(Entry, "e" * 22).submission) == ("m", "")

    @pytest.mark.parametrize("change", ["UPDATE audit SET who = 'eve'", "DELETE FROM audit"])
    def test_the_audit_log_refuses_to_be_changed(self, database, account, change):
        with pytest.raises(Exception, match="append-only"), database.writing() as session:
            session.execute(text(change))
        with database.reading() as session:
            assert [line.who for line in lines(session)] == ["operator"]

    def test_a_log_that_was_changed_behind_its_triggers_is_seen(self, database, account):
        self.put(database, account, 3)
        with database.reading() as session:
            told = list(lines(session))
        assert broken_at(told) is None
        other = AuditLine(
            **{name: getattr(told[1], name) for name in ("number", "at", "did", "what", "hash")}, who="eve"
        )
        assert broken_at([told[0], other, *told[2:]]) == 2
        assert broken_at([told[0], *told[2:]]) == 2


def test_a_second_server_is_refused_the_database_until_the_first_has_ended(postgresql):
    url, held = postgresql.database("alone"), text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
    with Database(url) as first, Database(url) as second:
        with second.reading() as watching:
            for _ in range(100):  # what was given back is free at once, and not when PostgreSQL gets round to it
                with first.alone():
                    assert watching.scalar(held) == 1
                assert watching.scalar(held) == 0
        with first.alone(), pytest.raises(InputError, match="another leaderboard server"), second.alone(patience=0):
            pass
        with second.alone(patience=0):
            pass


def test_a_database_that_a_killed_server_had_is_had_as_soon_as_postgresql_notices(postgresql):
    url = postgresql.database("killed")
    holding = "from benchwright.leaderboard.database import Database\nimport sys, time\nwith Database(sys.argv[1]) as d, d.alone():\n print(flush=True)\n time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", holding, url], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with Database(url) as database:
            with pytest.raises(InputError, match="another leaderboard server"), database.alone(patience=0.2):
                pass
            killing = threading.Timer(0.5, process.kill)  # while the next one waits already, or before
            killing.start()
            with database.alone(patience=120):
                assert process.wait() == -signal.SIGKILL
            killing.join()


def test_a_server_whose_database_went_away_gives_back_what_it_has_lost(postgresql):
    url = postgresql.database("lost_lock")
    with Database(url) as first, Database(url) as second:
        with first.alone():
            with second.writing() as session:
                session.execute(
                    text(
                        "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks "
                        "WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"
                    )
                )
            with second.alone(patience=0):
                pass
        with second.alone(patience=0):
            pass


def test_a_database_that_goes_away_costs_what_is_asked_meanwhile_alone(suite, tmp_path, postgresql):
    with served(suite, tmp_path / "store", url=postgresql.database("away")) as server:
        token = server.token()
        before = json.loads(server.upload(token, CLAIM)[2])["id"]
        assert settled(server, token, before)["status"] == "refused"
        postgresql.stop()
        status, _, body = server.upload(token, CLAIM)
        assert (status, b"does not answer" in body) == (503, True)
        postgresql.begin()
        after = json.loads(server.upload(token, CLAIM)[2])["id"]
        assert settled(server, token, after)["status"] == "refused"
        assert {path.name for path in (tmp_path / "store" / "entries").iterdir()} == {before, after}


def test_a_server_that_is_interrupted_ends_in_order(suite, tmp_path):
    with program(suite, tmp_path / "store") as (process, server):
        assert server.ask("GET", "/api/board")[0] == 200
        process.send_signal(signal.SIGINT)
        assert (process.stderr.read(), process.wait(120)) == ("", 0)


def test_a_second_server_is_refused_the_store(tmp_path):
    with (
        Store(tmp_path).alone(),
        pytest.raises(InputError, match="another leaderboard server"),
        Store(tmp_path).alone(),
    ):
        pass


def test_uploads_that_were_cut_off_are_tidied_and_others_kept(tmp_path):
    store = Store(tmp_path)
    (tmp_path / "incoming" / "half").mkdir()
    whole = store.keep({"submission": BytesIO(b"content")})
    assert store.tidy({whole.id}) == 1
    assert (store.folder(whole.id) / "submission").read_bytes() == b"content"
    assert store.tidy(set()) == 1
    assert not store.folder(whole.id).exists()
