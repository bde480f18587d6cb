"""What a short form means at each place of an article."""

from __future__ import annotations

from corpora.model.document import Definition
from nlmchem.abbreviations import Glossary


def definition(short: str, long: str, start: int, score: float = 0.9) -> Definition:
    end = start + len(long)
    return Definition(short, long, (end + 2, end + 2 + len(short)), (start, end), "FirstLet", score)


def meaning(glossary: Glossary, short: str, offset: int | None = None) -> str | None:
    found = glossary.meaning(short, offset)
    return found.long_form if found else None


def test_a_definition_applies_before_and_after_its_position() -> None:
    glossary = Glossary.of([definition("PA", "palmitic acid", 100)])
    assert meaning(glossary, "PA", 0) == meaning(glossary, "PA", 500) == meaning(glossary, "PA") == "palmitic acid"
    assert meaning(glossary, "XX") is None


def test_the_best_scored_definition_wins_over_earlier_ones() -> None:
    weak, strong = definition("PA", "pulmonary arch", 10, 0.3), definition("PA", "palmitic acid", 100, 0.99)
    glossary = Glossary.of([strong, weak])
    assert meaning(glossary, "PA", 50) == "palmitic acid"
    assert glossary.definitions == (weak, strong), "the table has all of them, in the order of the text"


def test_an_earlier_definition_of_a_high_score_applies_until_the_next_one() -> None:
    glossary = Glossary.of(
        [definition("PE", "phenylephrine", 10, 0.98), definition("PE", "pulmonary embolism", 300, 0.99)]
    )
    assert [meaning(glossary, "PE", at) for at in (0, 299, 300)] == [
        "phenylephrine",
        "phenylephrine",
        "pulmonary embolism",
    ]


def test_of_equally_scored_ones_the_first_is_the_best() -> None:
    glossary = Glossary.of([definition("PA", "palmitic acid", 10), definition("PA", "pulmonary artery", 90)])
    assert meaning(glossary, "PA") == "palmitic acid"


def test_a_later_redefinition_applies_from_its_position() -> None:
    glossary = Glossary.of(
        [
            definition("PA", "palmitic acid", 10),
            definition("PA", "pulmonary artery", 200, 0.5),
            definition("PA", "palmitic acid", 400),
        ]
    )
    assert [meaning(glossary, "PA", at) for at in (0, 199, 200, 399, 400)] == [
        "palmitic acid",
        "palmitic acid",
        "pulmonary artery",
        "pulmonary artery",
        "palmitic acid",
    ]


def test_another_case_hyphen_or_number_is_not_a_redefinition() -> None:
    glossary = Glossary.of([definition("ffa", "free fatty acids", 10), definition("ffa", "Free-fatty acid", 90)])
    assert meaning(glossary, "ffa", 500) == "free fatty acids"


def test_short_forms_are_in_the_order_of_their_definitions() -> None:
    glossary = Glossary.of([definition("B", "beta", 50), definition("A", "alpha", 10), definition("B", "beta", 90)])
    assert list(glossary) == ["A", "B"]
    assert len(glossary) == 2
    assert "A" in glossary
