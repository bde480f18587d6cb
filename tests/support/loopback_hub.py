"""A hub of models on loopback."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from urllib.parse import unquote

from loopback_site import Request

__all__ = ["LoopbackHub"]


@dataclass
class LoopbackHub:
    """Answers as a hub does, with cookies. `files`: the files of each revision. `requests`: the pull requests."""

    files: dict[str, list[str]]
    requests: list[dict[str, object]] = field(default_factory=list)
    sha256: str = ""

    def __call__(self, request: Request) -> None:
        path = unquote(request.path)
        if "/revision/" in path:
            name = path.partition("/revision/")[2].partition("?")[0]
            lfs = {"lfs": {"sha256": self.sha256}} if self.sha256 else {}
            siblings = [{"rfilename": file, **lfs} for file in self.files.get(name, [])]
            content: object = {"sha": f"commit-of-{name}", "siblings": siblings}
        elif "/discussions" in path:
            content = {"discussions": self.requests, "count": len(self.requests), "start": 0}
        else:
            _, _, rest = path.partition("/resolve/")
            commit, _, file = rest.rpartition("/")
            request.answer(f"{file} at {commit}".encode(), ETag='"one"', Set_Cookie="session=1")
            return
        request.answer(json.dumps(content).encode(), Set_Cookie="session=1")


def pull_request(number: int, author: str) -> dict[str, object]:
    """A pull request that adds safetensors."""
    title = "Adding `safetensors` variant of this model"
    return {"num": number, "author": {"name": author}, "title": title, "isPullRequest": True}
