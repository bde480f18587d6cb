"""`nlmchem verify`: what is found wrong, and what is corrected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import corpora
from corpora.model.document import mentions

Nlmchem = Callable[..., tuple[int, str, str]]
TEXT = """1|t|Aspirin and zinc in sodium chloride.
1|a|Nitric oxide (NO) and NO donors and water and aspirin.
1\t0\t7\tAspirin\tChemical\tMESH:D001241
1\t12\t16\tzinc\tDrug\tMESH:D004305
1\t20\t35\tsodium chloride\tChemical\tD99
1\t37\t49\tNitric oxide\tChemical\tMESH:D009569
1\t51\t53\tNO\tChemical\tMESH:D009614
1\t59\t61\tNO\tChemical\tMESH:C999999
1\t73\t78\twater\tChemical\t-
1\t83\t90\taspirin\tChemical\tCHEBI:15365
"""
FINDINGS = {
    "Aspirin": "confirmed",
    "zinc": "not a chemical",
    "sodium chloride": "no identifier of MeSH by its form",
    "Nitric oxide": "confirmed",
    "NO": "contradicts a definition of the article",
    "water": "no identifier",
    "aspirin": "confirmed",
}


@pytest.fixture
def annotated(tmp_path: Path) -> Path:
    path = tmp_path / "a.pubtator"
    path.write_text(TEXT, "utf-8")
    return path


def test_each_mention_gets_a_finding_and_a_suggestion(run: Nlmchem, annotated: Path) -> None:
    code, printed, told = run("verify", annotated, "--all", "--json")
    found = [json.loads(line) for line in printed.splitlines()]
    assert code == 3
    by_text = {row["text"]: row["finding"] for row in reversed(found)}
    assert by_text == FINDINGS
    assert found[5]["finding"] == "not in MeSH"
    suggested = {row["text"]: row["suggested"] for row in found if row["suggested"]}
    assert suggested == {
        "zinc": "MESH:D015032", "sodium chloride": "MESH:D012965", "NO": "MESH:D009569", "water": "MESH:D014867",
    }  # fmt: skip
    assert "8 mentions in 1 article" in told


def test_only_what_is_wrong_is_listed(run: Nlmchem, annotated: Path) -> None:
    printed = run("verify", annotated, "--tsv")[1]
    assert [line.split("\t")[4] for line in printed.splitlines()] == ["text", "zinc", "sodium chloride", "NO", "NO"]


def test_annotations_that_are_right_end_with_0(run: Nlmchem, tmp_path: Path) -> None:
    path = tmp_path / "a.pubtator"
    path.write_text("1|t|Aspirin.\n1|a|\n1\t0\t7\tAspirin\tChemical\tMESH:D001241\n", "utf-8")
    assert run("verify", path)[:2] == (0, "")


def test_a_text_that_is_not_at_its_offsets(run: Nlmchem, tmp_path: Path) -> None:
    path = tmp_path / "a.pubtator"
    path.write_text("1|t|Aspirin rose.\n1|a|\n1\t1\t8\tAspirin\tChemical\tMESH:D001241\n", "utf-8")
    code, printed, _ = run("verify", path, "--json")
    assert (code, json.loads(printed)["finding"]) == (3, "text not at the offsets")


def _pubtator(path: Path, *rows: tuple[str, str]) -> Path:
    """An article that names one text after the other, each with an identifier."""
    title = ", ".join(text for text, _ in rows)
    lines, at = [f"1|t|{title}", "1|a|"], 0
    for text, identifier in rows:
        lines.append(f"1\t{at}\t{at + len(text)}\t{text}\tChemical\t{identifier}")
        at += len(text) + len(", ")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "identifier", "finding", "suggested"),
    [
        ("arecoline", "CHEBI:2814", "confirmed", ""),
        ("baclofen", "CHEBI:2814", "name of another concept", "CHEBI:2972"),
        ("water", "CID:962", "confirmed", ""),
        ("aspirin", "PUBCHEM:962", "name of another concept", ""),  # the lexicon has no compound of PubChem for it
        ("caffeine", "CHEBI:99999999", "identifier of another vocabulary", ""),
        ("water", "UNII:059QF0KO0R", "identifier of another vocabulary", ""),
    ],
)
def test_identifiers_of_chebi_and_pubchem_are_judged(
    run: Nlmchem, tmp_path: Path, text: str, identifier: str, finding: str, suggested: str
) -> None:
    path = _pubtator(tmp_path / "a.pubtator", (text, identifier))
    code, printed, _ = run("verify", path, "--all", "--json")
    row = json.loads(printed)
    assert (row["finding"], row["suggested"], code) == (finding, suggested, 3 if finding.startswith("name") else 0)


def test_an_identifier_that_the_lexicon_lacks_is_named_beside_the_one_that_it_has(run: Nlmchem, tmp_path: Path) -> None:
    path = _pubtator(tmp_path / "a.pubtator", ("caffeine", "CHEBI:99999999"))
    reason = json.loads(run("verify", path, "--all", "--json")[1])["reason"]
    assert reason == (
        "the lexicon does not have CHEBI:99999999; for Caffeine it has CHEBI:27732, and both can be identifiers of one "
        "compound"
    )


def test_identifiers_of_one_concept_in_two_vocabularies_are_one(run: Nlmchem, tmp_path: Path) -> None:
    path = _pubtator(tmp_path / "a.pubtator", ("water", "MESH:D014867"), ("water", "CHEBI:15377"))
    assert run("verify", path)[:2] == (0, "")


def test_a_wrong_identifier_is_corrected_in_its_vocabulary(run: Nlmchem, tmp_path: Path) -> None:
    path = _pubtator(tmp_path / "a.pubtator", ("baclofen", "CHEBI:2814"))
    run("verify", path, "--fix", tmp_path / "fixed.xml")
    [document] = corpora.read(tmp_path / "fixed.xml")
    assert [mention.identifiers for mention in mentions(document, None)] == [("CHEBI:2972",)]


def test_the_usual_one_of_two_identifiers_is_not_blamed(run: Nlmchem, tmp_path: Path) -> None:
    lines = ["1|t|Xylocoxib, xylocoxib and xylocoxib.", "1|a|"]
    places = ((0, "MESH:D001241"), (11, "MESH:D001241"), (25, "MESH:D015032"))
    words = "Xylocoxib", "xylocoxib", "xylocoxib"
    for (start, identifier), word in zip(places, words, strict=True):
        lines.append(f"1\t{start}\t{start + 9}\t{word}\tChemical\t{identifier}")
    path = tmp_path / "a.pubtator"
    path.write_text("\n".join(lines), "utf-8")
    printed = run("verify", path, "--json")[1]
    # The other one is alone with its capitals, so its text is another one.
    assert {json.loads(line)["finding"] for line in printed.splitlines()} == {"two identifiers for one text"}


def test_a_corrected_copy_has_the_reasons(run: Nlmchem, annotated: Path, tmp_path: Path) -> None:
    out = tmp_path / "fixed.xml"
    code, _, told = run("verify", annotated, "--fix", out)
    assert (code, "corrected 4 mentions" in told) == (3, True)
    [document] = corpora.read(out)
    fixed = {m.text: (m.identifiers, m.annotation.infons["verified"]) for m in mentions(document, None)}
    assert fixed["zinc"][0] == ("MESH:D015032",)
    assert fixed["zinc"][1].startswith("changed MESH:D004305 -> MESH:D015032: not a chemical")
    assert fixed["NO"][0] == ("MESH:D009569",)
    assert fixed["aspirin"] == (("CHEBI:15365",), "confirmed: exact reads it as 'Aspirin'")
    assert run("verify", out)[0] == 0


def test_the_page_lists_the_findings(run: Nlmchem, annotated: Path, tmp_path: Path) -> None:
    run("verify", annotated, "--page", tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "8 mentions in 1 article, 4 to correct." in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_text_with_many_identifiers_has_a_short_reason(run: Nlmchem, tmp_path: Path) -> None:
    number = 100
    rows = "".join(f"1\t{5 * at}\t{5 * at + 4}\tzinc\tChemical\tMESH:D{at:06}\n" for at in range(number))
    path = tmp_path / "a.pubtator"
    path.write_text(f"1|t|{'zinc ' * number}\n1|a|\n{rows}", "utf-8")
    code, printed, _ = run("verify", path)
    assert code == 3
    assert max(map(len, printed.splitlines())) < 300
