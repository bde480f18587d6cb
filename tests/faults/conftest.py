"""Articles of our own writing, good and bad, and ways to run them: in this process, or as the user would."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import nlmchem.batch.runner as runner
from nlmchem.batch.executors import Death
from nlmchem.batch.ledger import Counts
from nlmchem.batch.runner import RunOptions, annotate_folder
from nlmchem.batch.tasks import Result, Setup, Task
from nlmchem.batch.worker import annotate_block
from nlmchem.configuration import Configuration

PLUGIN = Path(__file__).with_name("misbehaving")
"""A folder for PYTHONPATH: what lies in it makes the tagger die, hang or dawdle over certain words."""


class Articles:
    """Small BioC articles that name chemicals; `number` makes each one different."""

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
    """A folder with good articles, in XML and JSON, alone and in collections, also in a subfolder."""
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "a-good.xml").write_bytes(articles.one(1))
    (folder / "m-good.json").write_bytes(articles.json(articles.value(2), articles.value(3)))
    (folder / "sub" / "z-good.xml").write_bytes(articles.many([4, 5, 6]))
    return folder


GOOD = 6
"""Articles in `good`."""

STEPS = "tag,normalize"
TAGGER = "lexicon"
"""The quick one: faults are not a model's affair."""


def tree(out: Path) -> dict[str, bytes]:
    """Every file of an output folder, but for the manifest, the quarantine and the run's own state."""
    left_out = ("manifest", ".nlmchem", "quarantine")
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and not path.relative_to(out).parts[0].startswith(left_out)
    }


@pytest.fixture
def tree_of() -> Callable[[Path], dict[str, bytes]]:
    return tree


class InlineExecutor:
    """Works in this very process: for everything that is not about processes."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def __enter__(self) -> InlineExecutor:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, setup: Setup, blocks: Sequence[tuple[Task, ...]]) -> Iterator[list[Result] | Death]:
        return (annotate_block(setup, block) for block in blocks)


@dataclass
class Run:
    """What a run in this process came to."""

    out: Path
    counts: Counts

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
    """Annotate in this process; says what became of it."""
    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)

    def annotated(
        *inputs: Path, out: Path | None = None, format: str = "biocxml", steps: str = STEPS, **options: object
    ) -> Run:
        folder = out or tmp_path / "out"
        configuration = Configuration(steps=tuple(filter(None, steps.split(","))), format=format, tagger=TAGGER)
        names = [str(name) for name in inputs]
        return Run(folder, annotate_folder(names, folder, configuration, RunOptions(**options)))  # type: ignore[arg-type]

    return annotated


@pytest.fixture
def undisturbed(good: Path, annotate: Annotate, tmp_path: Path) -> dict[str, bytes]:
    """What the good articles alone become."""
    run = annotate(good, out=tmp_path / "undisturbed")
    assert run.counts.done == GOOD
    return run.tree


def command(*arguments: object) -> list[str]:
    """`nlmchem`, as the interpreter of these tests runs it, with the steps that `annotate` here has."""
    start = "import sys; from nlmchem.cli import main; sys.argv[0] = 'nlmchem'; main()"
    more = ["--steps", STEPS, "--tagger", TAGGER] if arguments[0] == "annotate" else []
    return [sys.executable, "-c", start, *map(str, arguments), *more]


def environment(**more: str) -> dict[str, str]:
    """This process' environment with the misbehaving tagger in it."""
    paths = [str(PLUGIN), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **more}


Nlmchem = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def nlmchem() -> Nlmchem:
    """Run the command line; `misbehaving=True` brings in the tagger that dies over certain words."""

    def run(*arguments: object, misbehaving: bool = False, **options: object) -> subprocess.CompletedProcess[str]:
        env = environment() if misbehaving else None
        settings = {"env": env, "capture_output": True, "text": True, "timeout": 600, **options}
        return subprocess.run(command(*arguments), check=False, **settings)  # type: ignore[call-overload, no-any-return]

    return run


@dataclass
class Started:
    """A run in a process group of its own, to be killed."""

    process: subprocess.Popen[str]

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send a signal to the whole group; wait for the run's end."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
        return self.process.wait(300)


Start = Callable[..., Started]


def _interruptible() -> None:
    # What a shell starts in the background ignores SIGINT, and hands that on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def start() -> Iterator[Start]:
    """Begin a run in the background; whatever is left of it is killed at the test's end."""
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
    """Wait until something is so; an error where it never comes to be."""

    def wait(condition: Callable[[], object], seconds: float = 300.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it never came to be"
            time.sleep(0.02)

    return wait


@pytest.fixture
def documents_of() -> Callable[[bytes], list[str]]:
    """The document elements of a BioC XML output, one string each."""

    def found(content: bytes) -> list[str]:
        parts = content.decode().split("<document>")[1:]
        return [part.partition("</document>")[0] for part in parts]

    return found
