"""A bucket on loopback that answers as Amazon S3 does, with articles of `pmc_articles`, and lies on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from loopback_site import Request

NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
Lie = Callable[[Request, str], bool]
"""Answers a request with a path in a wrong way; False: it is answered as usual."""


@dataclass
class LoopbackBucket:
    """The files of a folder as the objects of a bucket. `page`: the most names in a page of a listing."""

    folder: Path
    page: int = 1000
    lie: Lie = lambda request, path: False
    modified: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def objects(self) -> dict[str, bytes]:
        """All objects by key. The metadata beside an article are in `metadata/` too."""
        files = {p.relative_to(self.folder).as_posix(): p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        copies = {f"metadata/{key.rpartition('/')[2]}": text for key, text in files.items() if key.endswith(".json")}
        return dict(sorted((files | copies).items()))

    def __call__(self, request: Request) -> None:
        path = urlsplit(request.path)
        self.asked.append(request.path)
        if self.lie(request, request.path):
            return
        if path.path == "/":
            request.answer(self._listing({name: values[0] for name, values in parse_qs(path.query).items()}))
            return
        content = self.objects().get(unquote(path.path).removeprefix("/"))
        if content is None:
            request.answer(b"<Error><Code>NoSuchKey</Code></Error>", 404)
        else:
            request.answer(content)

    def _listing(self, query: dict[str, str]) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        after = query.get("continuation-token") or query.get("start-after", "")
        names: dict[str, str] = {}
        objects = self.objects()
        for key in objects:
            if key.startswith(prefix):
                rest, found, _ = key.removeprefix(prefix).partition(delimiter) if delimiter else (key, "", "")
                name = f"{prefix}{rest}{delimiter}" if found else key
                if name > after:
                    names[name] = self._prefix(name) if found else self._object(key, objects[key])
        chosen = list(names)[: self.page]
        more = len(chosen) < len(names)
        token = f"<NextContinuationToken>{escape(chosen[-1])}</NextContinuationToken>" if more else ""
        inner = "".join(names[name] for name in chosen)
        truncated = f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
        return f"<ListBucketResult {NAMESPACE}>{truncated}{token}{inner}</ListBucketResult>".encode()

    def _prefix(self, name: str) -> str:
        return f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"

    def _object(self, key: str, content: bytes) -> str:
        tag = hashlib.md5(content).hexdigest()
        modified = self.modified.get(key, "2026-02-03T04:05:06.000Z")
        return (
            f"<Contents><Key>{escape(key)}</Key><LastModified>{modified}</LastModified>"
            f"<ETag>&quot;{tag}&quot;</ETag></Contents>"
        )
