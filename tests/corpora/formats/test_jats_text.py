"""JATS: inline markup, citations and formulas as lines of text."""

from __future__ import annotations

import pytest
from jats_articles import line

from corpora.formats import jats

# -- lines of text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("H<sub>2</sub>O and Ca<sup>2+</sup>", "H2O and Ca2+"),
        ("<italic>N</italic>,<italic>N</italic>-dimethyl", "N,N-dimethyl"),
        ("SO<sub>4</sub>\n<sup>2−</sup> ions", "SO42− ions"),
        ("SO\n  <sub>4</sub>\n  <sup>2−</sup> ions", "SO42− ions"),
        ("[Fe(CN)\n<sub>6</sub>]\n<sup>3−</sup> and Na\n<sup>+</sup>", "[Fe(CN)6]3− and Na+"),
        ("NaCl\n<sup>14</sup>C, Zn\n<sup>a</sup>, V\n<sub>max</sub>", "NaCl 14C, Zn a, Vmax"),
        ("the\n<sub>L</sub>-form of DNA\n<sup>1</sup>", "the L-form of DNA 1"),
        ("PtF<sub>\n<italic>n</italic>\n</sub> (n = 1)", "PtFn (n = 1)"),
        ("IC<sub>50</sub>\n<sup>a</sup>", "IC50 a"),
        ("a\n  b\t c", "a b c"),
        ("5\u00a0mM\u2009NaCl", "5\u00a0mM\u2009NaCl"),
        ("one<break/>two", "one two"),
        ("see <ext-link>x.org</ext-link><inline-graphic/>.", "see x.org."),
        ("<name><surname>Curie</surname><given-names>M</given-names></name>", "Curie M"),
        ("a<!-- not this --><?nor this?>b", "ab"),
        ("a &lt; b &#945;", "a < b α"),
    ],
)
def test_inline_markup_is_removed(markup: str, text: str) -> None:
    assert line(markup) == text


CITE = '<xref ref-type="bibr">{}</xref>'


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (f"water<sup>{CITE.format(1)}</sup> is", "water 1 is"),
        (f"water.<sup>{CITE.format(1)},{CITE.format(2)}</sup> It", "water. 1,2 It"),
        (f"water{CITE.format('<sup>1</sup>')},{CITE.format('<sup>2</sup>')} is", "water 1,2 is"),
        (f"water<sup>[{CITE.format(1)}]</sup>is", "water [1] is"),
        (f"water {CITE.format('[1]')}, see ({CITE.format('Curie')})", "water [1], see (Curie)"),
        (f"water{CITE.format(1)}", "water 1"),
        ('Cd<xref ref-type="table-fn"><sup>a</sup></xref>', "Cd a"),
        ('Fig. <xref ref-type="fig">1</xref>A', "Fig. 1A"),
        ("10<sup>−3</sup>", "10−3"),
    ],
)
def test_a_citation_is_separated_from_the_word_before_it(markup: str, text: str) -> None:
    assert line(markup) == text


def mathml(tokens: str) -> str:
    return f"<inline-formula><mml:math>{tokens}</mml:math></inline-formula>".replace("<m", "<mml:m").replace(
        "</m", "</mml:m"
    ).replace("mml:mml:", "mml:")  # fmt: skip


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>", "H2O"),
        ("<msup><mi>Ca</mi><mrow><mn>2</mn><mo>+</mo></mrow></msup>", "Ca2+"),
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E = mc2"),
        ("<mfrac><mi>dose</mi><mi>time</mi></mfrac>", "dose/time"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<msqrt><mi>x</mi></msqrt><mo>=</mo><mo>−</mo><mn>1</mn>", "√x = −1"),
        ("<mi>total</mi><mi>cases</mi>", "total cases"),
        ("<mi>f</mi><mo>\u2061</mo><mi>x</mi>", "fx"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>", "a b"),
        ("<msemantics><mi>a</mi></msemantics>", "a"),
    ],
)
def test_mathml_is_read_as_text(tokens: str, text: str) -> None:
    assert line(mathml(tokens)) == text


TEX = r"\documentclass{minimal}\usepackage{x}\begin{document}$$k_{cat}$$\end{document}"


def test_a_formula_in_two_notations_is_read_once() -> None:
    math = "<mml:math><mml:mi>k</mml:mi></mml:math>"
    tex = f"<tex-math>{TEX}</tex-math>"
    for both in (f"<alternatives>{tex}{math}<inline-graphic/></alternatives>", tex + math):
        assert line(f"the <inline-formula>{both}</inline-formula> is") == "the k is"


def test_latex_is_read_without_its_preamble() -> None:
    assert line(f"<inline-formula><tex-math>{TEX}</tex-math></inline-formula>") == "k_{cat}"
    assert line("<tex-math>$x$</tex-math>") == "x"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Lead<sup>a</sup> and Zinc<sup>*</sup>, Copper<sup>b,c</sup>.", "Lead a and Zinc *, Copperb,c."),
        ("<sup>a</sup>Sodium chloride", "a Sodium chloride"),
        ("<bold>Lead</bold><sup><italic>a</italic></sup> rose", "Lead a rose"),
        ("<sup>a</sup> Sodium", "a Sodium"),
        ("<sup>*</sup>p was low", "* p was low"),
        ("KO<sup>t</sup>Bu and <sup>i</sup>Pr", "KOtBu and iPr"),
        ("<sup>t</sup>Bu", "tBu"),
        ("<sup>14</sup>C", "14C"),
        ("<sup>1</sup>H NMR", "1H NMR"),
        ("10<sup>n</sup> and m<sup>2</sup>", "10n and m2"),
        ("zinc<sup>[4–6]</sup>, magnesium<sup>(7)</sup>.", "zinc [4–6], magnesium (7)."),
        ("lead.<sup>[1,2]</sup> Since 2015<sup>[3]</sup>", "lead. [1,2] Since 2015 [3]"),
        ("benzo<sup>[a]</sup>pyrene, 10<sup>(6)</sup>, [<sup>(2)</sup>H]", "benzo[a]pyrene, 10(6), [(2)H]"),
        ("H<sup>a</sup> of CH<sup>b</sup>", "Ha of CHb"),
        ("Lead<sup>a</sup>b", "Leadab"),
        ("<bold>Patient: Male</bold><bold>Drug: Lead</bold>", "Patient: Male Drug: Lead"),
        ("<bold>p</bold><bold>H</bold>", "pH"),
        ("<italic>trans</italic><italic>-2</italic>", "trans-2"),
    ],
)
def test_marks_of_footnotes_and_lines_are_separated_from_words(markup: str, text: str) -> None:
    assert line(markup) == text


def test_marks_of_the_notes_of_a_table_count_after_anything_but_a_unit() -> None:
    inside = ("Cu<sup>1</sup>", "m<sup>2</sup>", "5 (3)<sup>b</sup>", "R<sup>2</sup>")
    cells = "".join(f"<td>{cell}</td>" for cell in inside)
    notes = "<p><sup>1</sup>Values of five.</p><fn><label>b</label><p>Means.</p></fn><fn><p><sup>2</sup>x</p></fn>"
    table = f"<table><tbody><tr>{cells}</tr></tbody></table><table-wrap-foot>{notes}</table-wrap-foot>"
    document = jats.parse(
        f"<article><body><table-wrap>{table}</table-wrap></body></article>".encode(), lambda sentence: None
    )
    assert [one.text for one in document.passages[1:3]] == ["Cu 1\tm2\t5 (3) b\tR2", "1 Values of five."]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("See <related-article>“Zinc in mice”</related-article> for data.", "See “Zinc in mice” for data."),
        ("<related-article>Zinc in mice</related-article>", "Zinc in mice"),
        ("Of <related-object><source>J Zinc</source><year>1999</year></related-object>.", "Of J Zinc 1999."),
    ],
)
def test_related_articles_in_prose_are_text(markup: str, text: str) -> None:
    assert line(markup) == text


def test_scripts_before_a_base_come_first() -> None:
    isotope = "<mmultiscripts><mi>Xe</mi><mprescripts/><none/><mn>129</mn></mmultiscripts>"
    after = "<mmultiscripts><mi>O</mi><mn>2</mn><mo>-</mo></mmultiscripts>"
    assert line(mathml(isotope)) == "129Xe"
    assert line(mathml(after)) == "O2-"


def test_a_captioned_graphic_does_not_divide_its_sentence() -> None:
    inside = "<p>Zinc<graphic><caption><p>Of lead.</p></caption></graphic>fell.</p>"
    document = jats.parse(f"<article><body>{inside}</body></article>".encode(), lambda sentence: None)
    found = [(one.text, one.infons["section_type"]) for one in document.passages[1:]]
    assert found == [("Zinc fell.", "INTRO"), ("Of lead.", "FIG")]
