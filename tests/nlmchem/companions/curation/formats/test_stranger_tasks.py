"""Tasks of doccano and Prodigy, and rows of spaCy, tagtog and Hugging Face, as releases and scripts write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stranger_files import Case, check, compact

TEXT = "Zinc binds lead 😀 and NaCl."


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
        # It is read as a record: the label is an infon.
        ["1 | Zinc binds lead 😀 and NaCl."],
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
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
