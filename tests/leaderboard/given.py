"""A suite to hand in for, submissions over it, and servers of it."""

import http.client
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import uvicorn

from benchwright.gold import Gold, RequiredFile
from benchwright.labels import Labels
from benchwright.leaderboard.accounts import add_account
from benchwright.leaderboard.database import Database
from benchwright.leaderboard.limits import Limits
from benchwright.leaderboard.ranking import ORDER
from benchwright.leaderboard.serving import Plan, configured, opened
from benchwright.publishing.submission import About, make, write
from benchwright.run import Attempt, Cell, RunFolder, RunSpec
from benchwright.scoring import keep_scores, score_run
from benchwright.suite import RoomInfo, Suite, SuiteInfo
from benchwright.task import DataMount, Task
from benchwright.trajectory import Answered, FileAccess, Measured
from benchwright.viewer.serving import Place, listening

CANARY = "gold-canary-7f3a"
TASKS = 10


def board_suite(folder):
    """Ten tasks with a gold that is a canary, of which four are hard."""
    room = folder / "data" / "room"
    room.mkdir(parents=True)
    (room / "sales.csv").write_text("a,b\n1,2\n")
    names = [f"task-{number}" for number in range(TASKS)]
    tasks = [Task(id=name, question=f"What is {name}?", data=(DataMount(room="room"),)) for name in names]
    required = (RequiredFile(path="sales.csv", room="room", matches=("sales.csv",)),)
    golds = [
        Gold(task_id=name, answer=f"{CANARY}-{name}", required_files=required, required_files_status="declared")
        for name in names
    ]
    labels = [
        Labels(task_id=name, domain="trade", subsets=("hard",) if number < 4 else ())
        for number, name in enumerate(names)
    ]
    info = SuiteInfo(name="board", title="A board", rooms={"room": RoomInfo.of(room)})
    return Suite.write(folder, info, tasks, labels, golds)


def run_with(suite, folder, right, agent="agent"):
    """A run in which the first `right` tasks are answered as the gold has it."""
    cell = Cell(agent=agent, model="maker/model", suite_digest=suite.digest)
    spec = RunSpec(suite=suite.name, suite_folder=str(suite.folder), suite_digest=suite.digest, cells=(cell,))
    run = RunFolder.create(folder, spec)
    run.append("session", number=1, pid=1, pending=3, spec=spec.to_json())
    for number, task in enumerate(suite.tasks):
        answer = f"{CANARY}-{task}" if number < right else f"wrong {number}"
        seen = Measured(tracer="fanotify", files=(FileAccess(path="sales.csv", room="room"),) if number % 2 else ())
        attempt = Attempt(
            cell=cell.id,
            task_id=task,
            epoch=1,
            uuid=f"u{number}",
            ending=Answered(),
            answer=answer,
            accesses=seen,
            started="2026-06-01T00:00:00",
        )
        run.append("attempt", attempt=attempt.to_json())
    run.append("end", stopped="")
    run.write_attempts()
    keep_scores(score_run(suite, run), run)
    return run


def submission(suite, folder, right, **about):
    """The submission of such a run, as a zip archive."""
    run = run_with(suite, folder / "run", right)
    path = folder / "submission.zip"
    write(make(suite, [run], about=About(**about)), path)
    return path


ROOMY = Limits(per_day=10_000, at_once=1_000, in_all=10_000, requests=100_000, free_bytes=0)


@contextmanager
def served(suite, store, limits=ROOMY, url="", workers=1, public_url="", protocol=None, order=ORDER, proxies=""):
    """A server in a thread: its address and its database."""
    place = Place(port=0)
    with listening(place) as listener:
        port = listener.getsockname()[1]
        plan = Plan(suite, store, place, url=url, limits=limits, workers=workers, public_url=public_url, order=order)
        with opened(plan, port) as app:
            config = configured(app, proxies)
            config.http = protocol or config.http
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            try:
                while not server.started:
                    assert thread.is_alive()
                    time.sleep(0.01)
                yield Served(port, url or f"sqlite:///{store.absolute() / 'leaderboard.db'}")
            finally:
                server.should_exit = True
                thread.join()


class Served:
    """A server to ask."""

    def __init__(self, port, url):
        self.port, self.url = port, url
        self.address = f"http://127.0.0.1:{port}"

    def token(self, name="ann"):
        with Database(self.url) as database:
            return add_account(database, name)

    def connection(self):
        """A bare connection, which waits for an answer for a while."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=100)

    def ask(self, method, path, body=b"", headers=(), token=""):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=200)
        try:
            given = {**dict(headers), **({"Authorization": f"Bearer {token}"} if token else {})}
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def upload(
        self,
        token,
        content,
        *,
        trajectories=None,
        anonymous="",
        path="/api/submissions",
        headers=(),
        csrf="",
        same=False,
    ):
        """Hand something in; as a file that did not come yet, unless the `same` is to come again."""
        kind, body = multipart(content if same else unlike(content), trajectories, anonymous, csrf)
        return self.ask("POST", path, body, {**dict(headers), "Content-Type": kind}, token)

    def browser(self, token):
        """The cookie and the csrf of a browser that signs in."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.address}
        status, told, _ = self.ask("POST", "/sign-in", urlencode({"token": token}).encode(), headers)
        assert status == 303
        cookie = told["set-cookie"].partition(";")[0]
        _, _, page = self.ask("GET", "/submit", headers={"Cookie": cookie})
        return cookie, page.decode().partition('name="csrf" value="')[2][:64]


_UPLOADS = itertools.count()


def unlike(content):
    """The same content in other bytes each time: with blanks after it, which neither JSON nor zip minds."""
    return content + f"{next(_UPLOADS):020b}".translate({48: " ", 49: "\t"}).encode()


def multipart(content, trajectories=None, anonymous="", csrf=""):
    """A form with files: its content type and its bytes."""
    parts = [
        (f'name="submission"; filename="../../{"x" * 10}.zip"', content),
        *([('name="trajectories"; filename="t.tar.gz"', trajectories)] if trajectories is not None else []),
        *([('name="anonymous"', anonymous.encode())] if anonymous else []),
        *([('name="csrf"', csrf.encode())] if csrf else []),
    ]
    body = b"".join(
        b"--lantern\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % (head.encode(), data) for head, data in parts
    )
    return "multipart/form-data; boundary=lantern", body + b"--lantern--\r\n"


def settled(server, token, entry, seconds=200.0):
    """What became of an entry, when it is no longer waiting."""
    import json

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _, _, body = server.ask("GET", f"/api/submissions/{entry}", token=token)
        told = json.loads(body)
        if told["status"] not in ("queued", "scoring"):
            return told
        time.sleep(0.1)
    raise AssertionError(f"still waiting: {told}")


def until(condition):
    """Wait for it; what a server meanwhile refuses to answer counts as not yet."""
    end = time.monotonic() + 200
    while time.monotonic() < end:
        with suppress(OSError, http.client.HTTPException):
            if condition():
                return
        time.sleep(0.02)
    raise AssertionError("it never came")


def _run(command):
    subprocess.run(command, check=True, capture_output=True, cwd="/")


class PostgreSQL:
    """A server of its own in a temporary folder, reached by a socket of the file system alone."""

    def __init__(self, folder: Path):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
        self.programs = found[-1].parent if found else None
        self.folder = folder

    def start(self):
        data = self.folder / "data"
        run = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        if run:
            shutil.chown(self.folder, "nobody")
        _run([*run, self.programs / "initdb", "-D", data, "-U", "board", "-A", "trust", "-N"])
        options = f"-c listen_addresses= -k {self.folder} -c fsync=off -c max_connections=100"
        control = [*run, self.programs / "pg_ctl", "-D", data, "-w", "-l", self.folder / "log"]
        self.begin = lambda: _run([*control, "-o", options, "start"])
        self.begin()
        self.stop = lambda: _run([*control, "-m", "immediate", "stop"])

    def database(self, name):
        """A new database: its address."""
        import psycopg

        with psycopg.connect(f"host={self.folder} user=board dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://board@/{name}?host={self.folder}"


@contextmanager
def program(suite, store, *more, url=""):
    """The command itself: a process, its address, and what ends it."""
    environment = {**os.environ, **({"BENCHWRIGHT_DATABASE": url} if url else {})}
    command = [sys.executable, "-c", "from benchwright.cli import main; main()", "leaderboard", "serve"]
    process = subprocess.Popen(
        [*command, str(suite.folder), "--store", str(store), "--port", "0", *more],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        told = process.stderr.readline()
        assert told.startswith("open http"), told + process.stderr.read()
        port = int(told.rstrip("/\n").rpartition(":")[2])
        yield process, Served(port, url or f"sqlite:///{store.absolute() / 'leaderboard.db'}")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
