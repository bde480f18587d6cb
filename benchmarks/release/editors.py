"""Tasks of `nlmchem curate export` in running editors: created, changed by one mention, exported, and imported again.

    python -m benchmarks.release.editors [label-studio] [doccano] [--folder FOLDER]

Label Studio and doccano are installed by pip into environments of their own below FOLDER, and started on loopback. Each
gets a project with the tasks through its HTTP interface, as a user of its pages would make it. One mention of the first
task is removed, the project is exported in the format that docs/howto/curation.md names, and `nlmchem curate import`
must count one removed mention and otherwise only kept ones. The texts have astral characters, a line break and nested
mentions. Exit code 1 if something else came back.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import corpora
from corpora.datasets.document_builder import article
from corpora.model.document import add_mention, set_identifiers
from corpora.reporting import ignore
from nlmchem.companions.curation.exporting import export
from nlmchem.companions.curation.gold import import_tasks
from nlmchem.companions.curation.selection import Choice, write_selection

PORT = 8931
NAME, PASSWORD, TOKEN = "ann@example.org", "of-this-machine-only", "0123456789abcdef" * 2 + "01234567"
TEXTS = ("Zinc in 𝛼-carotene", "𝛼𝛽 Zinc,\r\ncopper ions; 𝛽-carotene in mice")
MARKED = {"Zinc": "MESH:D015032", "𝛼-carotene": "MESH:C0", "carotene": "MESH:D002338", "copper": "MESH:D003300"}
Line = dict[str, Any]


class Site:
    """A server on loopback, with its cookies."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        self._cookies = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))
        self.headers: dict[str, str] = {}

    def __call__(self, method: str, path: str, value: Any = None) -> Any:
        """The JSON value of an answer; a text where it is none."""
        content = None if value is None else json.dumps(value).encode()
        return self.send(method, path, content, "application/json")

    def send(self, method: str, path: str, content: bytes | None, type: str) -> Any:
        """As a call, with the content as bytes of a type."""
        text = self.fetch(method, path, content, type).decode()
        try:
            return json.loads(text)
        except ValueError:
            return text

    def fetch(self, method: str, path: str, content: bytes | None = None, type: str = "text/plain") -> bytes:
        """The bytes of an answer. Raises `SystemExit` with the answer of the server to a wrong request."""
        headers = {"Content-Type": type, **self.headers}
        for cookie in self._cookies:
            if cookie.name == "csrftoken":
                headers["X-CSRFToken"] = str(cookie.value)
        request = urllib.request.Request(self._root + path, content, headers, method=method)
        try:
            with self._opener.open(request, timeout=120) as answer:
                content_of_answer: bytes = answer.read()
                return content_of_answer
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()[:500]}") from error

    def wait(self, path: str, seconds: int = 600) -> None:
        """Wait until the server answers."""
        until = time.monotonic() + seconds
        while True:
            try:
                self._opener.open(self._root + path, timeout=30).close()
                return
            except urllib.error.HTTPError:
                return
            except OSError as error:
                if time.monotonic() > until:
                    raise SystemExit(f"{self._root} does not answer: {error}") from error
                time.sleep(2)


def installed(folder: Path, *packages: str) -> Path:
    """The `bin` of an environment with packages."""
    if not (folder / "done").is_file():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", *packages], check=True)
        (folder / "done").touch()
    return folder / "bin"


@contextmanager
def running(*commands: Sequence[str | Path], log: Path, **variables: str) -> Iterator[None]:
    """Processes that end with the block."""
    with log.open("wb") as stream:
        started = [
            subprocess.Popen(command, stdout=stream, stderr=stream, env={**os.environ, **variables}, cwd=log.parent)
            for command in commands
        ]
        try:
            yield
        finally:
            for process in started:
                process.terminate()
            for process in started:
                process.wait(60)


# -- Label Studio -------------------------------------------------------------------------------


def label_studio(folder: Path, tasks: Path) -> Path:
    """The tasks as Label Studio exports them after a change."""
    bin = installed(folder / "environment", "label-studio")
    start = [bin / "label-studio", "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(PORT)]
    user = ["--username", NAME, "--password", PASSWORD, "--user-token", TOKEN]
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder / "data"),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LATEST_VERSION_CHECK": "false",
        "COLLECT_ANALYTICS": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    site = Site(PORT)
    site.headers["Authorization"] = f"Token {TOKEN}"
    with running([*start, *user], log=folder / "server.log", **settings):
        site.wait("/health")
        labels = (tasks / "editor" / "labeling-config.xml").read_text("utf-8")
        project = site("POST", "/api/projects", {"title": "nlmchem", "label_config": labels})["id"]
        given = json.loads((tasks / "tasks.label-studio.json").read_text("utf-8"))
        site("POST", f"/api/projects/{project}/import", given)
        listed = site("GET", f"/api/tasks?project={project}&page_size=100&fields=all")["tasks"]
        for number, task in enumerate(sorted(listed, key=lambda item: int(item["id"]))):
            # As the pages do it: the prediction becomes the annotation, which the annotator changes and submits.
            result = task["predictions"][0]["result"]
            first = result[0]["id"]
            kept = [item for item in result if number or item["id"] != first]
            site("POST", f"/api/tasks/{task['id']}/annotations", {"result": kept})
        done = site("GET", f"/api/projects/{project}/export?exportType=JSON")
    path = folder / "project.json"
    path.write_text(json.dumps(done, ensure_ascii=False), "utf-8")
    return path


# -- doccano ------------------------------------------------------------------------------------


def doccano(folder: Path, tasks: Path) -> Path:
    """The tasks as doccano exports them after a change."""
    # Its environs and pandas need these versions, which they do not state.
    bin = installed(folder / "environment", "doccano", "marshmallow<4", "numpy<2")
    (backend,) = (folder / "environment" / "lib").glob("python*/site-packages/backend")
    data = folder / "data"
    settings = {
        "DOCCANO_HOME": str(data),
        "STANDALONE": "True",
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "DATABASE_URL": f"sqlite:///{data / 'db.sqlite3'}",
        "MEDIA_ROOT": str(data / "media"),
    }
    if not data.is_dir():
        for words in (["init"], ["createuser", "--username", "ann", "--password", PASSWORD]):
            subprocess.run([bin / "doccano", *words], check=True, env={**os.environ, "DOCCANO_HOME": str(data)})
    # Its own command listens on all interfaces.
    server = [bin / "gunicorn", "--chdir", backend, "--bind", f"127.0.0.1:{PORT}", "--workers", "1", "config.wsgi"]
    site = Site(PORT)
    with running(server, [bin / "doccano", "task", "--concurrency", "1"], log=folder / "server.log", **settings):
        site.wait("/v1/health/")
        site("POST", "/v1/auth/login/", {"username": "ann", "password": PASSWORD})
        project = site("POST", "/v1/projects", {
            "name": "nlmchem", "description": "x", "project_type": "SequenceLabeling", "use_relation": True,
            "resourcetype": "SequenceLabelingProject", "allow_overlapping": True, "grapheme_mode": False,
        })["id"]  # fmt: skip
        at_project = f"/v1/projects/{project}"
        upload(site, f"{at_project}/span-type-upload", "file", tasks / "editor" / "labels.json")
        file = upload(site, "/v1/fp/process/", "filepond", tasks / "tasks.doccano.jsonl")
        started = site("POST", f"{at_project}/upload", {
            "format": "JSONL", "task": "RelationExtraction", "uploadIds": [file], "column_data": "text",
            "column_label": "entities", "encoding": "utf_8",
        })  # fmt: skip
        finished(site, f"/v1/tasks/status/{started['task_id']}", lambda answer: bool(answer["ready"]))
        first = min(site("GET", f"{at_project}/examples?limit=100")["results"], key=lambda item: int(item["id"]))["id"]
        spans = sorted(site("GET", f"{at_project}/examples/{first}/spans"), key=lambda item: int(item["id"]))
        site("DELETE", f"{at_project}/examples/{first}/spans/{spans[0]['id']}")
        started = site("POST", f"{at_project}/download", {"format": "JSONL", "exportApproved": False})
        place = f"{at_project}/download?taskId={started['task_id']}"
        finished(site, f"/v1/tasks/status/{started['task_id']}", lambda answer: bool(answer["ready"]))
        content = site.fetch("GET", place)
    path = folder / "project.zip"
    path.write_bytes(content)
    return path


def upload(site: Site, path: str, field: str, file: Path) -> Any:
    """Send a file as a form does."""
    mark = b"--of-nlmchem"
    head = f'Content-Disposition: form-data; name="{field}"; filename="{file.name}"\r\nContent-Type: text/plain\r\n\r\n'
    content = b"".join((b"--", mark, b"\r\n", head.encode(), file.read_bytes(), b"\r\n--", mark, b"--\r\n"))
    return site.send("POST", path, content, f"multipart/form-data; boundary={mark.decode()}")


def finished(site: Site, path: str, is_done: Callable[[Any], bool], seconds: int = 300) -> None:
    """Wait for a task of a server."""
    until = time.monotonic() + seconds
    while not is_done(answer := site("GET", path)):
        if time.monotonic() > until:
            raise SystemExit(f"{path} is not finished: {answer}")
        time.sleep(2)


# -- the comparison -----------------------------------------------------------------------------


EDITORS = {"label-studio": label_studio, "doccano": doccano}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("editors", nargs="*", default=list(EDITORS), metavar="EDITOR", help=", ".join(EDITORS))
    parser.add_argument("--folder", type=Path, help="folder of environments and data (default: a new one)")
    given = parser.parse_args()
    folder = (given.folder or Path(mkdtemp(prefix="editors-"))).absolute()
    wrong = [name for name in given.editors if not comes_back(name, folder / name)]
    sys.exit(bool(wrong))


def comes_back(editor: str, folder: Path) -> bool:
    """Whether a change, and nothing else, comes back from an editor."""
    folder.mkdir(parents=True, exist_ok=True)
    work = Path(mkdtemp(dir=folder))
    corpora.write([an_article("1"), an_article("2")], work / "run.xml")
    write_selection(work / "selection", [str(work / "run.xml")], Choice(4), ignore)
    export(work / "selection", editor, work / "tasks", None, print)
    path = EDITORS[editor](folder, work / "tasks")
    done = import_tasks([str(path)], work / "selection", work / "gold", "majority", lambda _: True, print)
    (counts,) = done.account["annotators"].values()
    others = sum(counts[kind] for kind in ("added", "moved", "relinked"))
    is_right = (len(done.faults), counts["passages"], counts["removed"], others) == (0, 2 * len(TEXTS), 1, 0)
    verdict = "equal but for the change" if is_right else "WRONG"
    print(f"{editor}: {json.dumps(counts)} {' '.join(done.faults)}: {verdict}")
    return is_right


def an_article(name: str) -> Any:
    """Two passages; every place of a name in `MARKED` is a mention, so some are nested."""
    document = article(name, [(text, None, "paragraph") for text in TEXTS])
    number = 0
    for passage in document.passages:
        for text, identifier in MARKED.items():
            at = passage.text.find(text)
            if at >= 0:
                number += 1
                start = passage.offset + at
                mention = add_mention(passage, [(start, start + len(text))], id=f"C{number}", annotator=None, score=0.6)
                set_identifiers(mention, [identifier])
    return document


if __name__ == "__main__":
    main()
