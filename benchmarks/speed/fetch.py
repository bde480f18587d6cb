"""How fast `nlmchem fetch pmc` is against a bucket on loopback: articles a second, and its own processor time.

    python -m benchmarks.speed.fetch --articles 2000 --connections 4

The server is a process of its own, which answers from memory. The network of a real bucket adds waiting time, which
more connections hide; the processor time of an article stays.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from corpora.fetching.bucket import Bucket
from corpora.fetching.download import Settings
from corpora.fetching.pmc import Fetch

PAGE = 1000


def serve(number: int, size: int, ports: Any) -> None:
    """Serve `number` articles of `size` bytes, and their listing."""
    objects: dict[str, bytes] = {}
    for id in range(1_000_000, 1_000_000 + number):
        name, text = f"PMC{id}.1", f"<article id='{id}'>".encode().ljust(size, b"x")
        md5 = hashlib.md5(text, usedforsecurity=False).hexdigest()
        facts = {"pmcid": f"PMC{id}", "version": 1, "license_code": "CC BY"}
        facts["xml_url"] = f"s3://bucket/{name}/{name}.xml?md5={md5}"
        objects[f"{name}/{name}.xml"] = text
        objects[f"metadata/{name}.json"] = json.dumps(facts).encode()
    listed = sorted(key for key in objects if key.startswith("metadata/"))

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = urlsplit(self.path)
            content = objects.get(path.path[1:], b"") if path.path != "/" else page(parse_qs(path.query))
            self.send_response(200 if content else 404)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    def page(query: dict[str, list[str]]) -> bytes:
        start = int(query.get("continuation-token", ["0"])[0])
        inner = "".join(
            f"<Contents><Key>{key}</Key><ETag>{hashlib.md5(objects[key]).hexdigest()}</ETag></Contents>"
            for key in listed[start : start + PAGE]
        )
        more = start + PAGE < len(listed)
        token = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{start + PAGE}</NextContinuationToken>"
        return f"<ListBucketResult>{token if more else ''}{inner}</ListBucketResult>".encode()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    ports.put(server.server_port)
    server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=2000)
    parser.add_argument("--size", type=int, default=100_000, help="bytes of an article")
    parser.add_argument("--connections", type=int, default=4)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    ports = context.Queue()
    server = context.Process(target=serve, args=(options.articles, options.size, ports), daemon=True)
    server.start()
    settings = Settings(report=lambda sentence: print(sentence, file=sys.stderr))
    try:
        with tempfile.TemporaryDirectory() as out:
            bucket = Bucket(f"http://127.0.0.1:{ports.get()}", settings)
            for name in ("fetched", "unchanged"):
                begun, processor = time.perf_counter(), time.process_time()
                counts = Fetch(bucket, Path(out), options.connections).all(None).counts
                seconds, used = time.perf_counter() - begun, time.process_time() - processor
                assert counts[name] == options.articles, counts
                print(
                    f"{name}: {options.articles / seconds:.0f} articles/s elapsed, "
                    f"{1e3 * used / options.articles:.2f} ms of processor time each, {options.connections} connections"
                )
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
