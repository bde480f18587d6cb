"""`nlmchem.load` has the options of the configuration, and its errors name its arguments."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nlmchem
from corpora.commands.options import options_of, with_flags
from corpora.errors import Argument, ConfigurationError, NlmchemError, OptionError, ResourceError, Text
from nlmchem.api.loading import stub
from nlmchem.run.options import FileOptions, RunOptions
from nlmchem.run.plan import Configuration

OF_FILES = {"format", *(one.name for one in options_of(FileOptions))}
"""Options of files, which no step has."""
OPTIONS = {one.name: one for kind in (Configuration, RunOptions) for one in options_of(kind)}


def test_load_has_the_options_of_the_configuration_but_none_of_files() -> None:
    arguments = inspect.signature(nlmchem.load).parameters
    assert set(arguments) == {one.name for one in options_of(Configuration)} - OF_FILES


def test_the_signature_of_load_has_the_defaults_of_the_options() -> None:
    for name, argument in inspect.signature(nlmchem.load).parameters.items():
        assert argument.default == OPTIONS[name].default


def test_the_stub_is_that_of_the_steps() -> None:
    """To write it again: python -c 'from nlmchem.api.loading import stub; print(stub())' > nlmchem/__init__.pyi"""
    assert Path(nlmchem.__file__).with_suffix(".pyi").read_text("utf-8") == stub() + "\n"


def test_an_unknown_argument_of_load_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^nlmchem.load\(\) has no argument 'treshold'; help\(nlmchem.load\) lists them$"
    ):
        nlmchem.load(treshold=1)


def test_load_documents_each_argument() -> None:
    for name in inspect.signature(nlmchem.load).parameters:
        assert f"\n        {name}: " in str(nlmchem.load.__doc__)


def test_load_passes_all_arguments_on(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {
        "lexicon": Path("a.tsv"), "steps": ["tag", "normalize"], "tagger": "lexicon", "device": "cuda",
        "guidelines": "bc5cdr", "min_score": 0.5, "rules": "all", "decision": "rules", "explain": True,
        "as_of": 2021, "sieves": ["exact"], "skip_sections": ["REF"], "existing": "keep", "dense": Path("e"),
        "dense_threshold": 0.9, "indexer": "rules", "index_threshold": 0.1,
    }  # fmt: skip
    built: list[Configuration] = []
    plan = Configuration.of(steps=()).parse()
    monkeypatch.setattr(Configuration, "parse", lambda self: built.append(self) or plan)
    nlmchem.load(**given)
    expected = {**given, "lexicon": "a.tsv", "dense": "e"}
    for name in ("steps", "sieves", "skip_sections"):
        expected[name] = tuple(given[name])
    assert built == [Configuration.of(**expected)]


def test_errors_of_load_name_the_argument() -> None:
    with pytest.raises(ConfigurationError, match=r"^min_score must be a number from 0 to 1, not 2$"):
        nlmchem.load(min_score=2)
    with pytest.raises(ConfigurationError, match=r"^min_score must be a number, not 'high'$"):
        nlmchem.load(min_score="high")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"^steps contains 'tagg'; choose from abbreviate, "):
        nlmchem.load(steps="tagg")
    with pytest.raises(ConfigurationError, match=r"^existing must be keep, replace or error, not 'no'$"):
        nlmchem.load(existing="no")
    for name in ("lexicon", "decision", "dense", "rules", "guidelines", "indexer"):
        with pytest.raises(ConfigurationError, match=f"^{name} is empty; give a value, or leave the option out$"):
            nlmchem.load(**{name: ""})
    with pytest.raises(ResourceError, match="name of the lexicon is empty; name a file, or leave lexicon out"):
        nlmchem.lookup("water", "")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"tagger": "lexicon", "skip_sections": ["REF", 1]}, "skip_sections contains 1; each item must be text"),
        ({"tagger": "lexicon", "sieves": ["exact", 1]}, "sieves contains 1; each item must be text"),
        ({"steps": "repair", "repair_types": ["x", 1]}, "repair_types contains 1; each item must be text"),
        ({"steps": ["tag", None]}, "steps contains None; each item must be text"),
        ({"steps": b"tag"}, "steps must be a list, or text with commas, not b'tag'"),
        ({"sieves": bytearray(b"x")}, "sieves must be a list, or text with commas, not bytearray(b'x')"),
    ],
)
def test_load_refuses_bytes_and_items_of_another_type(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        nlmchem.load(**given)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("error", "in_python", "on_the_command_line"),
    [
        (OptionError("min_score", "must be higher"), "min_score must be higher", "--min-score must be higher"),
        (ResourceError("use ", Argument("device", "cpu")), 'use device="cpu"', "use --device cpu"),
        (ResourceError("use ", Argument("workers", 1)), "use workers=1", "use --workers 1"),
        (ResourceError("use ", Argument("restart", True)), "use restart=True", "use --restart"),
        (
            OptionError("split", "needs a corpus; leave ", Text(Argument("split"), " out")),
            "split needs a corpus; leave split out",
            "--split needs a corpus; leave --split out",
        ),
    ],
)
def test_a_message_is_spelled_for_python_and_for_the_command_line(
    error: NlmchemError, in_python: str, on_the_command_line: str
) -> None:
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert (str(one), with_flags(one.text)) == (in_python, on_the_command_line)
    told = pickle.loads(pickle.dumps(Text("a.xml: ", error.text)))
    assert (told, with_flags(told)) == (f"a.xml: {in_python}", f"a.xml: {on_the_command_line}")


def test_the_package_lists_load_and_has_the_installed_version() -> None:
    from importlib.metadata import version

    assert {"load", "__version__"} <= set(dir(nlmchem))
    assert nlmchem.__version__ == version("nlmchem")


def test_python_m_runs_the_command_line() -> None:
    run = subprocess.run([sys.executable, "-m", "nlmchem", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"{nlmchem.__version__}\n"


def test_mypy_checks_calls_of_load(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(
        "import corpora, nlmchem\n"
        "annotate = nlmchem.load('lexicon', lexicon='mesh.sqlite', steps=['tag'], min_score=0.5)\n"
        "reveal_type(annotate)\n"
        "for document in annotate(corpora.read('articles')):\n"
        "    print(document.id)\n"
        "nlmchem.load(min_score='high')\n"
        "nlmchem.load(no_such_option=1)\n"
        "nlmchem.laod()\n"
        "reveal_type(annotate('glucose'))\n"
        "reveal_type(annotate(['glucose', 'zinc']))\n"
        "reveal_type(annotate(nlmchem.read('articles')))\n"
        "annotate('glucose').mentoins\n"
        "annotate('glucose').keyphrases\n"
        "nlmchem.load(steps=['tag', lambda article: article.mentoins], names={'XR-9051': 'MY:1'})\n"
        "annotate({'text': 'zinc'}, id='nr').pmid\n"
    )
    settings = tmp_path / "mypy.ini"
    # Without these packages the check takes a few seconds.
    settings.write_text("[mypy]\n[mypy-torch.*,transformers.*,numpy.*,bioc.*]\nfollow_imports = skip\n")
    options = ["--config-file", str(settings), "--cache-dir", str(tmp_path), "--follow-imports", "silent"]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(snippet)],
        cwd=Path(nlmchem.__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert 'snippet.py:3: note: Revealed type is "nlmchem.api.pipeline.Pipeline"' in found
    assert 'Argument "min_score" to "load" has incompatible type "str"; expected "float"' in found
    assert 'Unexpected keyword argument "no_such_option" for "load"' in found
    assert 'Module has no attribute "laod"' in found
    assert 'snippet.py:9: note: Revealed type is "nlmchem.api.results.Article"' in found
    for line in (10, 11):
        assert f'snippet.py:{line}: note: Revealed type is "nlmchem.api.results.Articles"' in found
    # As on a mention, also in a function that is a step; an attribute of a companion is known.
    for line in (12, 14):
        assert f'snippet.py:{line}: error: "Article" has no attribute "mentoins"' in found
    assert found.count("error:") == 5
