"""Wrong usage is refused in one sentence, before any work; and no option is ignored."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import nlmchem
from corpora import extras
from corpora.errors import ResourceError
from nlmchem.cli.exit_codes import EXIT_CODES
from nlmchem.tagging.models import folders

Nlmchem = Callable[..., tuple[int, str, str]]


@pytest.fixture
def article(tmp_path: Path) -> Path:
    path = tmp_path / "article.pubtator"
    path.write_text("1|t|Glucose in water\n1|a|Rats were given ethanol.\n\n", "utf-8")
    return path


def refused(outcome: tuple[int, str, str]) -> str:
    """The one sentence with which a command was refused."""
    code, printed, sentence = outcome
    assert (code, printed, sentence.count("\n")) == (2, "", 1), outcome
    assert "unexpected" not in sentence
    return sentence


# -- taggers ------------------------------------------------------------------------------------


def test_another_model_in_place_of_the_embedded_one_is_refused(
    run: Nlmchem, article: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of Hugging Face has no file of the embedded kind. The lexicon tagger must not replace the model."""
    folder = tmp_path / "default"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(folders, "FOLDER", folder)
    sentence = refused(run("annotate", article, "-o", tmp_path / "out"))
    assert f"the embedded model is missing: {folder} has no {folders.FILE}" in sentence
    assert not (tmp_path / "out").exists()
    with pytest.raises(ResourceError, match="the embedded model is missing"):
        nlmchem.load()


# -- sieves -------------------------------------------------------------------------------------


def test_annotate_takes_the_order_that_lexicon_order_prints(
    run: Nlmchem, article: Path, mesh: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.pubtator"
    gold.write_text(article.read_text() + "\n", "utf-8")
    _, printed, _ = run("lexicon", "order", "--gold", gold, "--lexicon", mesh)
    order = printed.splitlines()[-1].removeprefix("order\t")
    given = ("annotate", article, "-o", tmp_path / "out", "--tagger", "lexicon")
    assert run(*given, "--sieves", order)[0] == 0


def test_only_the_given_sieves_are_used_and_they_are_part_of_the_configuration(
    run: Nlmchem, article: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = ("annotate", article, "-o", out, "--tagger", "lexicon", "--steps", "tag,normalize")
    assert run(*given, "--sieves", "ion,formula")[0] == 0
    assert b"MESH:" not in (out / "article.xml").read_bytes()
    configuration = json.loads((out / "manifest.json").read_text())["configuration"]
    assert configuration["steps"]["normalize"]["options"]["sieves"] == ["ion", "formula"]
    assert "(sieves differs)" in refused(run(*given))
    assert run(*given, "--restart")[0] == 0
    assert b"MESH:" in (out / "article.xml").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--sieves", "exact,exakt"), "--sieves cannot be used: there is no sieve 'exakt'; choose from "),
        (("--sieves", "exact,ion,exact"), "names 'exact' more than once"),
        (("--sieves", "exact", "--steps", "tag"), "--sieves needs the step normalize"),
        (("--min-score", "2"), "--min-score must be a number from 0 to 1, not 2"),
        (("--min-score", "0.5"), "--min-score has no effect with the lexicon tagger; leave it out"),
        (("--rules", "none"), "--rules has no effect with the lexicon tagger"),
        (("--arithmetic", "int8"), "--arithmetic has no effect with the lexicon tagger"),
        (("--guidelines", "bc5cdr"), "--guidelines has no effect with the lexicon tagger"),
        (("--labels", "O,B-Drug,I-Drug"), "--labels has no effect with the lexicon tagger"),
        (("--device", "cuda"), "--device has no effect with the lexicon tagger"),
        (("--device", "gpu"), "--device must be cpu, cuda or cuda:N, not 'gpu'"),
        (("--skip-sections", "REF,METHOD"), "--skip-sections contains 'METHOD'; the sections are ABBR, ABSTRACT, "),
        (("--skip-sections", "REF", "--steps", "normalize"), "--skip-sections needs the step tag or repair"),
        (("--tagger", "lexicon", "--steps", "normalize"), "--tagger needs the step tag; add it to the steps, or leave"),
        (("--existing", "drop"), "--existing must be keep, replace or error, not 'drop'"),
        (("--format", "word"), "--format must be biocxml, biocjson, "),
        (("--workers", "many"), "--workers must be auto or a number of 1 or more, not 'many'"),
        (("--shard", "3/2"), "--shard must be I/N with I from 1 to N"),
        (("--timeout", "0"), "--timeout must be a number of 0.1 or more, not 0"),
        (("--lexicon", "."), "Is a directory"),
        (("--config", "."), "Is a directory"),
        (("--tagger", "."), "has no config.json"),
        (("--indexer", "./"), "Is a directory"),
    ],
)
def test_wrong_options_of_annotate(
    run: Nlmchem,
    article: Path,
    tmp_path: Path,
    options: tuple[str, ...],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    tagger = () if {"--tagger", "--steps"} & set(options) else ("--tagger", "lexicon")
    assert sentence in refused(run("annotate", article, "-o", "out", *tagger, *options))
    assert not (tmp_path / "out").exists()


def test_a_missing_extra_is_named_before_any_work(
    run: Nlmchem, article: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    sentence = refused(run("annotate", article, "-o", tmp_path / "out", "--tagger", "lexicon", "--dask", "tcp://x:1"))
    assert 'pip install "nlmchem[dask]"' in sentence
    assert not (tmp_path / "out").exists()


# -- files and folders --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (("train", "indexer"), ("--gold", "article.pubtator")),
    ],
)
def test_a_folder_in_place_of_an_output_file_is_refused(
    run: Nlmchem, article: Path, tmp_path: Path, command: tuple[str, ...], options: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert "--out must be a file, but" in refused(run(*command, article, *options, "-o", tmp_path))


def test_training_of_an_encoder_refuses_a_folder_before_it_begins(run: Nlmchem, tmp_path: Path) -> None:
    assert "--out must be a file, but" in refused(run("train", "dense", "-o", tmp_path))


@pytest.mark.parametrize("command", [("corpora", "split"), ("corpora", "dictionary")])
def test_a_file_in_place_of_an_output_folder_is_refused(run: Nlmchem, article: Path, command: tuple[str, ...]) -> None:
    assert "--out must be a folder, but" in refused(run(*command, article, "-o", article))


def test_a_path_that_the_system_refuses_is_named(run: Nlmchem, article: Path) -> None:
    name = "a" * 300
    assert f"{name} cannot be used: the path is too long" in refused(run("convert", article, name))


# -- exit codes ---------------------------------------------------------------------------------


def test_the_help_text_lists_the_exit_codes(run: Nlmchem) -> None:
    code, printed, _ = run("--help")
    assert code == 0
    for number, meaning in EXIT_CODES.items():
        assert f"{number}  {meaning}" in printed


@pytest.mark.parametrize(
    ("words", "meant", "as_argument"),
    [
        ("lexicon bild --desc desc.xml", "build", "lexicon lookup bild"),
        ("index sugest annotated", "suggest", "index list sugest"),
        ("ensemble agrement a b", "agreement", "ensemble vote agrement"),
        ("silver biuld a -o out", "build", "silver vote biuld"),
    ],
)
def test_a_mistyped_command_is_not_an_argument_of_the_default_command(
    run: Nlmchem, words: str, meant: str, as_argument: str
) -> None:
    code, printed, message = run(*words.split())
    assert (code, printed) == (2, "")
    group, word = words.split()[:2]
    assert message == (
        f"nlmchem: `nlmchem {group}` has no command {word!r}, and there is no such file; did you mean "
        f"`nlmchem {group} {meant}`? As an argument: `nlmchem {as_argument}`\n"
    )


def test_an_argument_that_resembles_a_command_can_be_used(
    run: Nlmchem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists").write_text("1|t|Zinc\n1|a|\n\n")
    assert run("index", "lists")[0] == 0
    assert run("lexicon", "lookup", "bild", "--lexicon", "starter")[2].startswith(
        "nlmchem: the lexicon does not contain"
    )


def test_a_text_can_be_annotated_without_a_tagger(run: Nlmchem) -> None:
    """Before, the reasons of a decision were asked for, which only a tagger has."""
    code, told, problem = run("annotate", "--text", "zinc", "--steps", "repair", "--lexicon", "starter")
    assert (code, told.splitlines()[0]) == (0, "mention\tidentifier\tname\twhy"), problem


@pytest.mark.parametrize(
    "line",
    [
        "annotate in -o out --config FILE", "annotate in -o out --lexicon FILE", "annotate in -o out --indexer FILE",
        "annotate in -o out --dense FILE", "lexicon lookup zinc --lexicon FILE", "fetch pmc --ids FILE",
        "curate import in --selection FILE -o out", "evaluate identifiers in in --parents FILE",
        "train dense --lexicon FILE -o out", "pairs pairs.jsonl --model FILE",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["pipe", "device", "system"])
def test_a_file_that_may_never_end_is_refused_before_it_is_opened(
    line: str, kind: str, run: Nlmchem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A named pipe without a writer, a device, and a link to a file that waits for messages of the system."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    os.mkfifo("pipe")
    Path("system").symlink_to("/proc/self/status")
    name = "/dev/zero" if kind == "device" else kind
    code, _, told = run(*line.replace("FILE", name).split())
    assert code == 2
    assert "which may never end; name a file" in told


# -- lists of files -----------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["\n", "\0"])
def test_a_list_of_files_is_read_by_its_option_and_is_no_text(
    run: Nlmchem, article: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    other = tmp_path / "of water.txt"
    other.write_text("Glucose in water.")
    names = tmp_path / "names.txt"
    names.write_text(f"{article}{mark}{other}{mark}")
    options = ("--tagger", "lexicon", "--steps", "tag", "--workers", "1")
    sentence = refused(run("annotate", names, "-o", tmp_path / "out", *options))
    assert (
        "names.txt: it is a list of names of files, not a text; read these with `nlmchem annotate --files-from"
        in sentence
    )
    code, _, _ = run("annotate", "--files-from", names, "-o", tmp_path / "out.jsonl", *options)
    assert code == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2
    assert "standard input is read once" in refused(run("annotate", "-", "--files-from", "-", "-o", tmp_path / "o"))


def test_a_folder_with_the_suffix_of_a_file_is_reported(run: Nlmchem, article: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.xyz"
    options = ("--tagger", "lexicon", "--steps", "tag", "--workers", "1")
    code, _, told = run("annotate", article, "-o", out, *options)
    assert code == 0
    assert f"{out} becomes a folder, because no format that is written has the suffix .xyz" in told
    _, _, told = run("annotate", article, "-o", out, *options)
    assert "becomes a folder" not in told
