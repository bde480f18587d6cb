"""Packages that add to the registries by entry points: the example package, and packages that cannot be used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from corpora import plugins
from corpora.errors import ConfigurationError, ResourceError
from corpora.formats import detection, registry
from corpora.formats.format import Format
from corpora.plugins import Registry
from nlmchem import Article, read
from nlmchem.abbreviations import undefined
from nlmchem.api import results
from nlmchem.api.attributes import Attribute
from nlmchem.run import registry as steps
from nlmchem.run.step import Step

ROOT = Path(__file__).resolve().parents[1]
ARTICLE = "1|t|Vapour of 64-17-5\n1|a|\n1\t10\t17\t64-17-5\tChemical\n"


def nlmchem(packages: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command, with further packages on the path."""
    path = os.pathsep.join((str(packages), str(ROOT)))
    command = [sys.executable, "-m", "nlmchem", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the example package is installed."""
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("example")
    # A build writes into the folder of its source.
    source = shutil.copytree(ROOT / "examples" / "plugin", folder / "source")
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", folder / "packages", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "packages"


def test_the_example_adds_a_sieve_and_a_format(example: Path, tmp_path: Path) -> None:
    (tmp_path / "a.pubtator").write_text(ARTICLE)
    words = ["annotate", tmp_path / "a.pubtator", "--steps", "normalize", "--lexicon", "starter"]
    out = tmp_path / "out.markdown"
    done = nlmchem(example, *words, "-o", out, "--sieves", "default,registry-number")
    assert done.returncode == 0, done.stderr
    assert "| 1 | 10 | 64-17-5 | MESH:D000431 |" in out.read_text().splitlines()
    # The sieve takes part only where an order names it.
    done = nlmchem(example, *words, "-o", tmp_path / "out", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    assert "| 1 | 10 | 64-17-5 | - |" in (tmp_path / "out" / "a.markdown").read_text().splitlines()


def test_the_example_adds_a_tagger(example: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Propranolol was given.")
    out = tmp_path / "out.tsv"
    done = nlmchem(example, "annotate", tmp_path / "a.txt", "--steps", "tag", "--tagger", "stems", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "\tPropranolol\t" in out.read_text()


def test_the_example_adds_a_step_with_an_option(example: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Rats were given 5 mg/kg of zinc and 2 g of salt.")
    out = tmp_path / "out.jsonl"
    words = ["annotate", tmp_path / "a.txt", "-o", out, "--steps", "abbreviate,doses"]
    done = nlmchem(example, *words, "--units", "mg/kg,g")
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["passages"][0]["infons"]["doses"] == "2"
    # Its count is in the ledger: a second run reads no article, and has the same sum.
    words[3] = tmp_path / "folder"
    for ended in ("done 1 + failed 0 + skipped 0", "done 0 + failed 0 + skipped 1"):
        done = nlmchem(example, *words, "--units", "mg/kg,g")
        assert f"{ended} = 1 article; 2 doses; 0 mentions; results in" in done.stdout + done.stderr
    assert json.loads((tmp_path / "folder" / "manifest.json").read_text())["counts"] == {"doses": 2}
    done = nlmchem(example, *words, "--units", "mg/kg,g", "--json")
    assert json.loads(done.stdout)["counts"] == {"doses": 2}
    done = nlmchem(example, "annotate", tmp_path / "a.txt", "-o", out, "--steps", "abbreviate", "--units", "g")
    assert (done.returncode, "--units needs the step doses" in done.stderr) == (2, True)


def test_the_versions_of_plugins_are_known_without_importing_them(example: Path) -> None:
    code = "import sys, corpora.plugins as p; print(p.versions(), 'nlmchem_example' in sys.modules)"
    path = os.pathsep.join((str(example), str(ROOT)))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout == "{'nlmchem-example': '1.0'} False\n"


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package with one module and one entry point."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(package: str, group: str, entry: str, code: str | None = None) -> None:
        folder = tmp_path / f"{package}-2.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
        (folder / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
        if code is not None:
            (tmp_path / f"{package}.py").write_text(code)
        plugins._points.cache_clear()

    yield write
    plugins._points.cache_clear()


def test_a_plugin_that_cannot_be_imported_ends_the_command_with_one_sentence(tmp_path: Path, install: Install) -> None:
    install("broken", "nlmchem.sieves", "magic = broken:SIEVE")
    (tmp_path / "a.pubtator").write_text(ARTICLE)
    words = ["annotate", tmp_path / "a.pubtator", "-o", tmp_path / "out", "--steps", "normalize", "--sieves", "magic"]
    done = nlmchem(tmp_path, *words)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "the package broken has a plugin that cannot be used (nlmchem.sieves: magic = broken:SIEVE; " in line
    assert "ModuleNotFoundError: No module named 'broken'); install a version of it that fits, or uninstall it" in line
    assert nlmchem(tmp_path, "--help").returncode == 0


def test_a_step_that_cannot_be_imported_ends_runs_and_no_other_command(tmp_path: Path, install: Install) -> None:
    install("broken", "nlmchem.steps", "magic = broken:STEP")
    (tmp_path / "a.pubtator").write_text(ARTICLE)
    done = nlmchem(tmp_path, "annotate", tmp_path / "a.pubtator", "-o", tmp_path / "out")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "the package broken has a plugin that cannot be used (nlmchem.steps: magic = broken:STEP; " in line
    assert nlmchem(tmp_path, "convert", tmp_path / "a.pubtator", tmp_path / "a.json").returncode == 0


OBSERVER = """
from nlmchem.run.observers import Observer

class Recorder:
    def __init__(self, state):
        self.path = state / "ids.txt"
    def record(self, output, path, articles):
        with self.path.open("a") as stream:
            print(output, path.exists(), *(article.decode() for article in articles), file=stream)
    def commit(self):
        pass
    def close(self):
        pass

OBSERVER = Observer(lambda plan: plan.format == "jsonl", lambda document: document.id.encode(), Recorder)
"""


def test_a_plugin_observes_finished_articles(tmp_path: Path, install: Install) -> None:
    install("observing", "nlmchem.observers", "ids = observing:OBSERVER", OBSERVER)
    (tmp_path / "a.pubtator").write_text(ARTICLE.replace("1|", "7|").partition("1\t")[0])
    for format in ("jsonl", "biocxml"):
        done = nlmchem(tmp_path, "convert", tmp_path / "a.pubtator", f"{tmp_path}/{format}/", "--format", format)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "jsonl" / ".nlmchem" / "ids.txt").read_text() == "a.jsonl True 7\n"
    assert not (tmp_path / "biocxml" / ".nlmchem" / "ids.txt").exists()


def test_a_format_that_cannot_be_imported_ends_what_uses_formats_and_no_help(tmp_path: Path, install: Install) -> None:
    install("broken", "nlmchem.formats", "magic = broken:FORMAT")
    (tmp_path / "a.pubtator").write_text(ARTICLE)
    for command in (("annotate",), ("convert",), ("annotate", "--format", "magic")):
        done = nlmchem(tmp_path, *command, tmp_path / "a.pubtator", "-o", tmp_path / "a.json")
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert "the package broken has a plugin that cannot be used (nlmchem.formats: magic = broken:FORMAT; " in line
    assert nlmchem(tmp_path, "annotate", "--help").returncode == 0


STEP = """
from dataclasses import dataclass
from corpora.commands.options import argument, option
from sieves.lexicon.options import LexiconOptions
from nlmchem.run.step import Step

@dataclass(frozen=True)
class Options{base}:
    {field}

STEP = Step("magic", Options, lambda options, context: lambda documents: None{more})
"""


def faults(install: Install, monkeypatch: pytest.MonkeyPatch, code: str, name: str = "magic") -> list[str]:
    """The sentences about a package `odd` with one step."""
    monkeypatch.delitem(sys.modules, "odd", raising=False)
    monkeypatch.setattr(steps, "_FAULTS", [])
    install("odd", "nlmchem.steps", f"{name} = odd:STEP", code)
    steps._ordered()
    return [str(fault) for fault in steps._FAULTS]


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        *(
            (f"{name}: str | None = option(None, 'A text.')", f"its option {name!r} has a name that every run has")
            for name in ("format", "lines", "steps", "version", "plugins", "resources", "sha256", "workers")
        ),
        ("_x: int = option(1, 'A number.')", "its option '_x' has a name that every run has"),
        (
            "min_score: str = option('low', 'A text.')",
            "its option 'min_score' has another type, default or help text than that of the step tag",
        ),
        (
            "lexicon: str | None = option(None, 'A table.')",
            "its option 'lexicon' has another type, default or help text than that of the step tag",
        ),
        (
            "scale: int = option(1, 'A number.', flags=('--format',))",
            "'scale' has the flag --format of a run",
        ),
        ("scale: int = option(1, 'A number.', flags=('--dense',))", "has the flag --dense of the step normalize"),
        ("scale: int = argument('A number.')", "'scale' is an argument, part of a group, or without a default"),
        ("scale: int = 1", "its options are not a dataclass of option fields"),
        (
            "scale: complex = option(1j, 'A number.')",
            "'scale' is neither text, a number, true or false",
        ),
    ],
)
def test_a_step_with_an_option_that_is_taken_is_refused(
    install: Install, monkeypatch: pytest.MonkeyPatch, field: str, reason: str
) -> None:
    (sentence,) = faults(install, monkeypatch, STEP.format(base="", field=field, more=""))
    assert sentence.startswith("the package odd has a plugin that cannot be used (nlmchem.steps: magic = odd:STEP; ")
    assert reason in sentence


def test_a_refused_option_ends_a_run_with_one_sentence(tmp_path: Path, install: Install) -> None:
    """Before, the first such option set the output format of the run."""
    field = "format: str = option('markdown', 'The format of tables.')"
    install("odd", "nlmchem.steps", "magic = odd:STEP", STEP.format(base="", field=field, more=""))
    (tmp_path / "a.pubtator").write_text(ARTICLE)
    words = ["annotate", tmp_path / "a.pubtator", "-o", tmp_path / "out", "--steps", "abbreviate"]
    done = nlmchem(tmp_path, *words)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, "its option 'format' has a name that every run has" in line) == (2, True)


def test_a_step_can_share_an_option_with_another_step(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    code = STEP.format(base="(LexiconOptions)", field="scale: int = option(1, 'A number.')", more="")
    assert faults(install, monkeypatch, code) == []


def test_a_step_after_a_step_that_does_not_exist_is_refused(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    code = STEP.format(base="", field="scale: int = option(1, 'A number.')", more=", after='tagg'")
    (sentence,) = faults(install, monkeypatch, code)
    assert "odd:STEP; it runs after 'tagg', which is no step)" in sentence


def test_a_step_can_run_after_a_step_of_another_package(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    first = STEP.format(base="", field="scale: int = option(1, 'A number.')", more=", after='zeta'")
    last = STEP.replace('"magic"', '"zeta"').format(base="", field="power: int = option(1, 'A number.')", more="")
    monkeypatch.setattr(steps, "_FAULTS", [])
    install("early", "nlmchem.steps", "magic = early:STEP", first)
    install("late", "nlmchem.steps", "zeta = late:STEP", last)
    assert (list(steps._ordered())[-2:], steps._FAULTS) == (["zeta", "magic"], [])


def test_a_step_with_the_name_of_a_step_of_nlmchem_is_left_out(
    install: Install, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    code = STEP.format(base="", field="scale: int = option(1, 'A number.')", more="")
    assert faults(install, monkeypatch, code, "tag") == []
    assert "the name 'tag' is one of nlmchem itself" in caplog.text


@pytest.mark.parametrize(
    ("entry", "code", "message"),
    [
        ("a = one:ENTRY", "ENTRY = 1", r"the package one .* \(nlmchem.test: a = one:ENTRY; it is a int, not a str\)"),
        ("a = one:ENTRY", "import nowhere", "No module named 'nowhere'"),
        ("a = one:ENTRY", "1 / 0", "ZeroDivisionError"),
        ("a = one:ENTRY", "", "AttributeError"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_reported(install: Install, entry: str, code: str, message: str) -> None:
    sys.modules.pop("one", None)
    install("one", "nlmchem.test", entry, code)
    found = Registry("nlmchem.test", str, {"own": "built in"})
    with pytest.raises(ConfigurationError, match=message):
        list(found.items())


def test_dots_in_names_of_entry_points_stand_for_blanks(install: Install) -> None:
    install("dotted", "nlmchem.test", "a.b = dotted:A", "A = 'x'")
    entries = Registry("nlmchem.test", str, {}, blank=".")
    assert (entries.names(), entries.get("a b"), entries.get("a.b")) == (("a b",), "x", None)


def test_without_a_source_of_senses_the_command_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undefined, "SOURCES", Registry("nlmchem.none", undefined.SenseSource, {}))
    with pytest.raises(ConfigurationError, match="no installed package has a dictionary of short forms"):
        undefined.sense_source()


def test_of_two_plugins_with_one_name_the_first_is_used_and_the_other_named(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("first", "nlmchem.test", "a = first:ENTRY", "ENTRY = 'x'")
    install("second", "nlmchem.test", "a = second:ENTRY", "ENTRY = 'y'")
    entries = Registry("nlmchem.test", str, {})
    assert (entries.get("a"), entries.names(), dict(entries.items())) == ("x", ("a",), {"a": "x"})
    (said,) = caplog.messages
    assert "the package second has a plugin that cannot be used" in said
    assert "the package first has an entry point of this name, which is used" in said


@pytest.mark.parametrize("name", ["own", "text"])
def test_a_plugin_whose_name_is_taken_is_named_and_left_out(
    name: str, install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install(f"taken_{name}", "nlmchem.test", f"{name} = taken_{name}:ENTRY\nb = taken_{name}:ENTRY", "ENTRY = 'x'")
    entries = Registry("nlmchem.test", str, {"own": "built in"}, reserved={"text"})
    assert (entries.names(), entries.get("b"), entries.get("own")) == (("own", "b"), "x", "built in")
    (said,) = caplog.messages
    assert f"the name {name!r} is one of nlmchem itself); install a version of it that fits, or uninstall it" in said
    assert said.endswith("; it is left out")


@pytest.mark.parametrize(("group", "name"), [("commands", "annotate"), ("formats", "biocxml"), ("sieves", "exact")])
def test_a_stray_package_with_a_name_of_nlmchem_stops_no_command(
    group: str, name: str, tmp_path: Path, install: Install
) -> None:
    install("stray", f"nlmchem.{group}", f"{name} = nowhere:NOTHING")
    (tmp_path / "a.txt").write_text("Zinc.")
    out = tmp_path / "out.jsonl"
    for words in (["--help"], ["annotate", tmp_path / "a.txt", "--steps", "tag,normalize", "--tagger", "lexicon"]):
        done = nlmchem(tmp_path, *words, *(() if words == ["--help"] else ("-o", out)))
        assert done.returncode == 0, done.stderr
    assert "Zinc" in out.read_text()


def test_a_command_that_cannot_be_imported_stops_no_other_one(tmp_path: Path, install: Install) -> None:
    install("broken", "nlmchem.commands", "magic = broken:MAGIC\ncorpora.magic = broken:MAGIC")
    shown = nlmchem(tmp_path, "--help")
    assert shown.returncode == 0, shown.stderr
    assert "cannot be used" in shown.stdout
    assert nlmchem(tmp_path, "corpora", "--help").returncode == 0
    done = nlmchem(tmp_path, "magic")
    assert (done.returncode, "the package broken has a plugin that cannot be used" in done.stderr) == (2, True)


def test_companions_come_before_plugins_keep_their_names_and_are_no_plugins(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    steps = Registry("nlmchem.steps", Step, {})
    own = steps.names()
    assert own
    assert "nlmchem" not in plugins.versions()
    install("aaa", "nlmchem.steps", f"aaa = aaa:STEP\n{own[0]} = aaa:STEP")
    steps = Registry("nlmchem.steps", Step, {})
    assert steps.names() == (*own, "aaa")
    assert steps.get(own[0]) is not None
    assert f"the name {own[0]!r} is one of nlmchem itself" in caplog.text


def test_of_a_package_that_is_on_the_path_twice_the_first_counts(tmp_path: Path, install: Install) -> None:
    other = tmp_path / "other"
    install("third", "nlmchem.test", "a = third:A", "A = 'x'")
    (other / "third-1.0.dist-info").mkdir(parents=True)
    (other / "third-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: third\nVersion: 1.0\n")
    (other / "third-1.0.dist-info" / "entry_points.txt").write_text("[nlmchem.test]\nb = third:B\n")
    sys.path.append(str(other))
    try:
        assert Registry("nlmchem.test", str, {}).names() == ("a",)
    finally:
        sys.path.remove(str(other))


CORPUS = """
from corpora.datasets.cards import Card, Form
from corpora.datasets.acronyms import AcronymSentence

def read(files, report):
    for member in files["lines"]:
        yield AcronymSentence(member.relative.name, ("ZF",), ("B-short",))

forms = (Form("text", {"all": {"lines": ("*.lines",)}}),)
CARD = Card("verses", "Verses", "verses", "verses:read", "here", "CC0", "any", "", "", forms, {"all": {"sentences": 1}})
"""


def test_a_package_adds_a_corpus_with_its_reader(tmp_path: Path, install: Install) -> None:
    install("verses", "nlmchem.datasets", "verses = verses:CARD", CORPUS)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.lines").write_text("ZF")
    assert "verses             verses             Verses" in nlmchem(tmp_path, "corpora", "list").stdout.splitlines()
    done = nlmchem(tmp_path, "corpora", "stats", "verses", tmp_path / "data", "--json")
    assert (done.returncode, json.loads(done.stdout)["splits"]["all"]["short_forms"]) == (0, 1), done.stderr


ATTRIBUTE = """
from dataclasses import dataclass
from nlmchem.api.attributes import Attribute

@dataclass(frozen=True)
class Place:
    name: str

NAMES = Attribute(lambda document: [Place(passage.text[:4]) for passage in document.passages])
"""


def test_a_package_adds_an_attribute_of_articles(
    tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install("places", "nlmchem.attributes", "places = places:NAMES\ntext = places:NAMES", ATTRIBUTE)
    reserved = results.ATTRIBUTES.reserved
    monkeypatch.setattr(results, "ATTRIBUTES", Registry("nlmchem.attributes", Attribute, {}, reserved))
    (tmp_path / "a.txt").write_text("Zinc in water.")
    assert Article().places == []
    assert "the name 'text' is one of nlmchem itself" in caplog.text
    (tmp_path / "places-2.0.dist-info" / "entry_points.txt").write_text("[nlmchem.attributes]\nplaces = places:NAMES\n")
    plugins._points.cache_clear()
    monkeypatch.setattr(results, "ATTRIBUTES", Registry("nlmchem.attributes", Attribute, {}, reserved))
    (article,) = read(tmp_path / "a.txt")
    assert [place.name for place in article.places] == ["Zinc"]
    assert article.to_dict()["places"] == [{"name": "Zinc"}]
    with pytest.raises(AttributeError, match="'Article' object has no attribute 'elsewhere'"):
        _ = article.elsewhere


def test_plugins_come_after_the_built_in_entries(install: Install) -> None:
    install("third", "nlmchem.test", "b = third:B\na = third:A", "A, B = 'x', 'y'")
    found = Registry("nlmchem.test", str, {"own": "built in"})
    assert found.names() == ("own", "a", "b")
    assert list(found.items()) == [("own", "built in"), ("a", "x"), ("b", "y")]
    assert (found.get("c"), plugins.versions()["third"]) == (None, "2.0")
    with pytest.raises(ConfigurationError, match="unknown thing 'c'; choose one of own, a, b"):
        found.named("c", "thing")


FORMAT = """
from corpora.formats.format import Format, Reader
from corpora.formats import text
FORMAT = Format("verse", "verse", (".verse",), Reader(text.split, text.parse, lambda head: head.startswith(b"VERSE")))
"""


def test_formats_of_plugins_are_tried_after_the_built_in_ones(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("verses", "nlmchem.formats", "verse = verses:FORMAT", FORMAT)
    monkeypatch.setattr(registry, "FORMATS", Registry("nlmchem.formats", Format, registry.FORMATS.built_in))
    assert detection.sniff(b"VERSE zinc", "a.txt") == "verse"
    assert detection.sniff(b"zinc", "a.txt") == "text"
    with pytest.raises(ConfigurationError, match="unknown format 'verse'"):
        registry.writable("verse")


LEAVING = """
import sys, threading
from nlmchem.run.step import NoOptions, Step

def stage(options, context):
    {opening}
    def annotate(documents):
        for document in documents:
            if document.id == "2":
                {working}
    return annotate

{importing}
STEP = Step("magic", NoOptions, stage)
"""


@pytest.mark.parametrize(
    ("place", "code", "sentence"),
    [
        ("importing", 2, "has a plugin that cannot be used (nlmchem.steps: magic = leaving:STEP; SystemExit: 0)"),
        ("opening", 1, "nlmchem: the package leaving raised SystemExit: 0; report it to the authors of leaving."),
        ("working", 3, "article 2 (document '2'), magic: the package leaving raised SystemExit: 0; report it to the"),
    ],
)
def test_a_plugin_that_exits_never_ends_a_command_as_if_all_was_done(
    place: str, code: int, sentence: str, tmp_path: Path, install: Install
) -> None:
    places = dict.fromkeys(("importing", "opening", "working"), "pass") | {place: "sys.exit(0)"}
    install("leaving", "nlmchem.steps", "magic = leaving:STEP", LEAVING.format(**places))
    second = ARTICLE.replace("1|", "2|").replace("1\t10", "2\t10")
    (tmp_path / "a.pubtator").write_text(f"{ARTICLE}\n{second}")
    steps = () if place == "importing" else ("--steps", "magic")
    words = ["annotate", tmp_path / "a.pubtator", "-o", tmp_path / "out", "--workers", "1", *steps]
    done = nlmchem(tmp_path, *words)
    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_thread_of_a_plugin_does_not_keep_a_command_from_ending() -> None:
    code = (
        "import threading, nlmchem.cli as cli; cli.LINGER = 0.1\n"
        "threading.Thread(target=threading.Event().wait).start(); cli.main()"
    )
    command = [sys.executable, "-c", code, "--version"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=100, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0
    assert "a plugin has a thread that does not end, so its process is ended" in done.stderr


def test_what_a_function_of_a_plugin_returns_is_checked() -> None:
    def dumps() -> object:
        return None

    with pytest.raises(ResourceError, match=r"must return a value of type bytes, and returned NoneType; report it"):
        plugins.returned(dumps(), bytes, dumps)
    assert plugins.returned(b"", bytes, dumps) == b""
