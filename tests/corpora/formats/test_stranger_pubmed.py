"""PubMed XML as servers, tools and users of NLM's files write it."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, check


def citations(inside: str) -> str:
    doctype = '<?xml version="1.0"?>\n<!DOCTYPE PubmedArticleSet PUBLIC "x" "pubmed.dtd">\n'
    return f"{doctype}<PubmedArticleSet>{inside}</PubmedArticleSet>"


def citation(pmid: int, title: str, abstract: str = "", extra: str = "", article_extra: str = "") -> str:
    article = f"<Article>{title}{abstract}{article_extra}</Article>"
    whole = f'<MedlineCitation><PMID Version="1">{pmid}</PMID>{article}{extra}</MedlineCitation>'
    return f"<PubmedArticle>{whole}</PubmedArticle>"


def title(text: str) -> str:
    return f"<ArticleTitle>{text}</ArticleTitle>"


def abstract(text: str) -> str:
    return f"<Abstract><AbstractText>{text}</AbstractText></Abstract>"


CASES: dict[str, Case] = {
    "vernacular.xml": (
        citations(
            citation(
                1,
                title("[Not Available]."),
                "",
                article_extra="<Language>fre</Language><VernacularTitle>Le zinc.</VernacularTitle>",
            )
        ),
        ["1 | Le zinc."],
    ),
    "vernacular2.xml": (
        citations(
            citation(
                1,
                "<ArticleTitle/>",
                "",
                article_extra="<Language>ger</Language><VernacularTitle>Das Zink.</VernacularTitle>",
            )
        ),
        ["1 | Das Zink."],
    ),
    "vernacular3.xml": (
        citations(
            citation(
                1,
                title("[Zinc]."),
                abstract("Zn."),
                article_extra="<Language>ger</Language><VernacularTitle>Das Zink.</VernacularTitle>",
            )
        ),
        ["1 | [Zinc]. | Zn. | Das Zink."],
    ),
    "in_process.xml": (
        citations(
            citation(
                1,
                title("[In Process Citation]"),
                "",
                article_extra="<Language>ger</Language><VernacularTitle>Das Zink.</VernacularTitle>",
            )
        ),
        ["1 | Das Zink."],
    ),
    "mmulti.xml": (
        citations(
            citation(
                1,
                title(
                    'Gas <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mmultiscripts><mml:'
                    "mi>Xe</mml:mi><mml:mprescripts/><mml:none/><mml:mn>129</mml:mn></mml:mmultiscripts></"
                    'mml:math> and <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mmultiscr'
                    "ipts><mml:mi>C</mml:mi><mml:mprescripts/><mml:mn>6</mml:mn><mml:mn>14</mml:mn></mml:m"
                    "multiscripts></mml:math>"
                ),
            )
        ),
        ["1 | Gas 129Xe and 146C"],
    ),
    "mmulti_post.xml": (
        citations(
            citation(
                1,
                title(
                    '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mmultiscripts><mml:mi>S'
                    "O</mml:mi><mml:mn>4</mml:mn><mml:mrow><mml:mn>2</mml:mn><mml:mo>−</mml:mo></mml:mrow>"
                    "</mml:mmultiscripts></mml:math> ion"
                ),
            )
        ),
        ["1 | SO42− ion"],
    ),
    "msubsup.xml": (
        citations(
            citation(
                1,
                title(
                    '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:msubsup><mml:mi>NO</mml'
                    ":mi><mml:mn>3</mml:mn><mml:mo>-</mml:mo></mml:msubsup></mml:math> salts"
                ),
                abstract(
                    'Dose <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:mrow><mml:mi>x</mm'
                    "l:mi><mml:mo>=</mml:mo><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac></m"
                    "ml:mrow></mml:math> mg."
                ),
            )
        ),
        ["1 | NO3- salts | Dose x = 1/2 mg."],
    ),
    "annotation_tex.xml": (
        citations(
            citation(
                1,
                title(
                    'Of <mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML"><mml:semantics><mml:msup>'
                    '<mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup><mml:annotation encoding="application/'
                    'x-tex">x^2</mml:annotation></mml:semantics></mml:math>.'
                ),
            )
        ),
        ["1 | Of x2."],
    ),
    "math_noprefix.xml": (
        citations(
            citation(
                1,
                title(
                    'Of <math xmlns="http://www.w3.org/1998/Math/MathML"><msup><mi>Zn</mi><mrow><mn>2</mn>'
                    "<mo>+</mo></mrow></msup></math>."
                ),
            )
        ),
        ["1 | Of Zn2+."],
    ),
    "bold_glued.xml": (
        citations(
            citation(
                1,
                title("T."),
                abstract("<b>OBJECTIVE</b><b>METHODS</b>Zinc <i>in</i><i>vitro</i> H<sub>2</sub>O <b>AIM:</b>Lead."),
            )
        ),
        ["1 | T. | OBJECTIVE METHODS Zinc in vitro H2O AIM: Lead."],
    ),
    "root_article.xml": (
        '<?xml version="1.0"?>' + citation(77, title("Zinc."), abstract("Lead.")),
        ["77 | Zinc. | Lead."],
    ),
    "root_citation.xml": (
        ("<MedlineCitation><PMID>78</PMID><Article><ArticleTitle>Zinc.</ArticleTitle></Article></MedlineCitation>"),
        ["78 | Zinc."],
    ),
    "concat3.xml": (
        "".join(citations(citation(i, title(f"Zinc {i}."))) + "\n" for i in (1, 2, 3)),
        ["1 | Zinc 1.", "2 | Zinc 2.", "3 | Zinc 3."],
    ),
    "concat_articles.xml": (
        "".join('<?xml version="1.0"?>\n' + citation(i, title(f"Zinc {i}.")) + "\n" for i in (1, 2)),
        ["1 | Zinc 1.", "2 | Zinc 2."],
    ),
    "concat_nodecl.xml": (
        citation(1, title("Zinc 1.")) + "\n" + citation(2, title("Zinc 2.")),
        ["1 | Zinc 1.", "2 | Zinc 2."],
    ),
    "delete.xml": (
        citations(citation(1, title("Zinc.")) + "<DeleteCitation><PMID>5</PMID><PMID>6</PMID></DeleteCitation>"),
        ["1 | Zinc.", "~ 2 citations are declared deleted; remove what was read of each before"],
    ),
    "only_delete.xml": (
        citations("<DeleteCitation><PMID>5</PMID></DeleteCitation>"),
        ["~ 1 citation is declared deleted; remove what was read of each before", "~ the file contains no citation"],
    ),
    "book.xml": (
        (
            '<?xml version="1.0"?><PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>20</PMI'
            'D><ArticleIdList><ArticleId IdType="bookaccession">NBK1</ArticleId></ArticleIdList><B'
            "ook><Publisher><PublisherName>U</PublisherName></Publisher><BookTitle>GeneReviews</Bo"
            "okTitle></Book><ArticleTitle>Wilson <i>disease</i></ArticleTitle><Abstract><AbstractT"
            'ext Label="CLINICAL">Copper accumulates.</AbstractText></Abstract></BookDocument></Pu'
            "bmedBookArticle></PubmedArticleSet>"
        ),
        ["20 | Wilson disease | CLINICAL: Copper accumulates. | GeneReviews"],
    ),
    "bookset.xml": (
        (
            "<PubmedBookArticleSet><PubmedBookArticle><BookDocument><PMID>20</PMID><Book><BookTitl"
            "e>Lead in water</BookTitle></Book></BookDocument></PubmedBookArticle></PubmedBookArti"
            "cleSet>"
        ),
        ["20 | Lead in water"],
    ),
    "book_sections.xml": (
        (
            "<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID>21</PMID><Book><BookTitle>La"
            "ctMed</BookTitle></Book><ArticleTitle>Zinc</ArticleTitle><Abstract><AbstractText>Sum."
            "</AbstractText></Abstract><Sections><Section><SectionTitle>Drug Levels of lithium</Se"
            "ctionTitle></Section></Sections></BookDocument></PubmedBookArticle></PubmedArticleSet"
            ">"
        ),
        ["21 | Zinc | Sum. | LactMed | Drug Levels of lithium"],
    ),
    "other_only.xml": (
        citations(
            citation(
                4,
                title("[Zinc]."),
                "",
                extra=(
                    '<OtherAbstract Type="Publisher" Language="spa"><AbstractText Label="OBJETIVO">El zinc'
                    ".</AbstractText><AbstractText>Plomo.</AbstractText></OtherAbstract>"
                ),
            )
        ),
        ["4 | [Zinc]. | OBJETIVO: El zinc. Plomo."],
    ),
    "pls.xml": (
        citations(
            citation(
                4,
                title("Zinc."),
                abstract("Zn in rats."),
                extra=(
                    '<OtherAbstract Type="plain-language-summary" Language="eng"><AbstractText>Simple zinc'
                    ".</AbstractText></OtherAbstract>"
                ),
            )
        ),
        ["4 | Zinc. | Zn in rats. | Simple zinc."],
    ),
    "copyright.xml": (
        citations(
            citation(
                4,
                title("Zinc."),
                (
                    "<Abstract><AbstractText>Zn.</AbstractText><CopyrightInformation>© X</CopyrightInforma"
                    "tion></Abstract>"
                ),
            )
        ),
        ["4 | Zinc. | Zn."],
    ),
    "one_broken.xml": (
        citations(
            citation(1, title("Zinc."))
            + citation(2, title("Lead <i>broken.")).replace("</MedlineCitation>", "</MedlineCitation>")
            + citation(3, title("Iron."))
        ),
        [
            "1 | Zinc.",
            ("! citation 2: the XML is broken at line 1 (Opening and ending tag mismatch: i line 1 and ArticleTitle)"),
            "3 | Iron.",
        ],
    ),
    "medlineset.xml": (
        (
            '<MedlineCitationSet><MedlineCitation Owner="NLM"><PMID>101</PMID><Article><ArticleTit'
            "le>Zinc.</ArticleTitle><Abstract><AbstractText>Lead.</AbstractText></Abstract></Artic"
            "le></MedlineCitation><MedlineCitation><PMID>102</PMID><Article><ArticleTitle>Iron.</A"
            "rticleTitle></Article></MedlineCitation></MedlineCitationSet>"
        ),
        ["101 | Zinc. | Lead.", "102 | Iron."],
    ),
    "summary.xml": (
        (
            '<?xml version="1.0"?><eSummaryResult><DocSum><Id>1</Id><Item Name="Title" Type="Strin'
            'g">Zinc.</Item></DocSum></eSummaryResult>'
        ),
        [("! it is an answer of E-utilities with titles only (esummary); request the articles with efetch, or rem")],
    ),
    "esearch.xml": (
        ('<?xml version="1.0"?><eSearchResult><Count>1</Count><IdList><Id>1</Id></IdList></eSearchResult>'),
        [("! it is an answer of E-utilities with ids only (esearch); request the articles with efetch, or remove")],
    ),
    "medline.txt": (
        (
            "PMID- 12345\nOWN - NLM\nTI  - Zinc in rats.\nAB  - Lead acetate was given\n      to rats."
            "\n\nPMID- 12346\nTI  - Iron.\n"
        ),
        [("! it is a list of citations in the form of MEDLINE (nbib), not a text; export PubMed XML in its place,")],
    ),
    "pubmed.nbib": (
        "PMID- 12345\nOWN - NLM\nTI  - Zinc in rats.\n",
        [("! it is a list of citations in the form of MEDLINE (nbib), not a text; export PubMed XML in its place,")],
    ),
    "ris.txt": (
        "TY  - JOUR\nTI  - Zinc\nAB  - Lead\nER  - \n",
        [("! it is a list of citations in the form of RIS, not a text; export PubMed XML in its place, or CSV")],
    ),
    "pmc_in_pubmed.xml": (
        citations(citation(1, title("Zinc."))) + "<article><front/><body><p>x</p></body></article>",
        [
            "1 | Zinc.",
            ("! it also contains <article>, which is of another format than the articles before that place and was n"),
        ],
    ),
    "nothing.xml": (
        citations("<PubmedArticle><MedlineCitation><PMID>1</PMID><Article/></MedlineCitation></PubmedArticle>"),
        ["1", "~ document '1' has no title and no abstract"],
    ),
    "exponents.xml": (
        citations(citation(1, title("At 5 × 10<sup>6</sup> <sup>14</sup>C, Ca<sup>2+</sup>, 2<sup><i>n</i></sup>."))),
        ["1 | At 5 × 10^6 14C, Ca2+, 2n."],
    ),
    "ns_root.xml": (
        '<PubmedArticleSet xmlns:mml="http://www.w3.org/1998/Math/MathML">'
        + citation(1, title("Of <mml:math><mml:msup><mml:mi>Zn</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>."))
        + "</PubmedArticleSet>",
        ["1 | Of Zn2."],
    ),
    "crlf_concat.xml": (
        (citations(citation(1, title("Zinc 1."))) + "\n" + citations(citation(2, title("Zinc 2.")))).replace(
            "\n", "\r\n"
        ),
        ["1 | Zinc 1.", "2 | Zinc 2."],
    ),
    "trunc.xml": (
        citations(citation(1, title("Zinc.")) + citation(2, title("Lead.")))[:-60],
        [
            "1 | Zinc.",
            ("! the XML ends too early, at line 3: the file was cut off; get it again (read before that place: 1 art"),
        ],
    ),
    "bookroot.xml": (
        (
            "<PubmedBookArticle><BookDocument><PMID>9</PMID><Book><BookTitle>Zinc book</BookTitle>"
            "</Book><Abstract><AbstractText>Lead.</AbstractText></Abstract></BookDocument></Pubmed"
            "BookArticle>"
        ),
        ["9 | Zinc book | Lead."],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
