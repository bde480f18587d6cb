"""Files as other programs write them: each is right, or refused with what is wrong, where, and what to do.

The folder `strangers` has small files after public bug reports of readers and writers. A case states the mentions and
texts that the file has, or a part of the sentence that refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from bioc import BioCDocument

from corpora import reading
from corpora.formats import registry
from corpora.model.document import mentions
from corpora.model.invariant import check
from corpora.storage import inputs
from corpora.storage.members import Selection

FILES = Path(__file__).parent / "strangers"


@dataclass(frozen=True)
class Case:
    """`articles`: the id, the texts and the mentions (text and type) of each. `faults`, `notes`: parts of sentences."""

    articles: Sequence[tuple[str, Sequence[str], Sequence[tuple[str, str]]]] = ()
    faults: Sequence[str] = ()
    notes: Sequence[str] = ()
    offsets: str | None = None


CHEMICAL = "Chemical"
TITLE = "Zinc binds  lead 😀 and calcium chloride."
GAVE = "We gave sodium chloride and copper."
TASKS = (TITLE, GAVE)
IN_ABSTRACT = [("sodium chloride", CHEMICAL), ("copper", CHEMICAL)]
IN_TASKS = [("Zinc", CHEMICAL), ("calcium chloride", CHEMICAL), *IN_ABSTRACT]
SERVER = "it is the error message of a server in place of an article: "
REQUEST = "; request the article again, or remove the file"

CASES = {
    "bioc_api_no_result.json": Case(faults=[SERVER + "[Error] : No result can be found.", REQUEST]),
    "bioconcepts_table_as_text.txt": Case(faults=["it is a table of 5 columns, not a text; convert it"]),
    "bionlp_a1": Case(
        [
            (
                "example",
                ["Erlotinib, a EGFR inhibitor is commonly used for NSCLC patients. "],
                [("Erlotinib", "drug"), ("EGFR", "gene"), ("NSCLC", "disease")],
            )
        ]
    ),
    "conll_aioner_o_tags.conll": Case([("conll_aioner_o_tags", ["zinc is here"], [("zinc", CHEMICAL)])]),
    "conll_blanks.conll": Case(
        [
            ("conll_blanks-1", ["Zinc sulfate is"], [("Zinc sulfate", CHEMICAL)]),
            ("conll_blanks-2", ["Lead ."], [("Lead", CHEMICAL)]),
        ]
    ),
    "conll_comment.conll": Case(
        [("conll_comment-1", ["# Zinc #5"], [("Zinc", CHEMICAL)]), ("conll_comment-2", ["Lead"], [("Lead", CHEMICAL)])],
        notes=["left out: 1 line of comments, which begin with #"],
    ),
    "conll_nbsp_token.conll": Case([("conll_nbsp_token", ["10\u00a0mM NaCl"], [("NaCl", CHEMICAL)])]),
    "conll_same_id.conll": Case(
        [
            ("conll_same_id-1", ["Zinc is"], [("Zinc", CHEMICAL)]),
            ("conll_same_id-2", ["Lead ."], [("Lead", CHEMICAL)]),
            ("conll_same_id-3", ["NaCl"], [("NaCl", CHEMICAL)]),
        ]
    ),
    "convert_byte_offsets.xml": Case(
        [("2", ["Größe µM zinc und β-carotene hier."], [("zinc", CHEMICAL), ("β-carotene", CHEMICAL)])],
        notes=["offsets changed to code points: 2 annotations"],
        offsets="bytes",
    ),
    "convert_passage_relative.xml": Case(
        [("1", ["Zinc in rats.", "We gave lead acetate."], [("Zinc", CHEMICAL), ("lead acetate", CHEMICAL)])],
        notes=["offsets changed to code points: 1 annotation"],
        offsets="passage",
    ),
    "doccano_label_export.jsonl": Case([("7", TASKS, IN_TASKS)]),
    "jats_graphic_caption.xml": Case(
        [
            (
                "900",
                [
                    "Title.",
                    "R",
                    "(a) Scheme of zinc. [URL: http://x]",
                    "Text goes on.",
                    "Caption title lead",
                    "Doodle of NaCl",
                    "Loose graphic of KCl",
                ],
                [],
            )
        ]
    ),
    "jats_table_footmarks.xml": Case(
        [
            (
                "1",
                [
                    "T.",
                    "R",
                    "Lead a\tZinc *\tCadmium b,c\nSodium chloride a\t1\t2",
                    "a Sodium chloride was pure.",
                    "b Copper was not.",
                    "c Nickel with blank.",
                ],
                [],
            )
        ]
    ),
    "jsonl_without_ids.jsonl": Case([(f"jsonl_without_ids-{at + 1}", [f"Zinc {at}"], []) for at in range(3)]),
    "labelstudio_codepoints_blanks.json": Case(
        [("7", TASKS, [IN_TASKS[0], ("binds  lead", CHEMICAL), IN_TASKS[1], *IN_ABSTRACT])]
    ),
    "labelstudio_empty_label.json": Case(
        faults=["document '7', passage at offset 0: the region 'Zinc' has no label; give it a label in the editor"]
    ),
    "labelstudio_relation.json": Case([("7", TASKS, IN_TASKS)]),
    "labelstudio_two_labels.json": Case([("7", TASKS, [("Zinc", CHEMICAL), ("Zinc", "Element"), *IN_TASKS[1:]])]),
    "pmc_articleset_one_broken.xml": Case(
        [("901", ["Title.", "One zinc."], []), ("903", ["Title.", "Three NaCl."], [])],
        faults=["article 'PMC902': the XML is broken at line 1 (Opening and ending tag mismatch: italic"],
    ),
    "pmc_reply_error.xml": Case(faults=[SERVER + "The following PMCID is not available: 123" + REQUEST]),
    "pubmed_bold_lines.xml": Case(
        [
            (
                "2",
                [
                    "Overdose.",
                    "Patient: Male, 30 Final Diagnosis: Lead poisoning Medication: Dimercaprol Specialty: Toxicology. "
                    "OBJECTIVE: Rare disease. BACKGROUND: Lead is toxic.",
                ],
                [],
            )
        ]
    ),
    "pubmed_concatenated.xml": Case([("71", ["Zinc one."], []), ("72", ["Zinc two."], [])]),
    "pubmed_isotope_math.xml": Case([("1", ["Inhaled 129Xe/146C gas."], [])]),
    "pubmed_mathml.xml": Case([("6", ["Rate of x2 = 1/2 with NaCl.", "The value x2 = 1/2 holds for KCl."], [])]),
    "pubmed_medlinecitationset.xml": Case([("101", ["Zinc old.", "Lead acetate."], [])]),
    "pubmed_otherabstract.xml": Case(
        [
            (
                "4",
                ["[Zinc in well water].", "Zinc and cadmium chloride were found in wells.", "Le zinc a ete trouve."],
                [],
            )
        ]
    ),
    "pubtator_cr_only.pubtator": Case([("61", ["Zinc", "Lead."], [("Zinc", CHEMICAL)]), ("62", ["x", "KCl"], [])]),
    "pubtator_fbk.pubtator": Case(
        [
            (
                "354896",
                ["Lidocaine-induced asystole.", "We gave lidocaine."],
                [("Lidocaine", CHEMICAL), ("lidocaine", CHEMICAL)],
            )
        ]
    ),
    "pubtator_float_offsets.pubtator": Case([("91", ["Zinc.", "We gave lead."], [("Zinc", CHEMICAL)])]),
    "saved.html": Case(faults=["it is a web page with the title 'Checking your browser'", REQUEST]),
}


def found(document: BioCDocument) -> tuple[str, list[str], list[tuple[str, str]]]:
    marks = sorted(mentions(document, None), key=lambda one: (one.spans[0], one.type))
    return document.id, [passage.text for passage in document.passages], [(one.text, one.type) for one in marks]


EDITORS = {"doccano": "doccano", "labelstudio": "label-studio"}
"""Formats of a companion, which an installation can lack, by the beginning of the names of their files."""


def is_installed(name: str) -> bool:
    return EDITORS.get(name.partition("_")[0], "biocxml") in registry.FORMATS.names()


@pytest.mark.parametrize("name", filter(is_installed, CASES))
def test_a_file_is_right_or_refused(name: str) -> None:
    case, notes = CASES[name], list[str]()
    files = inputs.expand([str(FILES / name)])
    items = list(reading.articles(files, notes.append, Selection(offsets=case.offsets)))
    articles = [item.document for item in items if isinstance(item, reading.ReadArticle)]
    faults = [str(item) for item in items if isinstance(item, reading.Fault)]
    wanted = [(id, list(texts), list(marks)) for id, texts, marks in case.articles]
    assert list(map(found, articles)) == wanted
    assert all(not check(document) for document in articles)
    assert bool(faults) == bool(case.faults)
    assert len(faults) < 2
    assert all(part in faults[0] for part in case.faults)
    assert len(notes) == len(case.notes)
    assert all(part in note for part, note in zip(case.notes, notes, strict=True))


def test_each_file_has_a_case() -> None:
    elsewhere = {"inception_project_export.zip", "inception_selection"}
    """Of curation: tests/nlmchem/companions/curation/test_importing.py."""
    assert {path.name for path in FILES.iterdir()} - elsewhere == CASES.keys()


@pytest.mark.parametrize(
    ("name", "unit"), [("convert_byte_offsets.xml", "bytes"), ("convert_passage_relative.xml", "passage")]
)
def test_without_the_unit_it_is_named_and_no_wrong_token_is_written(name: str, unit: str) -> None:
    """Formats that store positions only leave the mentions out; the others keep text and offsets as they are."""
    notes: list[str] = []
    (item,) = reading.articles(inputs.expand([str(FILES / name)]), notes.append)
    assert isinstance(item, reading.ReadArticle)
    assert f'kept unchanged; to correct them, convert the file with offsets="{unit}"' in notes[0]
    wrong = len(check(item.document))
    formats = ("conll", "hf", "doccano", "prodigy", "label-studio", "spacy")
    for format in (name for name in formats if name in registry.FORMATS.names()):
        losses: list[str] = []
        writer = registry.named(format).writer
        assert writer is not None
        writer.dumps(item.document, losses.append)
        assert f"({wrong})" in losses[0]
