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
        ("10<sup>−3</sup>", "10^−3"),
    ],
)
def test_a_citation_is_separated_from_the_word_before_it(markup: str, text: str) -> None:
    assert line(markup) == text


def mathml(tokens: str) -> str:
    return f"<inline-formula><mml:math>{tokens}</mml:math></inline-formula>".replace("<m", "<mml:m").replace(
        "</m", "</mml:m"
    ).replace("mml:mml:", "mml:")  # fmt: skip


A, SUM = "<mi>a</mi>", "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
FENCED = f"<mrow><mo>(</mo>{SUM}<mo>)</mo></mrow>"


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>", "H2O"),
        ("<msup><mi>Ca</mi><mrow><mn>2</mn><mo>+</mo></mrow></msup>", "Ca2+"),
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E = mc2"),
        ("<mfrac><mi>dose</mi><mi>time</mi></mfrac>", "dose/time"),
        (f"<mfrac><mn>1</mn><mrow>{A}<mo>×</mo><mi>Q</mi></mrow></mfrac>", "1/(a × Q)"),
        (f"<mfrac>{SUM}{A}</mfrac><mo>=</mo><mfrac>{A}{SUM}</mfrac>", "(a + b)/a = a/(a + b)"),
        (f"<mfrac><mn>1</mn>{FENCED}</mfrac>", "1/(a + b)"),
        (f"<mfrac><mn>1</mn><mn>2</mn></mfrac>{A}<mo>+</mo>{A}", "(1/2)a + a"),
        (f"<msqrt>{SUM}</msqrt><mo>+</mo><msqrt>{FENCED}</msqrt>", "√(a + b) + √(a + b)"),
        (f"<msup><mfrac>{A}<mi>b</mi></mfrac><mn>2</mn></msup>", "(a/b)^2"),
        (f"<msup>{FENCED}<mn>2</mn></msup><mo>+</mo><msup>{A}<mrow><mo>−</mo>{A}</mrow></msup>", "(a + b)^2 + a^−a"),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup>", "10^−3"),
        (f"<msup><mi>e</mi><mrow><mo>−</mo><mfrac>{A}{SUM}</mfrac></mrow></msup>", "e^(−a/(a+b))"),
        ("<msubsup><mi>X</mi><mn>1</mn><mn>2</mn></msubsup>", "X1^2"),
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
        ("10<sup>n</sup> and m<sup>2</sup>", "10^n and m2"),
        ("zinc<sup>[4–6]</sup>, magnesium<sup>(7)</sup>.", "zinc [4–6], magnesium (7)."),
        ("lead.<sup>[1,2]</sup> Since 2015<sup>[3]</sup>", "lead. [1,2] Since 2015 [3]"),
        (
            "in phase 2<sup>5</sup>, Grades 3<sup>1,2</sup> and day\n28<sup>13</sup>",
            "in phase 2 5, Grades 3 1,2 and day 28 13",
        ),
        ("lead in 2015<sup>12</sup>, as <italic>nif</italic>H<sup>†</sup>", "lead in 2015 12, as nifH †"),
        ("benzo<sup>[a]</sup>pyrene, 10<sup>(6)</sup>, [<sup>(2)</sup>H]", "benzo[a]pyrene, 10^(6), [(2)H]"),
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
        ("6 × 10<sup>6</sup> or 1x10<sup>−2</sup> cells", "6 × 10^6 or 1x10^−2 cells"),
        ("10<sup> 6</sup>, 10<sup>6–</sup>10<sup>7 </sup>per mL", "10^6, 10^6–10^7 per mL"),
        (
            "2<sup>−ΔΔC<sub>t</sub></sup>, a 2<sup>3</sup> design and 10<sup>(a+b)/2</sup>",
            "2^−ΔΔCt, a 2^3 design and 10^((a+b)/2)",
        ),
        ("C<sub>0</sub>e<sup>−<italic>kt</italic></sup>", "C0e^−kt"),
        (
            "(a/b)<sup>2</sup>, (1 − <italic>x</italic>)<sup>0.5</sup>, (V s)<sup>−1</sup>",
            "(a/b)^2, (1 − x)^0.5, (V s)^−1",
        ),
        ("[(V − v)/V]<sup>n</sup>; X<sub>1</sub><sup>2</sup>", "[(V − v)/V]^n; X1^2"),
        ("at 37<sup>0</sup>C, −20<sup>0</sup> C and 10<sup>0</sup>", "at 37°C, −20° C and 10^0"),
    ],
)
def test_exponents_have_a_sign(markup: str, text: str) -> None:
    assert line(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (
            "Ca<sup>2+</sup>, [Fe(CN)<sub>6</sub>]<sup>3−</sup>, [PtCl<sub>6</sub>]<sup>−2</sup>",
            "Ca2+, [Fe(CN)6]3−, [PtCl6]−2",
        ),
        (
            "(NO<sub>3</sub>)<sup>−</sup>, (SO<sub>4</sub>)<sup>−2</sup>, [M + H]<sup>+</sup>",
            "(NO3)−, (SO4)−2, [M + H]+",
        ),
        (
            "<sup>14</sup>C, H<sub>2</sub><sup>18</sup>O, 99<sup>m</sup>Tc, ppm<sup>13</sup>C",
            "14C, H218O, 99mTc, ppm13C",
        ),
        ("m<sup>2</sup>, kg<sup>−1</sup>, R<sup>2</sup>, sp<sup>3</sup>", "m2, kg−1, R2, sp3"),
        ("the 10<sup>th</sup>, 1<sup>st</sup>, IL-10<sup>2</sup>, 1e<sup>−10</sup>", "the 10th, 1st, IL-102, 1e−10"),
        ("(N = 40)<sup>3</sup>, (5 mg/L)<sup>2</sup>, zinc (Zn)<sup>12</sup>", "(N = 40)3, (5 mg/L)2, zinc (Zn)12"),
        ('10<sup><xref ref-type="bibr">6</xref></sup>, CD45.2<sup>+</sup>, e<sup>−</sup>', "10 6, CD45.2+, e−"),
        ("σ<sub>min</sub><sup>2</sup>", "σmin2"),
    ],
)
def test_other_superscripts_stay_as_they_are(markup: str, text: str) -> None:
    assert line(markup) == text


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
