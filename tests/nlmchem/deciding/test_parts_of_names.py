"""Words and signs beside a name that belong to it, and words for classes, in the default lexicon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from marked_passages import document_of, marked, shown

from nlmchem.deciding.knowledge import Knowledge
from sieves.lexicon.lexicon import Lexicon


@pytest.fixture(scope="module")
def knowledge() -> Iterator[Knowledge]:
    with Lexicon.open() as lexicon:
        yield Knowledge(lexicon)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # One name in two spans.
        ("fed «alfa»-«tocopherol» daily", "fed «alfa-tocopherol» daily"),
        ("of «piperacillin»/«tazobactam» in", "of «piperacillin/tazobactam» in"),
        ("of «β»-«TCP» and «folate»/«thiamine»", "of «β»-«TCP» and «folate»/«thiamine»"),
        ("the «Cys»/«Cys» genotype", "the «Cys»/«Cys» genotype"),
        ("«silver»/«sulfide», «copper»/«chloride»", "«silver»/«sulfide», «copper»/«chloride»"),
        # The number in brackets.
        ("levels of «CoQ»(10) and «coenzyme Q»(10)", "levels of «CoQ(10)» and «coenzyme Q(10)»"),
        ("with «vanillin»(1), «Fe»(0) and «ADR»(12)", "with «vanillin»(1), «Fe»(0) and «ADR»(12)"),
        # Forms of an element.
        ("on «carbon» black and glassy «carbon»", "on «carbon black» and «glassy carbon»"),
        ("by activated «charcoal» or active «carbon»", "by «activated charcoal» or «active carbon»"),
        ("«phosphorus» and red «phosphorus»", "«phosphorus» and «red phosphorus»"),
        (
            "porous «carbon», black «charcoal», reactivated «carbon»",
            "porous «carbon», black «charcoal», reactivated «carbon»",
        ),
        # The salt of what is named.
        ("the hemisulfate «salt» of «adenine»", "the hemisulfate salt of «adenine»"),
        ("as «sodium salt» and «calcium salts»", "as «sodium» salt and «calcium» salts"),
        (
            "«salt» stress, «bile salts» and «trifluoroborate salts»",
            "«salt» stress, «bile salts» and «trifluoroborate salts»",
        ),
        # Lines of cells.
        ("the «CHO» line and «QZW-7» cells", "the CHO line and QZW-7 cells"),
        ("«NaCl» cells and «QZW-7» levels", "«NaCl» cells and «QZW-7» levels"),
        # A letter at the end of another name.
        ("cathepsin «K», protein «C» and «K»", "cathepsin K, protein C and «K»"),
        ("serum «K» and soil «P»", "serum «K» and soil «P»"),
        # Adjectives that share their noun with a name after them.
        ("«nitric» and «sulfuric acid» were", "«nitric and sulfuric acid» were"),
        ("«valproic» and a citric acid", "«valproic» and a citric acid"),
        ("«caffeic» and «p-coumaric acid» were", "«caffeic and p-coumaric acid» were"),
        ("«oleic», «linoleic» and «α-linolenic acids»", "«oleic, linoleic and α-linolenic acids»"),
        # A list that was marked as one; a name with commas and a shared word are no list.
        ("the «PCB-153, 2,3,7,8-TCDD» and", "the «PCB-153», «2,3,7,8-TCDD» and"),
        ("«25(OH)D, 25-OH-D3, 1,25(OH)2D» were", "«25(OH)D», «25-OH-D3», «1,25(OH)2D» were"),
        ("«vitamins A, C and E», «zinc, compound X»", "«vitamins A, C and E», «zinc, compound X»"),
        # Peptides are not divided.
        ("the peptide «Glu-Lys-Val» was", "the peptide «Glu-Lys-Val» was"),
    ],
)
def test_spans_become_names(text: str, expected: str, knowledge: Knowledge) -> None:
    passage = marked(text)
    knowledge(document_of(passage), [passage])
    assert shown(passage) == expected
