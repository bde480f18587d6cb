"""The sections of headings and of passages."""

from __future__ import annotations

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.model.passages import section_type
from corpora.model.sections import (
    SECTIONS,
    add_sections,
    next_section,
    section_below,
    section_of_heading,
    sections_of,
)


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("Introduction", "INTRO"),
        ("Background", "INTRO"),
        ("Case Report", "CASE"),
        ("Materials and Methods", "METHODS"),
        ("Material & Methods", "METHODS"),
        ("Patients and methods", "METHODS"),
        ("Experimental Section", "METHODS"),
        ("Result", "RESULTS"),
        ("Discussion", "DISCUSS"),
        ("Conclusions", "CONCL"),
        ("Concluding remarks", "CONCL"),
        ("Supporting Information", "SUPPL"),
        ("Additional file 3", "SUPPL"),
        ("Supplementary Table S2", "SUPPL"),
        ("Supplemental videos", "SUPPL"),
        ("2. Model", "METHODS"),
        ("Mathematical model", "METHODS"),
        ("Simulations", "METHODS"),
        ("Acknowledgements", "ACK_FUND"),
        ("Acknowledgment", "ACK_FUND"),
        ("Funding", "ACK_FUND"),
        ("Authors’ contributions", "AUTH_CONT"),
        ("Competing interests", "COMP_INT"),
        ("Conflict of Interests", "COMP_INT"),
        ("List of abbreviations", "ABBR"),
        ("Glossary", "ABBR"),
        ("Appendix B. Proofs", "APPENDIX"),
        ("References", "REF"),
        ("Keywords", "KEYWORD"),
        ("Figures and Tables", "FIG"),
        ("Data availability", "OTHER"),
    ],
)
def test_sections_of_headings(heading: str, section: str) -> None:
    assert section_of_heading(heading) == section
    assert section in SECTIONS


@pytest.mark.parametrize(
    "heading",
    ["2. Results", "2.1. Results", "2) Results", "II. RESULTS", "IV) results", "2.Results", "Results:", " Results. "],
)
def test_numbers_case_and_punctuation_of_a_heading_are_ignored(heading: str) -> None:
    assert section_of_heading(heading) == "RESULTS"


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("Results and Discussion", "RESULTS"),
        ("Discussion and Conclusions", "DISCUSS"),
        ("Summary and conclusions", "CONCL"),
        ("Conclusion: the way ahead", "CONCL"),
        ("3. Results/Discussion", "RESULTS"),
    ],
)
def test_the_first_part_of_a_combined_heading_counts(heading: str, section: str) -> None:
    assert section_of_heading(heading) == section


@pytest.mark.parametrize(
    "heading",
    [
        *("", "5-HT receptors", "C. elegans strains", "Patients with diabetes", "Chemicals and their fate", "I", "12."),
        *("Supplementary zinc", "Supplemental feeding of calves", "Supplement and placebo", "Model organisms"),
    ],
)
def test_other_headings_have_no_section(heading: str) -> None:
    assert section_of_heading(heading) is None


def test_a_sentence_has_no_section() -> None:
    assert section_of_heading("Methods, " + "and what we thought of them, " * 10) is None


@pytest.mark.parametrize(
    ("sec_type", "section"),
    [
        ("materials|methods", "METHODS"),
        ("results|discussion", "RESULTS"),
        ("intro", "INTRO"),
        ("COI-statement", "COMP_INT"),
        ("supplementary-material", "SUPPL"),
        ("subsection", None),
        (None, None),
    ],
)
def test_the_sec_type_counts_if_the_heading_has_no_section(sec_type: str | None, section: str | None) -> None:
    assert section_of_heading("What we did", sec_type) == section
    assert section_of_heading("Discussion", sec_type) == "DISCUSS"


@pytest.mark.parametrize(
    ("parent", "heading", "section"),
    [
        ("METHODS", "Cell culture", "METHODS"),
        ("METHODS", "Results of the pilot", "METHODS"),
        ("METHODS", "Discussion", "METHODS"),
        ("METHODS", "Supplementary material", "SUPPL"),
        ("METHODS", "Supplement", "METHODS"),
        ("METHODS", "Supplements", "METHODS"),
        ("RESULTS", "Symbols", "RESULTS"),
        ("OTHER", "Supplement", "SUPPL"),
        ("RESULTS", "Statistical analysis", "RESULTS"),
        ("RESULTS", "Discussion", "DISCUSS"),
        ("DISCUSS", "Conclusions", "CONCL"),
        ("DISCUSS", "Background", "DISCUSS"),
        ("DISCUSS", "Summary", "DISCUSS"),
        ("INTRO", "Methods", "METHODS"),
        ("OTHER", "Competing interests", "COMP_INT"),
        ("OTHER", "Cell culture", "OTHER"),
        ("ACK_FUND", "Results", "ACK_FUND"),
        ("ABSTRACT", "Methods", "ABSTRACT"),
        ("APPENDIX", "Results", "APPENDIX"),
    ],
)
def test_subsections_inherit_the_section_unless_their_heading_is_better(
    parent: str, heading: str, section: str
) -> None:
    assert section_below(parent, heading) == section


@pytest.mark.parametrize(
    ("before", "heading", "section"),
    [
        ("INTRO", "The many lives of heme", "INTRO"),
        ("METHODS", "Study area", "METHODS"),
        ("RESULTS", "Discussion", "DISCUSS"),
        ("CONCL", "Recommended care", "OTHER"),
        ("SUPPL", "Test family", "OTHER"),
    ],
)
def test_an_unknown_heading_continues_the_main_section_before_it(before: str, heading: str, section: str) -> None:
    assert next_section(before, heading) == section


# -- sections of a document ---------------------------------------------------------------------


def document(*passages: str | tuple[str, str]) -> BioCDocument:
    """A document of texts, or of (text, stated section)."""
    made = BioCDocument()
    for given in passages:
        text, section = given if isinstance(given, tuple) else (given, None)
        passage = BioCPassage()
        passage.offset, passage.text = 0, text
        if section is not None:
            passage.infons["section_type"] = section
        made.add_passage(passage)
    return made


def test_sections_follow_headings() -> None:
    texts = ("Zinc in rats", "Zinc was fed to rats.", "Introduction", "Rats are animals.", "2.1 Animals", "Ten rats.")
    assert sections_of(document(*texts)) == ["TITLE", "ABSTRACT", "INTRO", "INTRO", "METHODS", "METHODS"]


def test_a_structured_abstract_ends_where_a_heading_occurs_again() -> None:
    texts = ("Zinc", "Background", "Why.", "Methods", "How.", "Background", "Rats are.", "Methods", "Ten rats.")
    assert sections_of(document(*texts)) == ["TITLE", *["ABSTRACT"] * 4, "INTRO", "INTRO", "METHODS", "METHODS"]


def test_a_long_first_passage_is_no_title() -> None:
    assert sections_of(document("Zinc was fed to rats. " * 30, "Results", "It fell.")) == [
        "ABSTRACT",
        "RESULTS",
        "RESULTS",
    ]


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("Zinc was fed to rats. It fell.", "ABSTRACT"),
        ("Was zinc fed? (It was.) Yes.", "ABSTRACT"),
        ("Zinc in rats: a trial.", "TITLE"),
        ("Effects of E. coli and vitamin B. J. Doe", "TITLE"),
    ],
)
def test_a_passage_without_others_is_an_abstract_if_it_has_several_sentences(text: str, section: str) -> None:
    assert sections_of(document(text)) == [section]
    assert sections_of(document(text, "More text."))[0] == "TITLE"


def test_an_abstract_may_have_its_own_heading() -> None:
    texts = ("Zinc", "Abstract", "Background", "Why.", "Results", "It fell.", "Background", "Rats are.")
    assert sections_of(document(*texts)) == ["TITLE", *["ABSTRACT"] * 5, "INTRO", "INTRO"]


def test_an_unknown_heading_or_a_sentence_begins_no_section() -> None:
    texts = ("Zinc", "An abstract.", "Results", "Rats with names", "Methods were good.", "Discussion", "So.")
    assert sections_of(document(*texts)) == ["TITLE", "ABSTRACT", *["RESULTS"] * 3, "DISCUSS", "DISCUSS"]


def test_stated_sections_are_kept() -> None:
    assert sections_of(document("Zinc", ("Fig. 1", "FIG"), "Results")) == ["TITLE", "FIG", "RESULTS"]


def test_an_abstract_without_heading_is_an_abstract_and_its_structured_headings_are_part_of_it() -> None:
    """Evaluation had another rule: OTHER for an abstract without heading, METHODS inside a structured abstract."""
    assert sections_of(document("Zinc", "Zinc fell.", "Methods", "Ten rats.")) == [
        "TITLE", "ABSTRACT", "METHODS", "METHODS",
    ]  # fmt: skip
    assert sections_of(document("Zinc", "Methods", "Ten rats.", "Results", "Zinc fell.")) == [
        "TITLE",
        *["ABSTRACT"] * 4,
    ]


def test_add_sections_states_the_sections_that_are_missing() -> None:
    made = document("Zinc", ("Fig. 1", "FIG"), "Results")
    assert add_sections(made) == 2
    assert [section_type(passage) for passage in made.passages] == ["TITLE", "FIG", "RESULTS"]
