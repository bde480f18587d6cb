"""Tasks of Label Studio as its releases and exports write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stranger_files import Case, check, compact

TEXT = "Zinc binds lead 😀 and NaCl."


def project(results: list[Any]) -> str:
    """An export of Label Studio with one task."""
    annotation = {"id": 1, "completed_by": 1, "result": results, "was_cancelled": False}
    return compact([{"id": 5, "data": {"text": TEXT}, "annotations": [annotation], "predictions": []}])


def region(id: str, start: int, end: int, text: str, labels: list[str], type: str = "labels") -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, type: labels}
    return {"id": id, "from_name": "label", "to_name": "text", "type": type, "value": value}


CASES: dict[str, Case] = {
    "ls_two.json": (
        project([region("a", 0, 4, "Zinc", ["Chemical", "Metal"])]),
        ["ls_two | Zinc binds lead 😀 and NaCl. :: Zinc, Zinc (Metal)"],
    ),
    "ls_hyper.json": (
        project(
            [
                {
                    "id": "a",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "hypertextlabels",
                    "value": {
                        "start": "/p[1]/text()[1]",
                        "end": "/p[1]/text()[1]",
                        "startOffset": 0,
                        "endOffset": 4,
                        "globalOffsets": {"start": 0, "end": 4},
                        "text": "Zinc",
                        "hypertextlabels": ["Chemical"],
                    },
                }
            ]
        ),
        ["ls_hyper | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "ls_predictions_only.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"text": TEXT},
                    "annotations": [],
                    "predictions": [{"model_version": "x", "result": [region("a", 0, 4, "Zinc", ["Chemical"])]}],
                }
            ]
        ),
        [
            "ls_predictions_only | Zinc binds lead 😀 and NaCl. :: Zinc",
            "~ 1 task was finished by nobody: the regions are suggestions, drafts, or rejected or skipped ones",
        ],
    ),
    "ls_no_ann_key.json": (
        compact([{"id": 5, "data": {"text": TEXT}}]),
        ["ls_no_ann_key | Zinc binds lead 😀 and NaCl."],
    ),
    "ls_obj.json": (
        compact(
            {
                "id": 5,
                "data": {"text": TEXT},
                "annotations": [{"id": 1, "completed_by": 1, "result": [region("a", 0, 4, "Zinc", ["Chemical"])]}],
            }
        ),
        ["ls_obj | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "ls_lines.jsonl": (
        compact(
            {
                "id": 5,
                "data": {"text": TEXT},
                "annotations": [{"id": 1, "completed_by": 1, "result": [region("a", 0, 4, "Zinc", ["Chemical"])]}],
            }
        )
        + "\n"
        + compact({"id": 6, "data": {"text": TEXT}, "annotations": []})
        + "\n",
        ["ls_lines-1 | Zinc binds lead 😀 and NaCl. :: Zinc", "ls_lines-2 | Zinc binds lead 😀 and NaCl."],
    ),
    "ls_min.json": (
        compact(
            [
                {
                    "id": 5,
                    "text": TEXT,
                    "label": [
                        {"start": 0, "end": 4, "text": "Zinc", "labels": ["Chemical"]},
                        {"start": 11, "end": 15, "text": "lead", "labels": ["Chemical", "Metal"]},
                    ],
                    "annotator": 1,
                    "annotation_id": 3,
                    "created_at": "x",
                    "updated_at": "y",
                    "lead_time": 1.2,
                }
            ]
        ),
        ["ls_min | Zinc binds lead 😀 and NaCl. :: Zinc, lead, lead (Metal)"],
    ),
    "ls_min_ner.json": (
        compact(
            [
                {
                    "id": 5,
                    "text": TEXT,
                    "ner": [{"start": 0, "end": 4, "text": "Zinc", "labels": ["Chemical"]}],
                    "annotator": 1,
                    "annotation_id": 3,
                    "lead_time": 1.2,
                }
            ]
        ),
        ["ls_min_ner | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "ls_completions.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"text": TEXT},
                    "completions": [{"id": 1, "result": [region("a", 0, 4, "Zinc", ["Chemical"])], "lead_time": 1}],
                }
            ]
        ),
        ["ls_completions | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "ls_min_key.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"sentence": TEXT},
                    "annotations": [{"completed_by": 1, "result": [region("a", 0, 4, "Zinc", ["Chemical"])]}],
                }
            ]
        ),
        ["ls_min_key | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "ls_two_annotators.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"text": TEXT},
                    "annotations": [
                        {"completed_by": 1, "result": [region("a", 0, 4, "Zinc", ["Chemical"])]},
                        {"completed_by": 2, "result": [region("a", 11, 15, "lead", ["Chemical"])]},
                    ],
                }
            ]
        ),
        [
            "ls_two_annotators-1 | Zinc binds lead 😀 and NaCl. :: Zinc",
            "ls_two_annotators-2 | Zinc binds lead 😀 and NaCl. :: lead",
        ],
    ),
    "ls_relation.json": (
        project(
            [
                region("a", 0, 4, "Zinc", ["Chemical"]),
                region("b", 11, 15, "lead", ["Chemical"]),
                {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right", "labels": ["binds"]},
            ]
        ),
        ["ls_relation | Zinc binds lead 😀 and NaCl. :: Zinc, lead + 1 relation"],
    ),
    "ls_rel_dangling.json": (
        project(
            [
                region("a", 0, 4, "Zinc", ["Chemical"]),
                {"type": "relation", "from_id": "a", "to_id": "zz", "direction": "right"},
            ]
        ),
        [
            (
                '! the task {"data": {"text": "Zinc binds lead \\ud83d\\ude00 and NaCl."},... cannot be read '
                "('zz' is mis"
            )
        ],
    ),
    "ls_choices.json": (
        project(
            [
                region("a", 0, 4, "Zinc", ["Chemical"]),
                {"id": "c", "from_name": "sent", "type": "choices", "value": {"choices": ["good"]}},
            ]
        ),
        [
            "ls_choices | Zinc binds lead 😀 and NaCl. :: Zinc",
            "~ left out, because they are no regions of text or relations: choices sent (1)",
        ],
    ),
    "ls_nolabel.json": (
        project(
            [
                {
                    "id": "a",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "labels",
                    "value": {"start": 0, "end": 4, "text": "Zinc", "labels": []},
                }
            ]
        ),
        [("! document '', passage at offset 0: the region 'Zinc' has no label; give it a label in the editor, or")],
    ),
    "ls_nolabelkey.json": (
        project(
            [
                {
                    "id": "a",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "labels",
                    "value": {"start": 0, "end": 4, "text": "Zinc"},
                }
            ]
        ),
        [("! document '', passage at offset 0: the region 'Zinc' has no label; give it a label in the editor, or")],
    ),
    "ls_draft.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"text": TEXT},
                    "annotations": [],
                    "drafts": [{"result": [region("a", 0, 4, "Zinc", ["Chemical"])]}],
                    "predictions": [],
                }
            ]
        ),
        [
            "ls_draft | Zinc binds lead 😀 and NaCl. :: Zinc",
            "~ 1 task was finished by nobody: the regions are suggestions, drafts, or rejected or skipped ones",
        ],
    ),
    "ls_cancelled.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"text": TEXT},
                    "annotations": [{"completed_by": 1, "was_cancelled": True, "result": []}],
                    "predictions": [],
                }
            ]
        ),
        ["ls_cancelled | Zinc binds lead 😀 and NaCl."],
    ),
    "ls_region_notext.json": (
        project(
            [
                {
                    "id": "a",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "labels",
                    "value": {"start": 0, "end": 4, "labels": ["Chemical"]},
                }
            ]
        ),
        ["ls_region_notext | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "ls_conll_export.conll": (
        "-DOCSTART- -X- O\nZinc -X- _ B-Chemical\nbinds -X- _ O\n\n",
        ["ls_conll_export | Zinc binds :: Zinc"],
    ),
    "crlf_lf.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"text": "Zinc\r\nbinds lead 😀 and NaCl."},
                    "annotations": [{"completed_by": 1, "result": [region("a", 5, 10, "binds", ["Chemical"])]}],
                }
            ]
        ),
        ["crlf_lf | Zinc\r\nbinds lead 😀 and NaCl. :: binds"],
    ),
    "labels_type_mismatch.json": (
        project(
            [
                {
                    "id": "a",
                    "from_name": "label",
                    "to_name": "text",
                    "type": "hypertextlabels",
                    "value": {"start": 0, "end": 4, "text": "Zinc", "labels": ["Chemical"]},
                }
            ]
        ),
        ["labels_type_mismatch | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "two_texts.json": (
        compact(
            [
                {
                    "id": 5,
                    "data": {"title": "Zinc", "abstract": "Lead fell"},
                    "annotations": [{"completed_by": 1, "result": [region("a", 0, 4, "Lead", ["Chemical"])]}],
                }
            ]
        ),
        [("! document '', passage at offset 0: its text is expected in the field text, but it has abstract, title")],
    ),
    "min_single.json": (
        compact(
            [
                {
                    "id": 5,
                    "text": TEXT,
                    "label": {"start": 0, "end": 4, "text": "Zinc", "labels": ["Chemical"]},
                    "annotator": 1,
                    "annotation_id": 3,
                    "lead_time": 1.2,
                }
            ]
        ),
        ["min_single | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "bbox.json": (
        project(
            [
                {
                    "id": "a",
                    "type": "rectanglelabels",
                    "from_name": "b",
                    "value": {"x": 1, "y": 1, "rectanglelabels": ["X"]},
                }
            ]
        ),
        [
            "bbox | Zinc binds lead 😀 and NaCl.",
            "~ left out, because they are no regions of text or relations: rectanglelabels b (1)",
        ],
    ),
    "notes_of_regions.json": (
        project([region("a", 0, 4, "Zinc", ["Chemical"]) | {"meta": {"text": ["is it the metal?"]}}]),
        ["notes_of_regions | Zinc binds lead 😀 and NaCl. :: Zinc", "~ notes of regions (1)"],
    ),
    "own_candidates.json": (
        project([region("a", 0, 4, "Zinc", ["Chemical"]) | {"meta": {"text": ["D015032 Zinc"]}}]).replace(
            '"data": {', '"data": {"candidates": "Zinc: D015032 Zinc", '
        ),
        ["own_candidates | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "other_data.json": (
        project([region("a", 0, 4, "Zinc", ["Chemical"])]).replace('"data": {', '"data": {"year": 2020, "note": "", '),
        ["other_data | Zinc binds lead 😀 and NaCl. :: Zinc", "~ field year (1)"],
    ),
    "choice_min.json": (
        compact(
            [
                {
                    "id": 1,
                    "text": TEXT,
                    "kind": "review",
                    "label": [{"start": 0, "end": 4, "labels": ["Chemical"]}],
                    "annotator": 1,
                    "annotation_id": 2,
                    "lead_time": 3.5,
                }
            ]
        ),
        ["choice_min | Zinc binds lead 😀 and NaCl. :: Zinc", "~ field kind (1)"],
    ),
    "choices_min.json": (
        compact(
            [
                {
                    "id": 1,
                    "text": TEXT,
                    "kind": {"choices": ["review", "trial"]},
                    "annotator": 1,
                    "annotation_id": 2,
                    "lead_time": 3.5,
                }
            ]
        ),
        ["choices_min | Zinc binds lead 😀 and NaCl.", "~ choices (1)"],
    ),
    "source_of_a_page.json": (
        project([region("a", 0, 4, "Zinc", ["Chemical"])]).replace("Zinc binds", "<p>Zinc binds"),
        ["! document '', passage at offset 0: the region 'Zinc' is at 0-4, where the text is '<p>Z'; the editor has"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
