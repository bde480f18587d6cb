"""Tasks of Label Studio, doccano and Prodigy as their releases and scripts write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stranger_files import Case, check

TEXT = "Zinc binds lead 😀 and NaCl."


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def project(results: list[Any]) -> str:
    """An export of Label Studio with one task."""
    annotation = {"id": 1, "completed_by": 1, "result": results, "was_cancelled": False}
    return compact([{"id": 5, "data": {"text": TEXT}, "annotations": [annotation], "predictions": []}])


def region(id: str, start: int, end: int, text: str, labels: list[str], type: str = "labels") -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, type: labels}
    return {"id": id, "from_name": "label", "to_name": "text", "type": type, "value": value}


CASES: dict[str, Case] = {
    "doccano_utf16.jsonl": (
        compact({"id": 1, "text": "😀 zinc", "label": [[3, 7, "Chemical"]]}) + "\n",
        [("! document '', passage at offset 0: the region 3-7 is outside the text of 6 characters; the editor has")],
    ),
    "doccano_ids.jsonl": (
        compact({"id": 12, "text": "Zinc fell", "label": [[0, 4, "Chemical"]]})
        + "\n"
        + compact({"id": 13, "text": "Lead", "label": []})
        + "\n",
        ["doccano_ids-1 | Zinc fell :: Zinc", "doccano_ids-2 | Lead"],
    ),
    "prodigy_meta.jsonl": (
        compact(
            {
                "text": "Zinc fell",
                "spans": [{"start": 0, "end": 4, "label": "Chemical"}],
                "meta": {"source": "PMID 1"},
                "answer": "accept",
                "_input_hash": 1,
                "_task_hash": 2,
            }
        )
        + "\n"
        + compact({"text": "Lead", "answer": "accept", "_input_hash": 1, "_task_hash": 2})
        + "\n",
        ["prodigy_meta-1 | Zinc fell :: Zinc", "prodigy_meta-2 | Lead", "~ field source (1)"],
    ),
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
    "doc_label.jsonl": (
        compact({"id": 1, "text": TEXT, "label": [[0, 4, "Chemical"], [11, 15, "Chemical"]]}) + "\n",
        ["doc_label | Zinc binds lead 😀 and NaCl. :: Zinc, lead"],
    ),
    "doc_labels.jsonl": (
        compact({"text": TEXT, "labels": [[0, 4, "Chemical"]]}) + "\n",
        ["doc_labels | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "doc_rel.jsonl": (
        compact(
            {
                "id": 1,
                "text": TEXT,
                "entities": [
                    {"id": 1, "label": "Chemical", "start_offset": 0, "end_offset": 4},
                    {"id": 2, "label": "Chemical", "start_offset": 11, "end_offset": 15},
                ],
                "relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "binds"}],
                "Comments": [],
            }
        )
        + "\n",
        ["doc_rel | Zinc binds lead 😀 and NaCl. :: Zinc, lead + 1 relation"],
    ),
    "doc_json1.json": (
        compact([{"id": 1, "text": TEXT, "label": [[0, 4, "Chemical"]]}, {"id": 2, "text": "Lead", "label": []}]),
        ["doc_json1-1 | Zinc binds lead 😀 and NaCl. :: Zinc", "doc_json1-2 | Lead"],
    ),
    "doc_old_ann.json": (
        compact(
            [
                {
                    "id": 1,
                    "text": TEXT,
                    "annotations": [{"label": 7, "start_offset": 0, "end_offset": 4, "user": 1}],
                    "meta": {},
                }
            ]
        ),
        ["doc_old_ann | Zinc binds lead 😀 and NaCl. :: Zinc (7)"],
    ),
    "doc_old_jsonl.jsonl": (
        compact(
            {
                "id": 1,
                "text": TEXT,
                "annotations": [{"label": 7, "start_offset": 0, "end_offset": 4, "user": 1}],
                "meta": {},
            }
        )
        + "\n",
        ["doc_old_jsonl | Zinc binds lead 😀 and NaCl. :: Zinc (7)"],
    ),
    "doc_class.jsonl": (
        compact({"id": 1, "text": TEXT, "label": ["positive"]}) + "\n",
        [
            "doc_class | Zinc binds lead 😀 and NaCl.",
            "~ left out, because they are no regions of text or relations: labels of whole texts (1)",
        ],
    ),
    "doc_admin.jsonl": (
        compact({"id": 1, "data": TEXT, "label": [[0, 4, "Chemical"]]}) + "\n",
        ["doc_admin | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "doc_nolabel_first.jsonl": (
        compact({"id": 1, "text": "Nothing"})
        + "\n"
        + compact({"id": 2, "text": TEXT, "label": [[0, 4, "Chemical"]]})
        + "\n",
        ["doc_nolabel_first-1 | Nothing", "doc_nolabel_first-2 | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "prod_firstnospans.jsonl": (
        compact({"text": "Nothing", "answer": "accept"})
        + "\n"
        + compact({"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "answer": "accept"})
        + "\n",
        ["prod_firstnospans-1 | Nothing", "prod_firstnospans-2 | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "prod_tokens.jsonl": (
        compact(
            {
                "text": TEXT,
                "tokens": [{"text": "Zinc", "start": 0, "end": 4, "id": 0, "ws": True}],
                "spans": [{"start": 0, "end": 4, "token_start": 0, "token_end": 0, "label": "Chemical"}],
                "_is_binary": False,
                "_view_id": "ner_manual",
                "answer": "accept",
                "_timestamp": 1,
            }
        )
        + "\n",
        ["prod_tokens | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "prod_reject.jsonl": (
        compact({"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "answer": "reject"})
        + "\n"
        + compact({"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "answer": "ignore"})
        + "\n",
        [
            "prod_reject-1 | Zinc binds lead 😀 and NaCl. :: Zinc",
            "prod_reject-2 | Zinc binds lead 😀 and NaCl. :: Zinc",
            "~ 2 tasks were finished by nobody: the regions are suggestions, drafts, or rejected or skipped ones",
        ],
    ),
    "prod_rel.jsonl": (
        compact(
            {
                "text": TEXT,
                "spans": [{"start": 0, "end": 4, "label": "Chemical"}, {"start": 11, "end": 15, "label": "Chemical"}],
                "relations": [
                    {
                        "head": 0,
                        "child": 2,
                        "label": "binds",
                        "head_span": {"start": 0, "end": 4, "label": "Chemical"},
                        "child_span": {"start": 11, "end": 15, "label": "Chemical"},
                    }
                ],
                "answer": "accept",
            }
        )
        + "\n",
        ["prod_rel | Zinc binds lead 😀 and NaCl. :: Zinc, lead + 1 relation"],
    ),
    "prod_textcat.jsonl": (
        compact({"text": TEXT, "label": "CHEM", "answer": "accept"}) + "\n",
        [
            "prod_textcat | Zinc binds lead 😀 and NaCl.",
            "~ left out, because they are no regions of text or relations: labels of whole texts (1)",
        ],
    ),
    "prod_json.json": (
        compact([{"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "answer": "accept"}]),
        ["prod_json | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "prod_nolabel.jsonl": (
        compact({"text": TEXT, "spans": [{"start": 0, "end": 4}], "answer": "accept"}) + "\n",
        [('! the task {"text": "Zinc binds lead \\ud83d\\ude00 and NaCl.", "spans": ... cannot be read (\'label\' is')],
    ),
    "spacy_train.jsonl": (
        compact([TEXT, {"entities": [[0, 4, "Chemical"]]}]) + "\n",
        ["! it is training data of spaCy 2, which is not read"],
    ),
    "spacy_train_list.json": (
        compact([[TEXT, {"entities": [[0, 4, "Chemical"]]}]]),
        ["! it is training data of spaCy 2, which is not read"],
    ),
    "spacy_dict.jsonl": (
        compact({"text": TEXT, "entities": [[0, 4, "Chemical"]]}) + "\n",
        ["spacy_dict | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "spacy_ents.jsonl": (
        compact({"text": TEXT, "ents": [{"start": 0, "end": 4, "label": "Chemical"}]}) + "\n",
        [('! it is not a BioC document: a JSON object with a list of "passages" is needed, but it has the keys te')],
    ),
    "tagtog.json": (
        compact(
            {
                "annotatable": {"parts": ["s1p1"]},
                "anncomplete": True,
                "entities": [{"classId": "e_1", "part": "s1p1", "offsets": [{"start": 0, "text": "Zinc"}]}],
            }
        ),
        [('! it is not a BioC document: a JSON object with a list of "passages" is needed, but it has the keys an')],
    ),
    "hf.jsonl": (
        compact({"id": "0", "tokens": ["Zinc", "fell"], "ner_tags": ["B-Chemical", "O"]}) + "\n",
        [('! it is not a BioC document: a JSON object with a list of "passages" is needed, but it has the keys id')],
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
    "prod_badline.jsonl": (
        compact({"text": TEXT, "spans": [], "answer": "accept"})
        + "\n{bad\n"
        + compact({"text": "x", "spans": [], "answer": "accept"})
        + "\n",
        ['! it is not JSON (a key in "..." is missing, line 2, column 2); export the tasks again'],
    ),
    "prod_utf8bom.jsonl": (
        "\ufeff"
        + compact({"text": TEXT, "spans": [{"start": 0, "end": 4, "label": "Chemical"}], "answer": "accept"})
        + "\n",
        ["prod_utf8bom | Zinc binds lead 😀 and NaCl. :: Zinc"],
    ),
    "doc_pretty.json": (
        json.dumps([{"id": 1, "text": TEXT, "label": [[0, 4, "Chemical"]]}], indent=2),
        ["doc_pretty | Zinc binds lead 😀 and NaCl. :: Zinc"],
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
    "clusters.jsonl": (
        compact({"text": "Cafe\u0301 and zinc", "label": [[10, 14, "Chemical"]]})
        + "\n"
        + compact({"text": "Zinc, cafe\u0301", "label": [[0, 4, "Chemical"]]})
        + "\n",
        [
            "clusters-1 | Cafe\u0301 and zinc :: zinc",
            "clusters-2 | Zinc, cafe\u0301 :: Zinc",
            "~ 1 text has regions behind characters of several code points",
        ],
    ),
    "source_of_a_page.json": (
        project([region("a", 0, 4, "Zinc", ["Chemical"])]).replace("Zinc binds", "<p>Zinc binds"),
        ["! document '', passage at offset 0: the region 'Zinc' is at 0-4, where the text is '<p>Z'; the editor has"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
