"""What an article shows about its own texts: definitions, what is marked at most places, lists of symbols."""

from __future__ import annotations

from dataclasses import replace

import pytest
from marked_passages import marked, shown

from corpora.model.document import Definition
from nlmchem.tagging.inference.spans import PassageSpans
from nlmchem.tagging.rules.article import FEWEST, SURE, follow_article
from nlmchem.tagging.rules.post_processing import Rules


def definitions(passage: PassageSpans, short: str, *longs: str) -> list[Definition]:
    """The definitions `long (short)` in a passage; the other places of the short form mean the first long form."""
    found = []
    for long in longs:
        start = passage.text.index(f"{long} ({short})")
        end = start + len(long)
        found.append(Definition(short, long, (end + 2, end + 2 + len(short)), (start, end)))
    at = passage.text.find(short)
    while at >= 0:
        if all(at != definition.short_span[0] for definition in found):
            found.append(Definition(short, longs[0], (at, at + len(short)), found[0].long_span, "Occurrence"))
        at = passage.text.find(short, at + 1)
    return found


def followed(text: str, short: str, *longs: str, rules: Rules | None = None) -> str:
    passage = marked(text)
    follow_article([passage], definitions(passage, short, *longs), rules)
    return shown(passage)


def test_the_place_of_another_meaning_is_no_mention() -> None:
    text = "pulmonary embolism («PE»), «phosphatidylethanolamine» («PE»)"
    expected = "pulmonary embolism (PE), «phosphatidylethanolamine» («PE»)"
    assert followed(text, "PE", "pulmonary embolism", "phosphatidylethanolamine") == expected


def test_a_long_form_that_ends_with_a_marked_short_form_is_a_chemical() -> None:
    text = "«hydrocarbons» («PAHs»), «hydroxy hydrocarbons» («OHP»), hydroxylated «PAHs» («OHP»)"
    passage = marked(text)
    known = definitions(passage, "PAHs", "hydrocarbons")[:1]
    known += definitions(passage, "OHP", "hydroxy hydrocarbons", "hydroxylated PAHs")
    follow_article([passage], known)
    assert shown(passage) == text


@pytest.mark.parametrize(
    ("text", "short", "long", "expected"),
    [
        # The long form is a chemical, or a chemical with words before it is its end.
        ("«eugenol acetate» (EGA). EGA was added.", "EGA", "eugenol acetate", "«EGA» was added."),
        ("inorganic «phosphorus» (IP). IP rose.", "IP", "inorganic phosphorus", "«IP» rose."),
        ("low «nitrate» (LN). LN-treated roots, LNs.", "LN", "low nitrate", "«LN»-treated roots, «LNs»."),
        # The chemical is joined to something else, or is the end of another thing.
        ("receptor for «adenosine» (RFA). RFA rose.", "RFA", "receptor for adenosine", "RFA rose."),
        ("«metformin»/«sitagliptin» (MS). MS rose.", "MS", "metformin/sitagliptin", "MS rose."),
        ("cold-«isoprenaline» (CI). CI rose.", "CI", "cold-isoprenaline", "CI rose."),
        ("face-centered cubic «silver» (fcc). fcc peaks", "fcc", "face-centered cubic silver", "fcc peaks"),
        ("metabotropic «glutamate» (mGlu). mGlu rose.", "mGlu", "metabotropic glutamate", "mGlu rose."),
        ("malt extract «agar» (MEA). MEA was used.", "MEA", "malt extract agar", "MEA was used."),
        ("high-affinity «K+» (HAK). HAK genes", "HAK", "high-affinity K+", "HAK genes"),
        # In a longer name or the name of a protein, it is no mention.
        ("«aflatoxin» (AFT). AFT-8,9-epoxide", "AFT", "aflatoxin", "AFT-8,9-epoxide"),
        ("«abscisic acid» (ABA). ABA receptors bind.", "ABA", "abscisic acid", "ABA receptors bind."),
        # A single letter is marked as the symbol of its element only.
        ("«phosphorus» (P). P rose (P < 0.05).", "P", "phosphorus", "«P» rose (P < 0.05)."),
        ("«testosterone» (T). T rose.", "T", "testosterone", "T rose."),
    ],
)
def test_a_short_form_of_a_chemical_is_a_mention_everywhere(text: str, short: str, long: str, expected: str) -> None:
    assert followed(text, short, long).endswith(expected)


def test_words_before_a_chemical_count_by_the_guidelines_of_nlm_chem() -> None:
    assert followed("total «nickel» (TN). TN rose.", "TN", "total nickel", rules=Rules(proteins=False)).endswith(
        " TN rose."
    )


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("gross domestic product («GDP»). «GDP» rose.", "GDP", "gross domestic product"),
        ("chemotrophic «arsenite» oxidizing («CAO»). «CAO» rose.", "CAO", "chemotrophic arsenite oxidizing"),
        ("«retinoic acid»-inducible gene («RIG»). «RIG» rose.", "RIG", "retinoic acid-inducible gene"),
    ],
)
def test_a_short_form_of_something_else_is_no_mention(text: str, short: str, long: str) -> None:
    assert followed(text, short, long).endswith(f"({short}). {short} rose.")


def test_an_uncertain_long_form_marks_nothing() -> None:
    passage = marked("low «nitrate» (LN). LN")
    passage.spans = [replace(span, score=SURE - 0.1) for span in passage.spans]
    follow_article([passage], definitions(passage, "LN", "low nitrate"))
    assert shown(passage) == "low «nitrate» (LN). LN"


@pytest.mark.parametrize(
    "long", ["dehydroandrographolide succinate", "heterocyclic amines", "volatile organic compounds"]
)
def test_a_long_form_that_may_name_a_chemical_decides_nothing(long: str) -> None:
    text = f"{long} («DAS»). «DAS» rose."
    assert followed(text, "DAS", long) == text


def test_what_is_marked_at_most_places_is_marked_at_all() -> None:
    passage = marked("«taxol» " * FEWEST + "taxol, taxol receptors")
    follow_article([passage], ())
    assert shown(passage) == "«taxol» " * FEWEST + "«taxol», taxol receptors"
    passage = marked("«taxol» " * (FEWEST - 1) + "taxol")
    follow_article([passage], ())
    assert shown(passage).endswith(" taxol")


def test_a_text_and_its_plural_count_together() -> None:
    passage = marked("«flavonoid» " * 3 + "«flavonoids» " * 3 + "flavonoid")
    follow_article([passage], ())
    assert shown(passage).endswith(" «flavonoid»")
    passage = marked("«starch» " * 10 + "and starches")
    follow_article([passage], ())
    assert shown(passage).endswith(" and «starches»")


def test_a_noun_counts_with_the_capital_of_a_sentence() -> None:
    passage = marked("«essential oil» " * 20 + "rose. Essential oils fell.\tEssential oil\tby Essential Oil")
    follow_article([passage], ())
    assert shown(passage).endswith("rose. «Essential oils» fell.\t«Essential oil»\tby Essential Oil")
    passage = marked("«catechin» " * 20 + "rose. Catechin hydrate fell. Catechin carboxyl methyltransferase")
    follow_article([passage], ())
    assert shown(passage).endswith("rose. Catechin hydrate fell. Catechin carboxyl methyltransferase")
    passage = marked("«tin» " * 20 + "rose. Tin fell.")
    follow_article([passage], ())
    assert shown(passage).endswith("rose. «Tin» fell.")
    # At other places a capital makes a name.
    passage = marked("«water» " * 20 + "from Waters")
    follow_article([passage], ())
    assert shown(passage).endswith(" from Waters")


def test_symbols_in_a_list_are_decided_together() -> None:
    passage = marked("rich in S and «N», from P to «Pt». C and D; S, N; As and «Cd»; In vitro, No and «K»")
    follow_article([passage], ())
    assert shown(passage) == "rich in «S» and «N», from «P» to «Pt». C and D; S, N; «As» and «Cd»; In vitro, No and «K»"
    # A symbol that is a short form is one of the list only between commas.
    passage = marked("with «U», I, Li, and «Co», «Pb» or I")
    follow_article([passage], ())
    assert shown(passage) == "with «U», «I», «Li», and «Co», «Pb» or I"


def test_the_changes_are_returned_in_words() -> None:
    passage = marked("low «nitrate» (LN). LN")
    changes = follow_article([passage], definitions(passage, "LN", "low nitrate"))
    assert changes == {"LN": "marked as the short form of 'low nitrate'"}
