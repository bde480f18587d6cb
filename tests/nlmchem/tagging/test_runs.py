"""Several taggers, one run each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import invoke

import corpora
from corpora.errors import ConfigurationError
from corpora.model.document import mentions
from nlmchem.engine import runner
from nlmchem.engine.executors import InlineExecutor
from nlmchem.engine.runner import RunOptions
from nlmchem.engine.runs import annotate_runs, folder_names, plan_runs
from nlmchem.run.plan import Configuration

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each worker process would load torch.
    monkeypatch.setattr(runner, "LocalExecutor", InlineExecutor)


def test_the_folder_of_a_tagger_is_named_after_the_end_of_its_path() -> None:
    assert folder_names(["lexicon", "default"]) == ["lexicon", "default"]
    assert folder_names(["/a/seed-1/fold-0/model", "/a/seed-2/fold-0/model"]) == ["seed-1-fold-0", "seed-2-fold-0"]
    assert folder_names(["/a/biobert", "/a/pubmedbert"]) == ["biobert", "pubmedbert"]


def test_two_taggers_with_the_same_folder_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="rename"):
        folder_names(["/a-b/c", "/a/b-c", "/q/c"])
    with pytest.raises(ConfigurationError, match="given twice"):
        folder_names(["lexicon", "lexicon"])


def test_runs_without_tagging_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="add tag to steps"):
        plan_runs(Configuration.of(steps=("normalize",)))


def test_an_unknown_tagger_is_refused_before_the_first_run() -> None:
    with pytest.raises(ConfigurationError, match="no tagger 'nowhere'"):
        plan_runs(Configuration.of(tagger="lexicon,nowhere"))


def test_each_tagger_has_a_run_of_its_own(tmp_path: Path, make_model: Callable[..., Path]) -> None:
    model = make_model("bert")
    out = tmp_path / "articles" / "out"
    (tmp_path / "articles").mkdir()
    source = next(EXAMPLES.glob("*.json"))
    (tmp_path / "articles" / source.name).write_bytes(source.read_bytes())
    counts = annotate_runs(
        [str(tmp_path / "articles")], out, plan_runs(Configuration.of(tagger=f"lexicon,{model}")), RunOptions(workers=1)
    )
    assert set(counts) == {"lexicon", model.name}
    assert {count.done for count in counts.values()} == {counts["lexicon"].done}, (
        "no run reads the output of another run"
    )
    assert (out / "lexicon" / "manifest.json").is_file()
    assert (out / model.name / "manifest.json").is_file()


def test_rules_and_runs_from_the_command_line(tmp_path: Path, make_model: Callable[..., Path]) -> None:
    source, model = EXAMPLES / "well-water.pubtator", make_model("bert")
    call = ["annotate", str(source), "--workers", "1"]
    both = [*call, "--tagger", f"lexicon,{model}", "--runs", "-o", str(tmp_path / "none"), "--rules", "none"]
    result = invoke(both)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("done ") == 2
    alone = [*call, "--tagger", str(model), "-o", str(tmp_path / "all"), "--rules", "all"]
    assert invoke(alone).exit_code == 0

    def spans(folder: Path) -> list[object]:
        return [m.spans for d in corpora.read(folder / "well-water.xml") for m in mentions(d)]

    assert spans(tmp_path / "none" / "lexicon")
    assert spans(tmp_path / "none" / model.name) != spans(tmp_path / "all")
    wrong = invoke([*call, "-o", str(tmp_path / "x"), "--rules", "votes"])
    assert "there is no rule 'votes'" in str(wrong.exception or wrong.output)
