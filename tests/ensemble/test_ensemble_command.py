"""The commands on the command line: error messages of one sentence, the summary, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bioc import BioCDocument
from command_line import invoke

import corpora
from corpora.errors import ConfigurationError
from corpora.model.document import index_terms
from nlmchem.cli.exit_codes import ending

ZINC, COPPER = (19, 23, "MESH:D015032"), (0, 6, "MESH:D003300")


@pytest.fixture
def call() -> Callable[..., Any]:
    return lambda *arguments: invoke(arguments)


@pytest.fixture
def runs(write_run: Callable[..., str], document: Callable[..., BioCDocument]) -> list[str]:
    marks: list[list[Any]] = [[ZINC, COPPER], [ZINC], [ZINC]]
    return [write_run(f"run{at}", [document("1", some, ["MESH:D015032"])]) for at, some in enumerate(marks)]


@pytest.mark.parametrize(
    "command",
    [("ensemble", "vote"), ("ensemble", "spans"), ("ensemble", "identifiers"), ("ensemble", "indexing"),
     ("ensemble", "agreement"), ("silver",), ("submit",)],
)  # fmt: skip
def test_every_command_has_an_example(call: Callable[..., Any], command: tuple[str, ...]) -> None:
    result = call(*command, "--help")
    assert result.exit_code == 0
    assert f"Example: nlmchem {' '.join(command)} " in " ".join(result.output.split())


def test_from_runs_to_a_submission(call: Callable[..., Any], runs: list[str], tmp_path: Path) -> None:
    voted = call("ensemble", "identifiers", *runs, "-o", tmp_path / "voted", "--json", "--workers", 1)
    assert voted.exit_code == 0, voted.output
    account = json.loads(voted.stdout)
    assert (account["runs"], account["threshold"], account["mentions"]) == (3, 0.5, 1)
    # A folder of one command is the input of the next.
    out = tmp_path / "Track2-Team-999-Subtask1-Run-1.xml"
    sent = call(
        "submit", tmp_path / "voted", "--reference", runs[0], "--task", "identification", "--team", 999, "--run", 1,
        "-o", out,
    )  # fmt: skip
    assert sent.exit_code == 0, sent.output
    assert "checked: the scorer accepts the file" in sent.stdout
    (document,) = corpora.read(out)
    assert [(m.text, m.identifiers) for m in corpora.mentions(document)] == [("zinc", ("MESH:D015032",))]


def test_the_plain_command_votes_on_all(call: Callable[..., Any], runs: list[str], tmp_path: Path) -> None:
    """Spans, identifiers and index terms are those of the commands for each."""
    voted = call("ensemble", *runs, "-o", tmp_path / "all", "--workers", 1)
    assert voted.exit_code == 0, voted.output
    assert "1 mention (1 distinct text, 0 merged), 1 distinct identifier, 1 index term; results in" in voted.stdout
    (document,) = corpora.read(tmp_path / "all")
    assert [(m.text, m.identifiers) for m in corpora.mentions(document)] == [("zinc", ("MESH:D015032",))]
    assert [term.identifier for term in index_terms(document)] == ["MESH:D015032"]
    for task in ("spans", "identifiers", "indexing"):
        scored = json.loads(call("evaluate", task, runs[1], tmp_path / "all", "--samples", 0, "--json").stdout)
        assert scored["strict"]["f1"] == 1, task


def test_with_a_gold_standard_the_plain_command_scores_the_spans(
    call: Callable[..., Any], runs: list[str], tmp_path: Path
) -> None:
    given = (*runs, "--gold", runs[0], "--threshold", "best", "--samples", 10, "--json", "--workers", 1)
    plain = json.loads(call("ensemble", *given, "-o", tmp_path / "all").stdout)
    spans = json.loads(call("ensemble", "spans", *given, "-o", tmp_path / "spans").stdout)
    assert plain["scores"] == spans["scores"]
    assert (plain["index_terms"], spans["index_terms"]) == (1, 0)


def test_what_a_part_of_the_vote_leaves_out_is_reported(
    call: Callable[..., Any], runs: list[str], tmp_path: Path
) -> None:
    spans = call("ensemble", "spans", *runs, "-o", tmp_path / "spans", "--workers", 1)
    assert spans.stdout.splitlines()[1] == (
        "not in the results: identifiers and index terms; `nlmchem ensemble vote` votes on all"
    )
    identifiers = call("ensemble", "identifiers", *runs, "-o", tmp_path / "ids", "--workers", 1)
    assert "not in the results: index terms;" in identifiers.stdout
    scored = call("evaluate", "identifiers", runs[1], tmp_path / "spans", "--samples", 0)
    assert "no annotation of type 'Chemical' in spans has an identifier, so its scores are 0" in scored.stderr


def test_the_summary_as_text(call: Callable[..., Any], runs: list[str], tmp_path: Path) -> None:
    result = call("silver", *runs, "--threshold", 0.3, "-o", tmp_path / "silver", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(
        "3 runs over 1 document, threshold 0.3000: 2 mentions (2 distinct texts, 0 merged), "
        "2 distinct identifiers, 1 index term; results in "
    )
    # Warnings go to stderr, so that programs can read stdout.
    assert "has the same annotations as" in result.stderr


def test_the_manifest_of_an_ensemble_has_the_time_and_the_versions(
    call: Callable[..., Any], runs: list[str], tmp_path: Path
) -> None:
    assert call("ensemble", "spans", *runs, "-o", tmp_path / "voted", "--workers", 1).exit_code == 0
    manifest = json.loads((tmp_path / "voted" / "manifest.json").read_text())
    assert manifest["made"].endswith("+00:00")
    assert "nlmchem" in manifest["environment"]["packages"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--threshold", "1.5"), "from 0 to 1"),
        (("--threshold", "best"), "add --gold"),
        (("--threshold", "nowhere"), "curve.json"),
        (("--overlaps", "longest"), "merge or best"),
        (("--weights", "1,2"), "2 weights for 3 runs"),
        (("--missing", "drop"), "error or abstain"),
        (("--workers", "none"), "a number of 1 or more"),
        (("--format", "word"), "must be biocxml, biocjson, jsonl, xml, bioc or json"),
    ],
)
def test_wrong_options_are_one_sentence(
    call: Callable[..., Any], runs: list[str], tmp_path: Path, arguments: tuple[str, str], sentence: str
) -> None:
    result = call("ensemble", "spans", *runs, "-o", tmp_path / "out", *arguments)
    assert isinstance(result.exception, ConfigurationError)
    assert sentence in ending(result.exception).sentence
    assert not (tmp_path / "out").exists()


def test_an_output_folder_in_use_is_refused_before_the_runs_are_read(
    call: Callable[..., Any], runs: list[str], tmp_path: Path
) -> None:
    result = call("ensemble", "spans", "no-such-run", "-o", Path(runs[0]).parent)
    assert "is not empty" in str(result.exception)


def test_runs_that_do_not_match_leave_nothing_behind(
    call: Callable[..., Any],
    runs: list[str],
    write_run: Callable[..., str],
    document: Callable[..., BioCDocument],
    tmp_path: Path,
) -> None:
    other = write_run("other", [document("1", texts=("Copper sulphate and zinc in cells",))])
    result = call("ensemble", "spans", *runs, other, "-o", tmp_path / "out", "--workers", 1)
    assert isinstance(result.exception, ConfigurationError)
    assert "document '1', passage 1: the texts differ from character 10" in str(result.exception)
    assert not list(tmp_path.glob("*out*"))


def test_the_commands_load_nothing_heavy_before_they_are_called() -> None:
    code = (
        "import sys; from nlmchem.cli.app import program; "
        "program().main(['ensemble', 'spans', '--help'], standalone_mode=False); "
        "print(sorted({'numpy', 'torch', 'joblib', 'bioc', 'ensemble.votes', 'ensemble.silver'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
