"""As much of the Hugging Face hub as takes one data set by push and gives it back, on this machine's loopback."""

import base64
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from urllib.parse import unquote


class Hub(ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.created, self.seen, self.refuses, self.public = {}, {}, [], False, False

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def commit(self):
        return hashlib.sha1(repr(sorted(self.files.items())).encode(), usedforsecurity=False).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.read(body=False)

    def do_GET(self):
        self.read(body=True)

    def read(self, *, body):
        hub, path = self.server, unquote(self.path.partition("?")[0])
        hub.seen.append((self.command, path, self.headers.get("Authorization")))
        if "/resolve/" in path:
            name = path.split("/resolve/")[1].partition("/")[2]
            data = hub.files.get(name)
            if data is None:
                return self.say({}, status=404, body=body)
            tag = f'"{hashlib.sha256(data).hexdigest()}"'
            return self.send(data, {"X-Repo-Commit": hub.commit, "ETag": tag}, body=body)
        if "/tree/" in path:
            return self.say([entry(name, data) for name, data in sorted(hub.files.items())], body=body)
        if path.startswith("/api/datasets/"):
            siblings = [{"rfilename": name} for name in hub.files]
            return self.say(
                {"id": "acme/small", "sha": hub.commit, "siblings": siblings, "private": not hub.public}, body=body
            )
        return self.say({}, status=404, body=body)

    def do_POST(self):
        hub, path = self.server, self.path.partition("?")[0]
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or self.chunks()
        hub.seen.append((self.command, path, self.headers.get("Authorization")))
        if hub.refuses:
            return self.say({"error": "no"}, status=403)
        if path == "/api/repos/create":
            hub.created = json.loads(data)
            return self.say({"url": f"{hub.address}/datasets/acme/small"})
        if path == "/api/validate-yaml":
            return self.say({"errors": [], "warnings": []})
        if "/preupload/" in path:
            files = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                for file in json.loads(data)["files"]
            ]
            return self.say({"files": files})
        for line in map(json.loads, data.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                hub.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] in {"deletedFile", "deletedFolder"}:
                hub.files = {
                    name: kept
                    for name, kept in hub.files.items()
                    if not PurePosixPath(name).is_relative_to(value["path"])
                }
        return self.say(
            {
                "commitUrl": f"{hub.address}/datasets/acme/small/commit/{hub.commit}",
                "commitOid": hub.commit,
                "success": True,
            }
        )

    def chunks(self):
        data = b""
        while size := int(self.rfile.readline() or b"0", 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        return data

    def say(self, document, status=200, *, body=True):
        self.send(json.dumps(document).encode(), {"Content-Type": "application/json"}, status, body=body)

    def send(self, data, headers, status=200, *, body=True):
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)


def entry(name, data):
    return {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha256(data).hexdigest()[:40]}


@contextmanager
def serving():
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
        thread.join()
