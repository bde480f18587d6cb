"""Tasks go to an editor and come back: nothing is lost, and every change is counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import call

import corpora
from corpora.datasets.articles import article
from corpora.errors import ConfigurationError, OptionError
from corpora.formats import registry
from corpora.formats.registry import editor_names
from corpora.model.document import add_mention, mentions, set_identifiers
from corpora.reporting import ignore
from nlmchem.companions.curation.gold import import_tasks
from nlmchem.companions.curation.selection import Choice, export, open_selection, write_selection

Given = Callable[..., dict[str, Any]]


@pytest.fixture
def given(selection: Path, tmp_path: Path) -> Given:
    """Import tasks into `gold`."""

    def ran(*paths: Path, merge: str = "majority", out: str = "gold") -> dict[str, Any]:
        known = {"MESH:D2", "MESH:D3", "MESH:D002338"}
        return import_tasks(list(map(str, paths)), selection, tmp_path / out, merge, known.__contains__, ignore)

    return ran


@pytest.fixture
def tasks(selection: Path, mesh: Path, tmp_path: Path) -> Callable[[str], Path]:
    """The exported tasks of an editor."""

    def exported(editor: str) -> Path:
        if package := registry.named(editor).package:
            pytest.importorskip(package)
        export(selection, editor, tmp_path / editor, mesh, ignore)
        return tmp_path / editor

    return exported


def label_studio(folder: Path) -> list[Any]:
    value: list[Any] = json.loads((folder / "tasks.label-studio.json").read_text("utf-8"))
    return value


def finished(values: list[Any], name: str) -> list[Any]:
    """The tasks of Label Studio as an annotator that changed nothing leaves them."""
    for value in values:
        value.setdefault("annotations", []).append(
            {"completed_by": {"email": name}, "result": json.loads(json.dumps(value["predictions"][0]["result"]))}
        )
    return values


def stored(values: list[Any], path: Path) -> Path:
    path.write_text(json.dumps(values), "utf-8")
    return path


def facts(folder: Path) -> list[Any]:
    return [
        (document.id, mention.spans, mention.text, mention.type, mention.identifiers, mention.sought)
        for document in corpora.read(folder)
        for mention in sorted(mentions(document, None), key=lambda one: one.spans)
    ]


@pytest.mark.parametrize("editor", [*editor_names(), "bioc"])
def test_what_was_not_changed_comes_back_equal(
    editor: str, tasks: Callable[[str], Path], given: Given, selection: Path, tmp_path: Path
) -> None:
    folder = tasks(editor)
    if editor == "label-studio":
        stored(finished(label_studio(folder), "ann"), folder / "tasks.label-studio.json")
    if editor == "prodigy":
        path = folder / "tasks.prodigy.jsonl"
        rows = [json.loads(line) | {"answer": "accept"} for line in path.read_text("utf-8").splitlines()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = given(folder)
    assert done["failed"] == []
    (counts,) = done["annotators"].values()
    assert counts == {"passages": 4, "kept": 10} | dict.fromkeys(
        ("relinked", "moved", "removed", "added", "without identifier"), 0
    )
    assert done["unknown_identifiers"] == {}
    assert facts(tmp_path / "gold") == facts(selection)


def test_changes_are_counted_listed_and_kept_in_the_mentions(
    tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    values = finished(label_studio(tasks("label-studio")), "ann")
    result = values[0]["annotations"][0]["result"]
    assert [one["value"]["text"] for one in result] == ["𝛼-carotene", ["MESH:D2"], "carotene", ["MESH:D002338"]]
    result[0]["value"] |= {"start": 5, "text": "in 𝛼-carotene"}
    result[3]["value"]["text"] = ["MESH:D9"]
    new = {"start": 0, "end": 4, "text": "Zinc", "labels": ["Chemical"]}
    result.append({"id": "new", "type": "labels", "value": new})
    done = given(stored([values[0]], tmp_path / "project.json"))
    assert done["annotators"]["ann"] == {
        "passages": 1, "kept": 0, "relinked": 1, "moved": 1, "removed": 0, "added": 1, "without identifier": 0,
    }  # fmt: skip
    assert done["unfinished"] == [["1", 19], ["2", 0], ["2", 19]]
    assert done["unknown_identifiers"] == {"MESH:D9": 1}
    (document,) = corpora.read(tmp_path / "gold")
    by_text = {mention.text: mention.annotation.infons for mention in mentions(document)}
    assert by_text["in 𝛼-carotene"] == {
        "type": "Chemical", "identifier": "MESH:D2", "annotator": "curator:ann", "change": "moved",
        "before": "8-18 by nlmchem:x@1",
    }  # fmt: skip
    assert by_text["carotene"]["before"] == "MESH:D002338 by nlmchem:x@1"
    assert by_text["Zinc"]["change"] == "added"
    rows = (tmp_path / "gold" / "report" / "changes.tsv").read_text("utf-8").splitlines()
    assert rows[1].split("\t") == ["1", "0", "ann", "added", "0-4", "Zinc", "-", ""]
    assert len(rows) == 4


def test_a_removed_mention_is_gone_and_listed(tasks: Callable[[str], Path], given: Given, tmp_path: Path) -> None:
    path = tasks("doccano") / "tasks.doccano.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[0]["entities"] = []
    (tmp_path / "ann.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = given(tmp_path / "ann.jsonl")
    assert done["annotators"]["ann"]["removed"] == 2
    assert "removed\t10-18\tcarotene" in (tmp_path / "gold" / "report" / "changes.tsv").read_text("utf-8")
    assert len(facts(tmp_path / "gold")) == 10


def test_two_annotators_are_compared_and_merged(tasks: Callable[[str], Path], given: Given, tmp_path: Path) -> None:
    values = finished(finished(label_studio(tasks("label-studio")), "ann"), "bob")
    del values[0]["annotations"][1]["result"][2:]
    path = stored(values, tmp_path / "project.json")
    done = given(path)
    (pair,) = done["agreement"]
    assert (pair["annotators"], pair["passages"], pair["approximate"]) == (("ann", "bob"), 4, 1.0)
    assert pair["strict"] == pytest.approx(2 * 9 / 19, abs=1e-4)
    assert 0 < pair["kappa"] <= 1
    rows = (tmp_path / "gold" / "report" / "adjudication.tsv").read_text("utf-8").splitlines()
    assert rows[1:] == ["1\t0\t10-18\tcarotene\tMESH:D002338\tabsent"]
    numbers = {}
    for merge in ("majority", "union", "intersection", "first"):
        given(path, merge=merge, out=merge)
        numbers[merge] = len(facts(tmp_path / merge))
    assert numbers == {"majority": 11, "union": 12, "intersection": 11, "first": 12}


def test_bad_input_is_one_sentence_and_the_rest_is_imported(
    tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    values = finished(label_studio(tasks("label-studio")), "ann")

    def faults(number: int, change: Callable[[Any], None]) -> str:
        copy = json.loads(json.dumps(values))
        change(copy[number])
        done = given(stored(copy, tmp_path / "project.json"))
        assert done["passages"] == 2
        (fault,) = done["failed"]
        return str(fault)

    assert "the texts differ from character 4" in faults(0, lambda one: one["data"].update(text="Zinc\nin 𝛼-carotene"))
    assert "the passage at offset 7 is not in the selection" in faults(1, lambda one: one["data"].update(offset=7))
    label = faults(0, lambda one: one["annotations"][0]["result"][0]["value"].update(labels=["Gene"]))
    assert "these came back: 'Gene' (1); rename or remove them" in label
    outside = faults(0, lambda one: one["annotations"][0]["result"][0]["value"].update(end=99))
    assert "outside the text" in outside


@pytest.mark.parametrize("change", ["line ends", "normalization"])
@pytest.mark.parametrize("editor", ["label-studio", "doccano", "prodigy", "brat", "inception"])
def test_a_text_that_an_editor_changed_is_one_failed_article(
    editor: str, change: str, tasks: Callable[[str], Path], given: Given
) -> None:
    folder = tasks(editor)
    (path,) = [one for one in folder.glob("*.*") if one.name.startswith(("tasks.", "1.txt", "1.json"))]
    text = path.read_text("utf-8")
    if change == "normalization":
        before, after = "𝛼-carotene", "α-carotene"
    elif editor == "brat":
        before, after = "Zinc, copper", "Zinc,\x85copper"
    else:
        before, after = "Zinc,\\ncopper", "Zinc,\\r\\ncopper"
    assert before in text
    changed = text.replace(before, after) if editor in ("brat", "inception") else text.replace(before, after, 1)
    path.write_text(changed, "utf-8")
    if editor == "label-studio":
        stored(finished(label_studio(folder), "ann"), path)
    if editor == "prodigy":
        path.write_text(changed.replace('"spans"', '"answer": "accept", "spans"'), "utf-8")
    done = given(folder)
    assert done["passages"] == 2, "the other article is imported"
    (fault,) = done["failed"]
    # With another number of characters, a region can be outside the text before the texts are compared.
    assert "a text must not be changed" in fault or "the editor has another text than the export" in fault


def test_a_half_finished_project_is_imported_and_the_rest_is_counted(
    tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    values = label_studio(tasks("label-studio"))
    finished(values[:1], "ann")
    values[1]["annotations"] = [{"completed_by": {"email": "ann"}, "was_cancelled": True, "result": []}]
    done = given(stored(values, tmp_path / "project.json"))
    assert done["failed"] == []
    assert (done["passages"], done["annotators"]["ann"]["kept"]) == (1, 2)
    assert done["unfinished"] == [["1", 19], ["2", 0], ["2", 19]]


def test_tasks_of_another_selection_and_unfinished_projects(
    tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    folder = tasks("label-studio")
    with pytest.raises(ConfigurationError, match="no passage of the selection was finished; finish some"):
        given(folder)
    values = finished(label_studio(folder), "ann")
    for value in values:
        value["data"]["document"] = "9"
    with pytest.raises(ConfigurationError, match="'9' is not in the selection; give the selection"):
        given(stored(values, tmp_path / "project.json"))


def test_two_annotators_with_one_name_are_refused(tasks: Callable[[str], Path], given: Given, tmp_path: Path) -> None:
    values = finished(label_studio(tasks("label-studio")), "ann")
    paths = [stored(values, tmp_path / name) for name in ("a.json", "b.json")]
    done = given(*paths)
    assert len(done["failed"]) == 2
    assert "ann annotated the passage at offset 0 of '1' also in" in done["failed"][0]


def test_one_annotator_twice_on_a_passage_in_one_file_is_refused(
    tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    values = finished(finished(label_studio(tasks("label-studio")), "ann"), "bob")
    for again in values[0]["annotations"]:
        again["completed_by"]["email"] = "ann"
    imported = given(stored(values, tmp_path / "all.json"))
    (fault,) = imported["failed"]
    assert "ann annotated the passage at offset 0 of '1' twice in this file; remove one" in fault
    assert imported["annotators"].keys() == {"ann", "bob"}


def test_emptied_identifiers_of_all_regions_are_no_concepts(
    tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    values = finished(label_studio(tasks("label-studio")), "ann")
    for value in values:
        result = value["annotations"][0]["result"]
        result[:] = [one for one in result if one["type"] != "textarea"]
    imported = given(stored(values, tmp_path / "all.json"))
    assert imported["annotators"]["ann"]["relinked"] > 0
    assert {identifiers for *_, type, identifiers, _ in facts(tmp_path / "gold") if type == "Chemical"} == {()}


TWINS = (["MESH:D2"], ["MESH:D3"])


@pytest.fixture
def twins(selection: Path, tmp_path: Path) -> Path:
    """A selection with two chemicals of different concepts at one place."""
    document = next(iter(corpora.read(tmp_path / "run.xml")))
    del document.passages[1:]
    title = document.passages[0]
    title.annotations.clear()
    for number, identifiers in enumerate(TWINS):
        set_identifiers(add_mention(title, [(0, 4)], id=f"C{number}", annotator="nlmchem:x@1", score=0.6), identifiers)
    corpora.write([document], tmp_path / "twins.xml")
    write_selection(tmp_path / "twins", [str(tmp_path / "twins.xml")], Choice(4), ignore)
    return tmp_path / "twins"


@pytest.mark.parametrize("editor", ["label-studio", "doccano", "prodigy", "brat"])
def test_two_mentions_at_one_place_come_back_as_they_were(editor: str, twins: Path, mesh: Path, tmp_path: Path) -> None:
    export(twins, editor, tmp_path / "tasks", mesh, ignore)
    if editor == "label-studio":
        stored(finished(label_studio(tmp_path / "tasks"), "ann"), tmp_path / "tasks" / "tasks.label-studio.json")
    if editor == "prodigy":
        (lines,) = (tmp_path / "tasks").glob("*.jsonl")
        done = [json.dumps({**json.loads(line), "answer": "accept"}) for line in lines.read_text("utf-8").splitlines()]
        lines.write_text("\n".join(done), "utf-8")
    imported = import_tasks([str(tmp_path / "tasks")], twins, tmp_path / "gold", "majority", lambda _: True, ignore)
    (counts,) = imported["annotators"].values()
    assert (counts["relinked"], counts["removed"], counts["added"], imported["duplicates"]) == (0, 0, 0, 0)
    at_start = [fact for fact in facts(tmp_path / "gold") if tuple(fact[1]) == ((0, 4),)]
    assert sorted(list(fact[4]) for fact in at_start) == [*TWINS]


def test_of_two_mentions_at_one_place_the_removed_one_is_listed(twins: Path, mesh: Path, tmp_path: Path) -> None:
    export(twins, "label-studio", tmp_path / "tasks", mesh, ignore)
    values = finished(label_studio(tmp_path / "tasks"), "ann")
    result = values[0]["annotations"][0]["result"]
    result[:] = [one for one in result if one["id"] != "m1"]
    tasks = stored(values, tmp_path / "all.json")
    imported = import_tasks([str(tasks)], twins, tmp_path / "gold", "majority", lambda _: True, ignore)
    assert imported["annotators"]["ann"]["removed"] == 1
    at_start = [fact for fact in facts(tmp_path / "gold") if tuple(fact[1]) == ((0, 4),)]
    assert [list(fact[4]) for fact in at_start] == [TWINS[1]]


@pytest.mark.parametrize("what", ["annotator", "identifier"])
def test_a_control_character_is_one_fault_and_the_rest_is_imported(
    what: str, tasks: Callable[[str], Path], given: Given, tmp_path: Path
) -> None:
    values = finished(label_studio(tasks("label-studio")), "ann")
    annotation = next(value for value in values if value["data"]["document"] == "1")["annotations"][0]
    if what == "annotator":
        annotation["completed_by"]["email"] = "a\x01nn"
    else:
        texts = [one["value"] for one in annotation["result"] if one["type"] == "textarea"]
        texts[0]["text"] = ["MESH:D1\x01"]
    imported = given(stored(values, tmp_path / "all.json"))
    (fault,) = imported["failed"]
    assert "passage at offset" in fault
    assert f"the {what} " in fault
    assert "contains U+0001, which XML forbids; correct it in the editor" in fault
    assert "2" in {document.id for document in corpora.read(tmp_path / "gold")}


def test_wrong_options_are_one_sentence(given: Given, selection: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="merge is 'best'; use one of majority"):
        given(tmp_path, merge="best")
    with pytest.raises(OptionError, match="to is 'tsv', which no editor reads; use one of biocxml, brat"):
        export(selection, "tsv", tmp_path / "x", None, ignore)


def test_a_selection_is_opened_as_it_was_written(selection: Path) -> None:
    assert {name: len(one.passages) for name, one in open_selection(selection).items()} == {"1": 2, "2": 2}


def test_a_changed_text_of_brat_is_one_failed_article(tasks: Callable[[str], Path], given: Given) -> None:
    folder = tasks("brat")
    path = folder / "1.txt"
    path.write_text(path.read_text("utf-8").replace("mice", "rats"), "utf-8")
    done = given(folder)
    assert done["passages"] == 2
    assert "the texts differ from character 19" in done["failed"][0]
    assert "a text must not be changed" in done["failed"][0]


def test_the_command_prints_the_account_and_ends_with_3_where_an_article_failed(
    tasks: Callable[[str], Path], selection: Path, mesh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = finished(label_studio(tasks("label-studio")), "ann")
    values[2]["data"]["text"] = values[3]["data"]["text"] = "Zinc in \U0001d6fc-carotene..."
    path = stored(values[:3], tmp_path / "project.json")
    options = ("--selection", selection, "-o", tmp_path / "gold", "--lexicon", mesh)
    done = call("curate", "import", path, *options, capsys=capsys)
    assert done.returncode == 3
    assert done.stdout.splitlines() == [
        "ann: passages 2, kept 5",
        f"wrote 2 passages; results in {tmp_path / 'gold'}",
    ]
    assert "2 passages of the selection not finished, or failed;" in done.stderr
    assert "the texts differ from character 18" in done.stderr
    assert call("curate", "import", tmp_path / "no", *options, capsys=capsys).returncode == 2


@pytest.mark.parametrize("editor", ["doccano", "label-studio", "prodigy"])
def test_tasks_whose_first_text_is_longer_than_64_kb_come_back(editor: str, mesh: Path, tmp_path: Path) -> None:
    """The keys of an editor stand behind the text, or behind 1,200 tokens of Prodigy."""
    document = article("1", [("Zinc and water. " * 8000, None, "paragraph"), ("Zinc fell.", None, "paragraph")])
    for number, passage in enumerate(document.passages):
        add_mention(passage, [(passage.offset, passage.offset + 4)], id=f"C{number}", annotator=None)
    corpora.write([document], tmp_path / "run.xml")
    write_selection(tmp_path / "selection", [str(tmp_path / "run.xml")], Choice(2, seed=1), ignore)
    export(tmp_path / "selection", editor, tmp_path / "tasks", mesh, ignore)
    (file,) = (tmp_path / "tasks").glob("tasks.*")
    if editor == "label-studio":
        stored(finished(label_studio(tmp_path / "tasks"), "ann"), file)
    elif editor == "prodigy":
        values = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        rows = [
            {"text": v["text"], "tokens": [{"id": n} for n in range(8000)], **v, "answer": "accept"} for v in values
        ]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    done = import_tasks([str(file)], tmp_path / "selection", tmp_path / "gold", "majority", lambda _: True, ignore)
    assert (done["failed"], done["passages"]) == ([], 2)
