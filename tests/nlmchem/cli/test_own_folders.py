"""Commands that write folders: files of the user and files that were changed by hand stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from companion_cases import cases

Nlmchem = Callable[..., tuple[int, str, str]]

COMMANDS: dict[str, tuple[str, ...]] = {
    "ensemble spans": ("ensemble", "spans", "a", "b", "--restart", "-o"),
    "ensemble with gold": ("ensemble", "identifiers", "a", "b", "--gold", "a", "--samples", "10", "--restart", "-o"),
    "ensemble agreement": ("ensemble", "agreement", "a", "b", "--restart", "-o"),
    "silver": ("silver", "vote", "a", "b", "--restart", "-o"),
    "split": ("corpora", "split", "a", "-o"),
    "dictionary": ("corpora", "dictionary", "a", "--samples", "-o"),
    "convert to brat": ("convert", "--format", "brat", "a"),
    "view": ("view", "a", "-o"),
    "report": ("evaluate", "spans", "a", "b", "--samples", "10", "--report"),
    **cases("OUT_FOLDERS"),
}
VOTES = ("ensemble spans", "ensemble with gold", "ensemble agreement", "silver")


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs `a` and `b` over two articles, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for run in ("a", "b"):
        Path(run).mkdir()
        documents = [document(number, "Chemical" if run == "a" or number else "Other") for number in range(2)]
        (Path(run) / "all.json").write_text(json.dumps({"documents": documents}))


def document(number: int, type: str) -> dict[str, object]:
    text = f"Alanine aminotransferase (ALT) and glucose {number} were measured."
    mention = {"id": "1", "infons": {"type": type, "identifier": "MESH:D000409"}, "text": "Alanine"}
    annotation = {**mention, "locations": [{"offset": 0, "length": 7}]}
    return {"id": str(number), "passages": [{"offset": 0, "text": text, "annotations": [annotation]}]}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_folder_of_the_user_is_refused(name: str, run: Nlmchem) -> None:
    mine = Path("mine")
    mine.mkdir()
    for file in ("manifest.json", "train.xml", "dictionary.json", "index.html", "notes.txt"):
        (mine / file).write_text("years of work")
    before = tree(mine)
    code, _, told = run(*COMMANDS[name], mine)
    assert (code, told.count("\n")) == (2, 1), told
    assert "name a new folder" in told or "choose another" in told
    assert tree(mine) == before
    assert sorted(path.name for path in Path().iterdir()) == ["a", "b", "mine"], "nothing is left beside it"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_was_changed_by_hand_stays(name: str, run: Nlmchem) -> None:
    out = Path("out")
    # Files that nobody has changed are replaced.
    for _time in range(2):
        code, _, told = run(*COMMANDS[name], out)
        assert code == 0, told
    changed = min((path for path in out.rglob("*") if path.is_file() and path.name[0] != "."), key=lambda p: p.name)
    changed.write_bytes(changed.read_bytes() + b"corrected")
    before = tree(out)
    code, _, told = run(*COMMANDS[name], out)
    assert code != 0
    assert str(changed) in told
    assert tree(out)[str(changed.relative_to(out))] == before[str(changed.relative_to(out))]


@pytest.mark.parametrize("name", [*VOTES, "convert to brat"])
def test_a_folder_with_a_further_file_is_not_replaced_as_a_whole(name: str, run: Nlmchem) -> None:
    out = Path("out")
    assert run(*COMMANDS[name], out)[0] == 0
    (out / "notes.txt").write_text("mine")
    code, _, told = run(*COMMANDS[name], out)
    assert (code, (out / "notes.txt").read_text()) == (2, "mine")
    assert "notes.txt was changed or added and would be lost" in told


# -- one file -----------------------------------------------------------------------------------

FILES: dict[str, tuple[str, ...]] = {
    "train indexer": ("train", "indexer", "a/all.json", "--gold", "b"),
    "lexicon build": ("lexicon", "build", "--desc", "a/all.json"),
    "submit": ("submit", "a/all.json", "--task", "indexing", "--team", "9", "--run", "1", "--reference", "b"),
    "view": ("view", "a/all.json"),
    **cases("OUT_FILES"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("out", ["a/all.json", "a/../a/all.json", "link.json"])
def test_an_output_that_is_an_input_is_refused(name: str, out: str, run: Nlmchem) -> None:
    Path("link.json").symlink_to("a/all.json")
    before = tree(Path("a"))
    code, _, told = run(*FILES[name], "-o", out)
    assert code == 2
    flag = "--fix" if name == "verify" else "--out"
    assert f"{flag} is {out}, which is one of the inputs (a/all.json); choose another" in told
    assert tree(Path("a")) == before


def test_an_output_that_a_pattern_matches_is_refused(run: Nlmchem) -> None:
    code, _, told = run("view", "a/*.json", "-o", "a/all.json")
    assert code == 2
    assert "which is one of the inputs (a/*.json)" in told


def test_a_folder_that_is_an_input_is_refused_as_output(run: Nlmchem) -> None:
    assert run("corpora", "split", "a", "-o", "parts", "--shares", "train=1")[0] == 0
    before = tree(Path("parts"))
    code, _, told = run("corpora", "split", "parts", "-o", "parts", "--shares", "train=0.5,dev=0.5")
    assert (code, tree(Path("parts"))) == (2, before)
    assert "which is one of the inputs (parts)" in told
