"""Files of editors that nlmchem did not export are imported, or refused with one sentence."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpora.errors import ConfigurationError, OptionError
from nlmchem.companions.curation.gold import import_tasks

STRANGERS = Path(__file__).parents[3] / "corpora" / "formats" / "strangers"


@pytest.fixture
def strangers(tmp_path: Path) -> Callable[..., tuple[dict[str, Any], list[str]]]:
    """Import files of editors of the selection beside them, with what is reported."""

    def ran(*names: str | Path, **options: str) -> tuple[dict[str, Any], list[str]]:
        messages: list[str] = []
        paths = [str(STRANGERS / name) for name in names]
        selection = STRANGERS / "inception_selection"
        done = import_tasks(paths, selection, tmp_path / "gold", "majority", bool, messages.append, **options)
        return done, messages

    return ran


def test_what_was_imported_into_inception_is_no_vote(strangers: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    done, _ = strangers("inception_project_export.zip")
    assert done["failed"] == []
    assert done["annotators"] == {
        "ann": {"passages": 2, "kept": 3, "relinked": 0, "moved": 0, "removed": 1, "added": 1, "without identifier": 0}
    }
    with zipfile.ZipFile(STRANGERS / "inception_project_export.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    again, _ = strangers(tmp_path / "unpacked")
    assert again["annotators"] == done["annotators"]


def test_states_of_a_project_and_its_curation_are_used(strangers: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("cassis")
    with zipfile.ZipFile(STRANGERS / "inception_project_export.zip") as archive:
        own = archive.read("annotation/7.json/ann.json")
    states = [{"name": "7.json", "user": name, "state": state} for name, state in (("ann", "FINISHED"), ("bob", "NEW"))]
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("exportedproject.json", json.dumps({"annotation_documents": states}))
        for name in ("annotation/7.json/ann.json", "annotation/7.json/bob.json", "curation/7.json/CURATION_USER.json"):
            archive.writestr(name, own)
    done, messages = strangers(tmp_path / "p.zip")
    assert list(done["annotators"]) == ["ann"]
    assert any("left out, because it is merged from the annotators" in message for message in messages)


def test_formats_that_do_not_record_what_was_finished(strangers: Callable[..., Any]) -> None:
    done, messages = strangers("doccano_label_export.jsonl")
    assert done["passages"] == 2
    assert messages == [
        "2 passages came back without any change in files that do not record what was finished; "
        'they count as finished; for the other choice, use unchanged="open"'
    ]
    with pytest.raises(ConfigurationError, match="no passage of the selection was finished"):
        strangers("doccano_label_export.jsonl", unchanged="open")
    with pytest.raises(OptionError, match="unchanged is 'x'; use done or open"):
        strangers("doccano_label_export.jsonl", unchanged="x")


@pytest.mark.parametrize(
    ("name", "kept", "sentence"),
    [
        ("labelstudio_codepoints_blanks.json", 4, ""),
        ("labelstudio_relation.json", 4, "document '7': 1 relation was left out: only mentions are imported"),
        ("labelstudio_empty_label.json", 0, "the region 'Zinc' has no label; give it a label in the editor"),
        ("labelstudio_two_labels.json", 0, "only the label 'Chemical', but these came back: 'Element' (1)"),
    ],
)
def test_files_of_label_studio(name: str, kept: int, sentence: str, strangers: Callable[..., Any]) -> None:
    if not kept:
        with pytest.raises(ConfigurationError) as caught:
            strangers(name)
        assert sentence in str(caught.value)
        return
    done, messages = strangers(name)
    assert done["annotators"]["ann@x.org"]["kept"] == kept
    assert done["annotators"]["ann@x.org"]["moved"] == 0
    assert (sentence in messages[0]) if sentence else not messages
