import asyncio
import json
import sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pytest

from benchwright.errors import Broken, InputError
from benchwright.skills.embedding import KeptVectors, embedder_named
from benchwright.skills.embedding.endpoint import EndpointEmbedder


class Counting:
    """Embeds a text as its length and the number of its spaces, and counts the texts."""

    def __init__(self, name="counting", rows=lambda texts: [[len(text), text.count(" ") + 1.0] for text in texts]):
        self.name, self.rows, self.asked = name, rows, []

    async def embed(self, texts):
        self.asked += texts
        return self.rows(texts)


def vectors(path, embedder, texts):
    with KeptVectors(path) as kept:
        return asyncio.run(kept.of(embedder, texts))


def test_the_offline_embedder_knows_what_is_near_without_a_network(tmp_path):
    near, same, far = vectors(
        tmp_path / "v.sqlite",
        embedder_named("offline"),
        ["filling missing values", "imputing missing data", "bar charts"],
    )
    assert near.shape == (256,)
    assert near @ same > near @ far
    assert np.allclose(np.linalg.norm([near, same, far], axis=1), 1, atol=1e-5)


def test_the_offline_embedder_takes_any_text():
    found = asyncio.run(embedder_named("offline").embed(["", "\x00", "日本 🤷", "a" * 50_000]))
    assert len(found) == 4
    assert np.isfinite(found).all()


def test_no_text_is_embedded_twice_and_other_embedders_have_their_own_vectors(tmp_path):
    first, other = Counting(), Counting("other")
    for _ in range(2):
        found = vectors(tmp_path / "v.sqlite", first, ["a b", "c", "a b"])
        assert (found[0] == found[2]).all()
    assert first.asked == ["a b", "c"]
    vectors(tmp_path / "v.sqlite", first, ["c", "d"])
    vectors(tmp_path / "v.sqlite", other, ["c"])
    assert first.asked == ["a b", "c", "d"]
    assert other.asked == ["c"]


def test_what_was_embedded_before_a_failure_is_kept(tmp_path):
    def rows(texts):
        if "t256" in texts:
            raise RuntimeError("no more vectors")
        return [[1.0, 2.0]] * len(texts)

    with pytest.raises(RuntimeError, match="no more vectors"):
        vectors(tmp_path / "v.sqlite", Counting(rows=rows), [f"t{number}" for number in range(300)])
    kept = sqlite3.connect(tmp_path / "v.sqlite")
    assert kept.execute("SELECT count(*) FROM vectors").fetchone() == (256,)
    kept.close()


@pytest.mark.parametrize(
    "rows",
    [
        lambda texts: [[1.0]],
        lambda texts: [[float("nan"), 1.0]] * len(texts),
        lambda texts: [[1.0] * (place + 1) for place in range(len(texts))],
        lambda texts: [[[1.0]], [[2.0]]],
    ],
)
def test_what_is_no_vector_for_each_text_is_the_models_fault(tmp_path, rows):
    with pytest.raises(Broken, match="counting gave"):
        vectors(tmp_path / "v.sqlite", Counting(rows=rows), ["a", "b"])


def test_no_texts_are_no_vectors(tmp_path):
    assert vectors(tmp_path / "v.sqlite", Counting(), []).shape == (0, 0)


@pytest.fixture
def endpoint():
    """A server that answers with what a test says, one answer after another, and remembers what it was asked."""
    answers, asked = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers.get("Authorization"), json.loads(body)))
            status, document = answers.pop(0)
            data = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/", answers, asked
    server.shutdown()
    thread.join()
    server.server_close()


def embedded(url, texts=("a", "b")):
    return asyncio.run(EndpointEmbedder("m", url, "secret", pause=0.0).embed(texts))


def test_an_endpoint_is_asked_again_after_a_bad_moment_and_its_order_does_not_matter(endpoint):
    url, answers, asked = endpoint
    data = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    answers += [(503, {}), (429, {}), (200, {"data": data})]
    assert embedded(url) == [[1, 0], [0, 1]]
    assert asked[-1] == ("/v1/embeddings", "Bearer secret", {"model": "m", "input": ["a", "b"]})
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {"error": "no key"}), "HTTP 401"),
        ((200, b"<html>"), "did not answer with JSON"),
        ((200, {"data": [{"index": 0, "embedding": [1]}]}), "did not answer with vectors"),
        ((200, {"data": [{"index": 0, "embedding": "x"}]}), "did not answer with vectors"),
        ((200, []), "did not answer with vectors"),
    ],
)
def test_an_endpoint_that_gives_no_vectors_is_the_models_fault_and_no_key_is_told(endpoint, answer, message):
    url, answers, asked = endpoint
    answers.append(answer)
    with pytest.raises(Broken, match=message) as error:
        embedded(url)
    assert len(asked) == 1
    assert "secret" not in str(error.value)


def test_an_unknown_embedder_is_refused():
    with pytest.raises(InputError, match="no such embedder"):
        embedder_named("word2vec")
