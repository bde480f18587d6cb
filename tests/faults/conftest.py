"""Articles that were written for these tests, and two ways to annotate them: in this process and by a command."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import article_events
import pytest
from command_line import call

import nlmchem.engine.runner as runner
from nlmchem.commands.progress import Terminal
from nlmchem.engine.account import ArticleCounts
from nlmchem.engine.executors import InlineExecutor
from nlmchem.engine.runner import RunOptions, annotate_folder
from nlmchem.run.plan import Configuration, Job
from nlmchem.tagging.models.folders import DEFAULT

PLUGIN = Path(__file__).with_name("misbehaving")
"""A folder for PYTHONPATH. With it the tagger dies, hangs or waits when an article contains certain words."""


class Articles:
    """Small BioC articles with chemicals. The number makes each one different."""

    @staticmethod
    def text(number: int) -> str:
        return f"Article {number}: rats were given glucose and ethanol in water, then NaCl at {number} mM."

    def document(self, number: int, *more: str) -> str:
        texts = [self.text(number), *more]
        passages, offset = [], 0
        for text in texts:
            passages.append(f"<passage><offset>{offset}</offset><text>{escape(text)}</text></passage>")
            offset += len(text) + 1
        return f"<document><id>{1000 + number}</id>{''.join(passages)}</document>"

    def xml(self, *documents: str) -> bytes:
        inner = "\n".join(documents)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<collection><source>test</source><date>2020</date><key/>'
        return f"{head}\n{inner}\n</collection>\n".encode()

    def one(self, number: int, *more: str) -> bytes:
        return self.xml(self.document(number, *more))

    def many(self, numbers: Sequence[int]) -> bytes:
        return self.xml(*(self.document(number) for number in numbers))

    def value(self, number: int, text: str | None = None) -> dict[str, object]:
        passages = [{"offset": 0, "infons": {}, "text": self.text(number) if text is None else text}]
        return {"id": str(1000 + number), "infons": {}, "passages": passages}

    def json(self, *values: object) -> bytes:
        collection = {"source": "test", "date": "2020", "key": "", "infons": {}, "documents": list(values)}
        return json.dumps(collection).encode()


@pytest.fixture(scope="session")
def articles() -> Articles:
    return Articles()


@pytest.fixture
def good(tmp_path: Path, articles: Articles) -> Path:
    """A folder with good articles: XML and JSON, single and in collections, one of them in a subfolder."""
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "a-good.xml").write_bytes(articles.one(1))
    (folder / "m-good.json").write_bytes(articles.json(articles.value(2), articles.value(3)))
    (folder / "sub" / "z-good.xml").write_bytes(articles.many([4, 5, 6]))
    return folder


GOOD = 6
"""The number of articles in `good`."""

STEPS = "tag,normalize"
TAGGER = "lexicon"
"""These tests are about runs, so the fast tagger is enough."""


def tree(out: Path) -> dict[str, bytes]:
    """All files of an output folder, without manifest, quarantine and the state of the run."""
    left_out = ("manifest", ".nlmchem", "quarantine")
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.relative_to(out).parts[0].startswith(left_out)
    }


@pytest.fixture
def tree_of() -> Callable[[Path], dict[str, bytes]]:
    return tree


@dataclass
class Run:
    """The result of a run in this process."""

    out: Path
    counts: ArticleCounts

    @property
    def tree(self) -> dict[str, bytes]:
        return tree(self.out)

    @property
    def manifest(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.out / "manifest.json").read_text())
        return found

    def failures(self) -> list[dict[str, object]]:
        return list(self.manifest["failures"])  # type: ignore[call-overload]

    def notes(self) -> list[str]:
        return [note["note"] for note in self.manifest["notes"]["first"]]  # type: ignore[index]


Annotate = Callable[..., Run]


@pytest.fixture
def annotate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Annotate:
    """Annotate in this process."""
    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)

    def annotated(
        *inputs: Path, out: Path | None = None, format: str = "biocxml", steps: str = STEPS, **options: object
    ) -> Run:
        folder = out or tmp_path / "out"
        selected = tuple(filter(None, steps.split(",")))
        tagger = TAGGER if "tag" in selected else DEFAULT
        plan = Configuration.of(steps=selected, format=format, tagger=tagger).parse()
        names = [str(name) for name in inputs]
        return Run(folder, annotate_folder(Job(names, plan, RunOptions(**options), Terminal()), folder))  # type: ignore[arg-type]

    return annotated


@pytest.fixture
def undisturbed(good: Path, annotate: Annotate, tmp_path: Path) -> dict[str, bytes]:
    """The output of the good articles alone."""
    run = annotate(good, out=tmp_path / "undisturbed")
    assert run.counts.done == GOOD
    return run.tree


def words(*arguments: object) -> list[str]:
    """The arguments of a command, with the steps and the tagger of `annotate`."""
    more = ["--steps", STEPS, "--tagger", TAGGER] if arguments[0] == "annotate" else []
    return [*map(str, arguments), *more]


def command(*arguments: object) -> list[str]:
    """A call of `nlmchem` with the interpreter of these tests."""
    start = "import sys; from nlmchem.cli import main; sys.argv[0] = 'nlmchem'; main()"
    return [sys.executable, "-c", start, *words(*arguments)]


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, with the misbehaving tagger."""
    paths = [str(PLUGIN), str(Path(article_events.__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


Nlmchem = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def nlmchem(capsys: pytest.CaptureFixture[str]) -> Nlmchem:
    """Run the command line in this process, without workers.

    `processes=True`, or options of `subprocess.run`: in a process of its own, with workers. `misbehaving=True`: also
    with the tagger that dies when an article contains certain words.
    """

    def run(
        *arguments: object, processes: bool = False, misbehaving: bool = False, **options: object
    ) -> subprocess.CompletedProcess[str]:
        if not (processes or misbehaving or options):
            return call(*words(*arguments), capsys=capsys)
        env = environment() if misbehaving else None
        settings = {"env": env, "capture_output": True, "text": True, "timeout": 600, **options}
        return subprocess.run(command(*arguments), check=False, **settings)  # type: ignore[call-overload, no-any-return]

    return run


@dataclass
class Started:
    """A run in a process group of its own, which a test can kill."""

    process: subprocess.Popen[str]

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send a signal to the whole group and wait until the run has ended."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        return self.process.wait(300)


Start = Callable[..., Started]


def _interruptible() -> None:
    # Processes that a shell starts in the background ignore SIGINT, those of `nohup` SIGHUP, and so do their children.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a run in the background. It is killed at the end of the test if it still runs."""
    begun: list[Started] = []

    def begin(*arguments: object, slow: float = 0.0, **options: object) -> Started:
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        process = subprocess.Popen(  # type: ignore[call-overload]
            command(*arguments), env=environment(TEST_SLOW=str(slow)), start_new_session=True,
            preexec_fn=_interruptible, **settings,
        )  # fmt: skip
        begun.append(Started(process))
        return begun[-1]

    yield begin
    for run in begun:
        run.kill()


@pytest.fixture
def wait_for() -> Callable[..., None]:
    """Wait until a condition is true; fail if it does not become true."""

    def wait(condition: Callable[[], object], seconds: float = 300.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the condition did not become true"
            time.sleep(0.02)

    return wait


@pytest.fixture
def documents_of() -> Callable[[bytes], list[str]]:
    """The document elements of a BioC XML file, as strings."""

    def found(content: bytes) -> list[str]:
        parts = content.decode().split("<document>")[1:]
        return [part.partition("</document>")[0] for part in parts]

    return found


PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def _obey_permissions() -> None:
    """In a child process of root: give up the right to ignore permissions.

    Another user id cannot be used, because the interpreter may be in a folder of root.
    """
    for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, right, 0, 0, 0)


@pytest.fixture
def obedient(tmp_path: Path) -> dict[str, Any]:
    """Options for a child process that must obey permissions."""
    options = {"preexec_fn": _obey_permissions} if os.geteuid() == 0 else {}
    forbidden = tmp_path / "forbidden"
    forbidden.touch(mode=0)
    read = subprocess.run(["cat", forbidden], capture_output=True, check=False, **options)
    if read.returncode == 0:
        pytest.skip("root ignores permissions on this system even without the right to do so")
    return options
