"""JATS of many publishers: footnote marks, pictures in paragraphs, formulas, sets with a broken article."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, check

FRONT = '<article-id pub-id-type="pmc">900</article-id><title-group><article-title>T.</article-title></title-group>'


def article(body: str, front: str = FRONT, extra: str = "") -> str:
    return (
        '<?xml version="1.0"?><article xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"<front><article-meta>{front}</article-meta></front><body><sec><title>R</title>{body}</sec></body>{extra}</article>"
    )


CASES: dict[str, Case] = {
    "foot_xref_table.xml": (
        article(
            '<table-wrap><table><tbody><tr><td>Lead<xref ref-type="table-fn" rid="a"><sup>a</sup><'
            "/xref></td><td>Zinc<sup>b</sup></td><td>Cadmium<sup>†</sup></td></tr></tbody></table>"
            '<table-wrap-foot><fn id="a"><label>a</label><p>Copper.</p></fn><fn id="b"><p><sup>b</'
            "sup>Nickel.</p></fn></table-wrap-foot></table-wrap>"
        ),
        ["900 | T. | R | Lead a\tZinc b\tCadmium † | Copper. | b Nickel."],
    ),
    "foot_para.xml": (
        article(
            '<p>We gave lead<sup>a</sup> and sodium chloride<sup>*</sup>, zinc<xref ref-type="fn" '
            'rid="x">1</xref> and copper<xref ref-type="bibr" rid="r"><sup>2</sup></xref>.</p>'
        ),
        ["900 | T. | R | We gave lead a and sodium chloride *, zinc 1 and copper 2."],
    ),
    "sup_xref_glued.xml": (
        article(
            '<p>Lithium<sup><xref ref-type="bibr" rid="r1">12</xref>,<xref ref-type="bibr" rid="r2'
            '">13</xref></sup>was given with Zn<sup>2+</sup>, <sup>14</sup>C and Ca<sup>2+</sup><s'
            'up><xref ref-type="bibr" rid="r3">4</xref></sup>.</p>'
        ),
        ["900 | T. | R | Lithium 12,13 was given with Zn2+, 14C and Ca2+ 4."],
    ),
    "foot_num_table.xml": (
        article(
            "<table-wrap><table><tbody><tr><td>Lead<sup>1</sup></td><td>Cu<sup>2+</sup></td><td>5."
            "2<sup>1</sup></td></tr></tbody></table><table-wrap-foot><fn><p><sup>1</sup>Nickel.</p"
            "></fn></table-wrap-foot></table-wrap>"
        ),
        ["900 | T. | R | Lead 1\tCu2+\t5.2 1 | 1 Nickel."],
    ),
    "foot_sub.xml": (
        article(
            "<table-wrap><table><tbody><tr><td>NaCl<sup>a,b</sup></td><td>H<sub>2</sub>O<sup>c</su"
            "p></td><td>KCl <sup>d</sup></td></tr></tbody></table><table-wrap-foot><p><sup>a</sup>"
            "Copper. <sup>b</sup>Nickel. <sup>c</sup>Iron.</p></table-wrap-foot></table-wrap>"
        ),
        ["900 | T. | R | NaCl a,b\tH2O c\tKCl d | a Copper. b Nickel. c Iron."],
    ),
    "graphic_p.xml": (
        article(
            '<p>The salt <graphic xlink:href="g1"><caption><p>Caption of NaCl</p></caption></graphic> was dry.</p>'
        ),
        ["900 | T. | R | The salt was dry. | Caption of NaCl"],
    ),
    "fig_p.xml": (
        article(
            '<p>The salt <fig id="f1"><label>Fig 1</label><caption><p>Caption of NaCl</p></caption'
            '><graphic xlink:href="g1"/></fig> was dry.</p>'
        ),
        ["900 | T. | R | The salt was dry. | Caption of NaCl"],
    ),
    "media_p.xml": (
        article(
            '<p>The salt <media xlink:href="m.mp4"><label>Video 1</label><caption><title>KCl video'
            "</title></caption></media> was dry.</p>"
        ),
        ["900 | T. | R | The salt was dry. | KCl video"],
    ),
    "suppl_p.xml": (
        article(
            '<p>The salt <supplementary-material xlink:href="m.doc"><caption><p>KCl data</p></capt'
            "ion></supplementary-material> was dry.</p>"
        ),
        ["900 | T. | R | The salt was dry. | KCl data"],
    ),
    "chemstruct_p.xml": (
        article(
            "<p>The acid <chem-struct-wrap><label>(1)</label><chem-struct>C6H6</chem-struct><graph"
            'ic xlink:href="g"/></chem-struct-wrap> was dry.</p>'
        ),
        ["900 | T. | R | The acid was dry. | C6H6"],
    ),
    "dispformula_p.xml": (
        article(
            '<p>The rate <disp-formula><label>(1)</label><mml:math xmlns:mml="http://www.w3.org/19'
            '98/Math/MathML"><mml:mi>k</mml:mi></mml:math></disp-formula> of NaCl.</p>'
        ),
        ["900 | T. | R | The rate | k | of NaCl."],
    ),
    "inline_alt.xml": (
        article(
            "<p>Ion <inline-formula><alternatives><tex-math>$Zn^{2+}$</tex-math><mml:math xmlns:mm"
            'l="http://www.w3.org/1998/Math/MathML"><mml:msup><mml:mi>Zn</mml:mi><mml:mrow><mml:mn'
            ">2</mml:mn><mml:mo>+</mml:mo></mml:mrow></mml:msup></mml:math><inline-graphic xlink:h"
            'ref="a.gif"/></alternatives></inline-formula> binds.</p>'
        ),
        ["900 | T. | R | Ion Zn2+ binds."],
    ),
    "inline_tex.xml": (
        article(
            "<p>Ion <inline-formula><tex-math>\\documentclass{minimal}\\begin{document}$$\\mathrm{Zn}"
            "^{2+}$$\\end{document}</tex-math></inline-formula> binds.</p>"
        ),
        ["900 | T. | R | Ion \\mathrm{Zn}^{2+} binds."],
    ),
    "mmulti.xml": (
        article(
            '<p>Gas <inline-formula><mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:'
            "mmultiscripts><mml:mi>Xe</mml:mi><mml:mprescripts/><mml:none/><mml:mn>129</mml:mn></m"
            "ml:mmultiscripts></mml:math></inline-formula>.</p>"
        ),
        ["900 | T. | R | Gas 129Xe."],
    ),
    "set_broken_first.xml": (
        "<pmc-articleset>"
        + article("<p>One <italic>zinc.</p>").split("?>", 1)[1].replace("900", "901")
        + article("<p>Two NaCl.</p>").split("?>", 1)[1].replace("900", "902")
        + "</pmc-articleset>",
        [
            ("! article '901': the XML is broken at line 1 (Opening and ending tag mismatch: italic line 1 and p); c"),
            "902 | T. | R | Two NaCl.",
        ],
    ),
    "set_reply.xml": (
        ('<pmc-articleset><Reply id="PMC1" error="The following PMCID is not available: 1"/>')
        + article("<p>Two NaCl.</p>").split("?>", 1)[1]
        + "</pmc-articleset>",
        [
            "900 | T. | R | Two NaCl.",
            ("~ instead of an article, the file contains an error message of the server it came from: The following"),
        ],
    ),
    "subarticle.xml": (
        article(
            "<p>Zinc.</p>",
            extra=(
                '<sub-article article-type="translation" xml:lang="fr" id="s"><front-stub><title-group'
                "><article-title>Le zinc</article-title></title-group></front-stub><body><p>Le plomb.<"
                "/p></body></sub-article>"
            ),
        ),
        ["900 | T. | R | Zinc. | Le zinc | Le plomb."],
    ),
    "two_articles_cat.xml": (
        article("<p>One zinc.</p>").replace("900", "901") + "\n" + article("<p>Two NaCl.</p>"),
        ["901 | T. | R | One zinc.", "900 | T. | R | Two NaCl."],
    ),
    "nested_in_oai.xml": (
        (
            '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><GetRecord'
            "><record><header><identifier>x</identifier></header><metadata>"
        )
        + article("<p>Two NaCl.</p>")
        .split("?>", 1)[1]
        .replace("<article ", '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" ')
        + "</metadata></record></GetRecord></OAI-PMH>",
        ["900 | T. | R | Two NaCl."],
    ),
    "th_mark_word.xml": (
        article(
            "<table-wrap><table><thead><tr><th>Dose<sup>a</sup></th><th>Sodium<sup>b</sup> chlorid"
            "e</th></tr></thead><tbody><tr><td><sup>a</sup>Lead</td><td>Zn<sup>a</sup></td></tr></"
            "tbody></table></table-wrap>"
        ),
        ["900 | T. | R | Dose a\tSodium b chloride\na Lead\tZn a"],
    ),
    "abstract_mark.xml": (
        article(
            "<p>x</p>",
            front=(
                '<article-id pub-id-type="pmc">900</article-id><title-group><article-title>Lead acetat'
                'e<xref ref-type="fn" rid="f"><sup>*</sup></xref></article-title></title-group><abstra'
                "ct><p>Zinc<sup>1</sup> and lead<sup>§</sup>.</p></abstract>"
            ),
        ),
        ["900 | Lead acetate * | Zinc 1 and lead §. | R | x"],
    ),
    "italic_mark.xml": (
        article(
            "<table-wrap><table><tr><td>Lead<sup><italic>a</italic></sup></td><td>Zinc <sup>(a)</s"
            "up></td><td>Copper<sup>(b)</sup></td><td>Iron<sup>[1]</sup></td></tr></table></table-"
            "wrap>"
        ),
        ["900 | T. | R | Lead a\tZinc (a)\tCopper(b)\tIron [1]"],
    ),
    "sup_dash.xml": (
        article(
            "<p>Zinc<sup>1–3</sup> and lead<sup>1,2</sup>, 5 cm<sup>2</sup>, 10<sup>6</sup>, Na<su"
            "p>+</sup>, <sup>13</sup>C NMR, R<sup>2</sup>, p<sup>a</sup>, t<sub>1/2</sub>.</p>"
        ),
        ["900 | T. | R | Zinc 1–3 and lead 1,2, 5 cm2, 10^6, Na+, 13C NMR, R2, pa, t1/2."],
    ),
    "sup_chem.xml": (
        article(
            "<p>Cu<sup>II</sup>, H<sup>α</sup>, <sup>t</sup>Bu, <sup>n</sup>BuLi, <sup>i</sup>Pr<s"
            "ub>2</sub>NEt, N<sup>ε</sup>-acetyl, ClO<sub>4</sub><sup>−</sup>, CD4<sup>+</sup>, Ap"
            "c<sup>min</sup>, TiO<sub>2</sub><sup>a</sup>.</p>"
        ),
        ["900 | T. | R | CuII, Hα, tBu, nBuLi, iPr2NEt, Nε-acetyl, ClO4−, CD4+, Apcmin, TiO2a."],
    ),
    "sup_word.xml": (
        article("<p>The sodium<sup>a</sup> salt of aspirin<sup>®</sup> and Tween<sup>TM</sup> 80.</p>"),
        ["900 | T. | R | The sodium a salt of aspirin® and Tween TM 80."],
    ),
    "fn_inline.xml": (
        article('<p>Zinc<fn id="f"><p>Lead note.</p></fn> was pure.</p>'),
        ["900 | T. | R | Zinc was pure. | Lead note."],
    ),
    "table_p.xml": (
        article('<p>The salts <table-wrap id="t"><table><tr><td>NaCl</td></tr></table></table-wrap> were dry.</p>'),
        ["900 | T. | R | The salts were dry. | NaCl"],
    ),
    "set_entity.xml": (
        "<pmc-articleset>"
        + article("<p>One &foo; zinc.</p>").split("?>", 1)[1]
        + article("<p>Two NaCl.</p>").split("?>", 1)[1].replace("900", "902")
        + "</pmc-articleset>",
        [
            ("! article '900': line 1: it uses the entity &foo;, which is not declared; write the character itself"),
            "902 | T. | R | Two NaCl.",
        ],
    ),
    "set_cut.xml": (
        "<pmc-articleset>"
        + article("<p>One zinc.</p>").split("?>", 1)[1]
        + article("<p>Two NaCl.</p>").split("?>", 1)[1].replace("900", "902")[:150],
        [
            "900 | T. | R | One zinc.",
            ("! the XML ends too early, at line 1: the file was cut off; get it again (read before that place: 1 art"),
        ],
    ),
    "label_sup.xml": (
        article(
            "<table-wrap><table><tr><td>Lead<sup>a</sup></td></tr></table><table-wrap-foot><fn><la"
            "bel><sup>a</sup></label><p>Copper.</p></fn></table-wrap-foot></table-wrap>"
        ),
        ["900 | T. | R | Lead a | Copper."],
    ),
    "withheld.xml": (
        "<pmc-articleset><article><!--The publisher of this article does not allow downloading of the full text in XML "
        f"form.--><front><article-meta>{FRONT}</article-meta></front></article></pmc-articleset>",
        ["900 | T.", "~ document '900' has no full text; the server states: The publisher of this article does not"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
