"""Models of a hub of Hugging Face: which files a revision has, and where they are.

Requests are sent by `corpora.fetching.download`. The client library of the hub is not used: it sends the user's token
to any hub, and further data about the machine.
"""

from __future__ import annotations

import json
import os
import urllib.error
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from corpora.errors import DAMAGE, Argument, OptionError, ResourceError
from corpora.fetching import download as connection
from corpora.fetching.download import Settings

HUB = "https://huggingface.co"
"""The only address that the user's token is sent to."""
CONVERTER = "SFconvertbot"
"""The account that adds safetensors to models by pull requests. Pull requests of other accounts are not used."""
WEIGHTS = "model.safetensors"
MAX_PAGES = 100
"""Pages of the list of pull requests. A hub can state any number."""
MAX_ANSWER = 1 << 24
"""Bytes of an answer that lists files."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a model: its commit, and the sha256 of each file (empty where the hub states none)."""

    commit: str
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Hub:
    """A hub: its address, and the headers that requests have."""

    address: str
    headers: dict[str, str]
    settings: Settings

    @classmethod
    def of(cls, settings: Settings) -> Hub:
        """The mirror, the hub that `HF_ENDPOINT` names, or `HUB`; `HUB` itself if the user's token is sent.

        Raises `OptionError` for a token and a mirror, or where there is no token.
        """
        if not settings.token:
            address = settings.mirror or os.environ.get("HF_ENDPOINT") or HUB
            connection.check_mirror(address)
            return cls(address.rstrip("/"), {}, settings)
        if settings.mirror is not None:
            raise OptionError("token", f"is sent to {HUB} only; leave out ", Argument("mirror"), ", or the token")
        return cls(HUB, {"Authorization": f"Bearer {_token()}"}, settings)

    def address_of(self, model: str, commit: str, file: str) -> str:
        """The address of a file."""
        return f"{self.address}/{model}/resolve/{quote(commit, safe='')}/{quote(file)}"

    def revision(self, model: str, name: str) -> Revision:
        """A revision by its name: a branch, a tag, a commit, or `refs/pr/8`. Raises `ResourceError`."""
        answer = self._answer(f"/api/models/{model}/revision/{quote(name, safe='')}?blobs=true")
        try:
            files = {file["rfilename"]: (file.get("lfs") or {}).get("sha256", "") for file in answer["siblings"]}
            return Revision(str(answer["sha"]), files)
        except DAMAGE as error:
            raise self._not_a_hub() from error

    def safe_revision(self, model: str) -> str:
        """`main` if it has safetensors, else the pull request of the hub's own converter that adds them."""
        if WEIGHTS in self.revision(model, "main").files:
            return "main"
        try:
            for request in self._requests_of_converter(model):
                if request["author"]["name"] == CONVERTER and "safetensors" in request["title"]:
                    return f"refs/pr/{int(request['num'])}"
        except DAMAGE as error:
            raise self._not_a_hub() from error
        return "main"

    def _requests_of_converter(self, model: str) -> Iterator[dict[str, Any]]:
        seen = 0
        for page in range(MAX_PAGES):
            query = urlencode({"type": "pull_request", "author": CONVERTER, "p": page})
            answer = self._answer(f"/api/models/{model}/discussions?{query}")
            yield from (entry for entry in answer["discussions"] if entry["isPullRequest"])
            seen += len(answer["discussions"])
            if not answer["discussions"] or seen >= answer["count"]:
                return

    def _answer(self, path: str) -> Any:
        """A JSON object. Requests are repeated as downloads are."""
        url = self.address + path
        reason = ""
        for attempt in range(self.settings.attempts):
            required: str | None = None
            try:
                with connection.open_url(url, self.headers, self.settings) as response:
                    return json.loads(connection.body(response, url, self.settings, MAX_ANSWER))
            except urllib.error.HTTPError as error:
                error.close()
                reason = f"the server answered {error.code} {error.reason}"
                if error.code not in connection.RETRIED:
                    raise ResourceError(f"{url} cannot be read: {reason}; check the name, the ", *_MIRROR) from error
                required = error.headers.get("Retry-After")
            except connection.FAULTS as error:
                reason = connection.passing(error, url, " or ", Argument("from_file"))
            except DAMAGE as error:
                raise self._not_a_hub() from error
            connection.wait(attempt, self.settings, required)
        raise ResourceError(f"{url} could not be read ({reason}); run the same command again, or use ", *_MIRROR)

    def _not_a_hub(self) -> ResourceError:
        return ResourceError(f"{self.address} does not answer as a hub of models does; use another ", *_MIRROR)


_MIRROR = (Argument("mirror"), " or ", Argument("from_file"))


def _token() -> str:
    """The user's token: `HF_TOKEN`, or the file in which `hf auth login` stores it. Raises `OptionError`."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    place = Path(os.environ.get("HF_TOKEN_PATH") or Path(home) / "token").expanduser()
    try:
        token = os.environ.get("HF_TOKEN") or place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        token = ""
    if not token.strip().isascii() or not token.strip().isprintable() or not token.strip():
        raise OptionError("token", f"is neither in HF_TOKEN nor in {place}; set HF_TOKEN")
    return token.strip()
