"""The step `repair`: the mentions of another tagger, corrected by the rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation
from marked_passages import document_of, marked, shown

import nlmchem
from corpora.errors import OptionError
from corpora.model.document import Mention, mentions
from corpora.model.mention_infons import REMOVED_TYPE
from nlmchem.run.plan import Configuration
from nlmchem.tagging.inference.spans import PassageSpans, ScoredSpan
from nlmchem.tagging.repair import Repair
from nlmchem.tagging.rules.post_processing import Rules

ARTICLE = """1|t|Calcium buffers
1|a|Ca2+ rose in rats given glucose. The glucose receptor was blocked; ethanol was not given.
1\t16\t19\tCa2\tChemical\tMESH:D000118
1\t40\t47\tglucose\tChemical\tMESH:D005947
1\t53\t60\tglucose\tChemical\tMESH:D005947
1\t69\t76\tblocked\tDisease\tMESH:D000001

"""


def article(*texts: str, type: str = "Chemical") -> BioCDocument:
    """An article with the mentions of another tagger, which wrote `MESH:D000001` for each."""
    passages = [marked(text) for text in texts]
    document = document_of(*passages)
    number = 0
    for passage, own in zip(document.passages, passages, strict=True):
        for span in own.spans:
            number += 1
            passage.add_annotation(foreign(f"T{number}", own, [(span.start, span.end)], passage.offset, type))
    return document


def foreign(
    id: str, own: PassageSpans, spans: list[tuple[int, int]], offset: int = 0, type: str = "Chemical"
) -> BioCAnnotation:
    annotation = BioCAnnotation()
    annotation.id, annotation.text = id, " ".join(own.text[start:end] for start, end in spans)
    annotation.infons = {"type": type, "identifier": "MESH:D000001", "model": "other"}
    annotation.locations = [BioCLocation(offset + start, end - start) for start, end in spans]
    return annotation


def repaired(document: BioCDocument, rules: str = "default", **options: object) -> dict[str, Mention]:
    """All mentions of a document after the repair, by id."""
    Repair("0" * 12, Rules.parse(rules), lexicons=[], **options)([document])  # type: ignore[arg-type]
    return {mention.annotation.id: mention for mention in mentions(document, type=None)}


def repair_of(annotation: BioCAnnotation) -> str | None:
    repair: str | None = annotation.infons.get("repair")
    return repair


def text_of(document: BioCDocument) -> list[str]:
    """The passages with their chemical mentions between « and »."""
    rows = []
    for passage in document.passages:
        spans = [
            ScoredSpan(start - passage.offset, end - passage.offset, 1.0)
            for mention in mentions(document)
            if mention.passage is passage
            for start, end in mention.spans
        ]
        rows.append(shown(PassageSpans(passage.text, (), sorted(spans, key=lambda span: span.start))))
    return rows


def test_a_mention_that_no_rule_changes_stays_as_it_is() -> None:
    document = article("rats were given «glucose» daily")
    before = dict(document.passages[0].annotations[0].infons)
    (mention,) = repaired(document).values()
    assert (mention.text, mention.annotation.infons) == ("glucose", before)


def test_a_changed_mention_keeps_what_the_other_tagger_wrote() -> None:
    (mention,) = repaired(article("a rise of «Ca2»+ in cells")).values()
    infons = mention.annotation.infons
    assert (mention.text, mention.spans, mention.annotation.id) == ("Ca2+", ((10, 14),), "T1")
    assert (repair_of(mention.annotation), infons["model"]) == ("changed", "other")
    assert (infons["original_text"], infons["original_span"]) == ("Ca2", "10-13")
    # The identifier was that of another text: the step normalize looks the new one up.
    assert (infons["original_identifier"], mention.sought) == ("MESH:D000001", False)


def test_a_removed_mention_stays_in_the_document_with_another_type() -> None:
    document = article("the «glutamate» receptor of mice")
    (mention,) = repaired(document).values()
    assert (mention.type, repair_of(mention.annotation)) == (REMOVED_TYPE, "removed")
    assert mention.annotation.infons["original_type"] == "Chemical"
    assert mention.identifiers == ("MESH:D000001",)
    assert text_of(document) == ["the glutamate receptor of mice"]


def test_a_divided_mention_becomes_two_that_name_the_original() -> None:
    document = article("with «Na+/K+» in water")
    found = repaired(document)
    assert text_of(document) == ["with «Na+»/«K+» in water"]
    assert sorted(found) == ["C1", "T1"]
    assert {one.annotation.infons["original_text"] for one in found.values()} == {"Na+/K+"}
    assert (repair_of(found["T1"].annotation), repair_of(found["C1"].annotation)) == ("changed", "divided")


def test_mentions_that_are_one_name_are_joined() -> None:
    document = article("«PI»(4,5)«P2» in membranes")
    found = repaired(document)
    assert text_of(document) == ["«PI(4,5)P2» in membranes"]
    assert (repair_of(found["T2"].annotation), found["T2"].text) == ("joined", "P2")


def test_a_surface_that_is_marked_at_most_of_its_places_is_marked_at_all() -> None:
    """After Kim et al. 2022, who count labels; here are no probabilities to average."""
    document = article("«cisplatin» in cells", "«cisplatin» and cisplatin")
    found = repaired(document)
    assert text_of(document) == ["«cisplatin» in cells", "«cisplatin» and «cisplatin»"]
    infons = found["C1"].annotation.infons
    assert (repair_of(found["C1"].annotation), infons["annotator"]) == ("added", "nlmchem:repair@000000000000")
    rare = article("«cisplatin» in cells", "cisplatin and cisplatin")
    repaired(rare)
    assert text_of(rare) == ["cisplatin in cells", "cisplatin and cisplatin"]


def test_only_the_chosen_rules_run() -> None:
    document = article("«cisplatin» and «Ca2»+; cisplatin and cisplatin")
    repaired(document, rules="boundaries")
    assert text_of(document) == ["«cisplatin» and «Ca2+»; cisplatin and cisplatin"]


def test_mentions_that_overlap_or_have_several_pieces_stay_and_nothing_is_added_over_them() -> None:
    own = marked("«ascorbic acid», vitamin C and D, Ca2+")
    document = article("«ascorbic acid», vitamin C and D, Ca2+")
    annotations = document.passages[0].annotations
    annotations += [
        foreign("T2", own, [(0, 8)]),
        foreign("T3", own, [(15, 22), (29, 30)]),
        foreign("T4", own, [(90, 99)]),
    ]
    before = [(one.id, one.text, dict(one.infons), list(one.locations)) for one in annotations]
    repaired(document)
    assert [(one.id, one.text, dict(one.infons), list(one.locations)) for one in annotations] == before


def test_passages_of_skipped_sections_are_not_changed_and_do_not_vote() -> None:
    document = article("«cisplatin» in cells", "cisplatin, cisplatin and «Ca2»+")
    document.passages[1].infons["section_type"] = "REF"
    repaired(document, skip_sections=["REF"])
    assert text_of(document) == ["«cisplatin» in cells", "cisplatin, cisplatin and «Ca2»+"]


def test_other_types_are_taken_if_they_are_named() -> None:
    document = article("a rise of «Ca2»+ and «glucose»", type="drug")
    repaired(document)
    assert text_of(document) == ["a rise of Ca2+ and glucose"]
    found = repaired(document, types=["Chemical", "drug"])
    assert text_of(document) == ["a rise of «Ca2+» and «glucose»"]
    assert found["T2"].annotation.infons["original_type"] == "drug"
    assert repair_of(found["T2"].annotation) is None


def test_a_second_repair_changes_nothing() -> None:
    document = article("with «Na+/K+» and «Ca2»+", "the «glutamate» receptor, «cisplatin» and cisplatin")
    repaired(document)
    before = [(one.id, dict(one.infons)) for passage in document.passages for one in passage.annotations]
    repaired(document)
    assert [(one.id, dict(one.infons)) for passage in document.passages for one in passage.annotations] == before


def test_annotate_repairs_and_links_a_file_of_another_tagger(tmp_path: Path) -> None:

    from command_line import invoke

    import corpora

    source, out = tmp_path / "other.pubtator", tmp_path / "out.xml"
    source.write_text(ARTICLE, "utf-8")
    steps = ["--steps", "abbreviate,repair,normalize", "--lexicon", "starter", "--workers", "1"]
    result = invoke(["annotate", str(source), "-o", str(out), *steps])
    assert result.exit_code == 0, result.output
    (document,) = corpora.read([str(out)])
    found = {(mention.text, mention.type, mention.identifiers) for mention in mentions(document, type=None)}
    assert {
        ("Ca2+", "Chemical", ("MESH:D002118",)),
        ("glucose", "Chemical", ("MESH:D005947",)),
        ("glucose", REMOVED_TYPE, ("MESH:D005947",)),
        ("ethanol", "Chemical", ("MESH:D000431",)),
        ("blocked", "Disease", ("MESH:D000001",)),
    } <= found


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"steps": ("tag", "repair")}, r"^steps contains tag and repair, but repair corrects the mentions of another"),
        ({"repair_types": ("drug",)}, r"^repair_types needs the step repair; add it to the steps, or"),
        ({"steps": ("repair", "normalize"), "existing": "error"}, r"^existing cannot be error with the step repair, "),
        ({"steps": ("repair",), "decision": "learnt"}, r"^decision must be knowledge or rules with the step repair, "),
        ({"steps": ("repair",), "rules": "none", "decision": "rules"}, r"^rules and the decision leave nothing to"),
        ({"steps": ("repair",), "min_score": 0.5}, r"^min_score needs the step tag; add it to the steps, or leave"),
        ({"steps": ("normalize",), "rules": "vote"}, r"^rules needs the step tag or repair; add it to the steps, or"),
    ],
)  # fmt: skip
def test_options_that_contradict_the_step_are_refused(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        Configuration.of(**options).parse()  # type: ignore[arg-type]


def test_the_step_does_not_run_unless_it_is_named() -> None:
    assert "repair" not in Configuration().steps
    assert [stage.name for stage in nlmchem.load(lexicon="starter", steps=["repair"]).stages] == ["repair"]
