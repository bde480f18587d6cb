"""CoNLL and brat as tools write them, and other files whose content is text."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, check, collection, compact, document, passage

CASES: dict[str, Case] = {
    "nbsp.conll": ("10\xa0mM\tO\nNaCl\tB-Chemical\n\n", ["nbsp | 10\xa0mM NaCl :: NaCl"]),
    "bare.conll": ("Zinc\tB\nsulfate\tI\nfell\tO\n\n", ["bare | Zinc sulfate fell :: Zinc sulfate"]),
    "bare_blank.conll": (
        "Zinc B\nsulfate I\nfell O\n\nLead B\n",
        ["bare_blank-1 | Zinc sulfate fell :: Zinc sulfate", "bare_blank-2 | Lead :: Lead"],
    ),
    "bare.txt": ("Zinc\tB\nsulfate\tI\nfell\tO\n\n", ["bare | Zinc sulfate fell :: Zinc sulfate"]),
    "blank.txt": (
        "Zinc B-Chemical\nsulfate I-Chemical\nfell O\n. O\n\nLead B-Chemical\n",
        ["blank-1 | Zinc sulfate fell . :: Zinc sulfate", "blank-2 | Lead :: Lead"],
    ),
    "blank_bare.txt": (
        "Zinc B\nsulfate I\nfell O\n. O\n\nLead B\nis O\n",
        ["blank_bare-1 | Zinc sulfate fell . :: Zinc sulfate", "blank_bare-2 | Lead is :: Lead"],
    ),
    "trailing.conll": ("Zinc\tB-Chemical \nfell\tO\t\n\n", ["trailing | Zinc fell :: Zinc"]),
    "crlf.conll": (
        "Zinc\tB-Chemical\r\nfell\tO\r\n\r\nLead\tB-Chemical\r\n",
        ["crlf-1 | Zinc fell :: Zinc", "crlf-2 | Lead :: Lead"],
    ),
    "cr.conll": (
        "Zinc\tB-Chemical\rfell\tO\r\rLead\tB-Chemical\r",
        ["cr-1 | Zinc fell :: Zinc", "cr-2 | Lead :: Lead"],
    ),
    "badline.conll": (
        "Zinc\tB-Chemical\nsulfate\nfell\tO\nby\tO\nlot\tO\n",
        ["! line 2 is 'sulfate': a token and its tag (O, B-..., I-...) are expected; correct the line"],
    ),
    "badline.tsv": (
        "Zinc\tB-Chemical\nsulfate\nfell\tO\nby\tO\nlot\tO\n",
        ["! line 2 is 'sulfate': a token and its tag (O, B-..., I-...) are expected; correct the line"],
    ),
    "badtag.conll": (
        "Zinc\tB-Chemical\nsulfate\tX-Chemical\nfell\tO\nby\tO\nlot\tO\n",
        [("! line 2 is 'sulfate\\tX-Chemical': a token and its tag (O, B-..., I-...) are expected; correct the lin")],
    ),
    "comment_mid.conll": (
        "# text = Zinc fell\nZinc\tB-Chemical\n# hello\nfell\tO\n\n",
        ["comment_mid | Zinc fell :: Zinc", "~ left out: 2 lines of comments, which begin with #"],
    ),
    "global_columns.conll": (
        (
            "# global.columns = FORM NER\n# newdoc id = d1\n# sent_id = 1\nZinc\tB-Chemical\nfell\tO\n\n# "
            "newdoc id = d2\nLead\tB-Chemical\n"
        ),
        ["d1 | Zinc fell :: Zinc", "d2 | Lead :: Lead", "~ left out: 2 lines of comments, which begin with #"],
    ),
    "conllu_10.conllu": (
        (
            "# sent_id = 1\n# text = Zinc fell\n1\tZinc\tzinc\tNOUN\tNN\t_\t2\tnsubj\t_\tO\n2\tfell\tfall\tVERB\tV"
            "BD\t_\t0\troot\t_\tO\n"
        ),
        ["conllu_10 | Zinc fell", "~ left out: 2 lines of comments, which begin with #"],
    ),
    "webanno.tsv": (
        (
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Mention|label\n\n\n#Text=Zinc fell\n1-1\t0-4\t"
            "Zinc\tChemical\t\n1-2\t5-9\tfell\t_\t\n"
        ),
        [("! it is WebAnno TSV of INCEpTION, which is not read; export the article as UIMA CAS JSON, or remove it")],
    ),
    "bio_first.conll": (
        "B-Chemical\tZinc\nO\tfell\nO\tby\nB-Chemical\tlead\n",
        [("! line 1 is 'B-Chemical\\tZinc': a token and its tag (O, B-..., I-...) are expected; correct the line")],
    ),
    "iobes.conll": (
        "Zinc\tS-Chemical\nlead\tB-Chemical\nacetate\tE-Chemical\nfell\tO\n",
        ["iobes | Zinc lead acetate fell :: Zinc, lead acetate"],
    ),
    "bilou.conll": (
        "Zinc\tU-Chemical\nlead\tB-Chemical\nacetate\tL-Chemical\nfell\tO\n",
        ["bilou | Zinc lead acetate fell :: Zinc, lead acetate"],
    ),
    "iob1.conll": (
        "Zinc\tI-Chemical\nfell\tO\nlead\tI-Chemical\nacetate\tI-Chemical\n",
        ["iob1 | Zinc fell lead acetate :: Zinc, lead acetate"],
    ),
    "bmewo.conll": (
        "lead\tB-Chemical\nacetate\tM-Chemical\nsalt\tE-Chemical\nfell\tO\n",
        ["bmewo | lead acetate salt fell :: lead acetate salt"],
    ),
    "under.conll": (
        "Zinc\tB_Chemical\nfell\tO\n",
        [("! line 1 is 'Zinc\\tB_Chemical': a token and its tag (O, B-..., I-...) are expected; correct the line")],
    ),
    "lower.conll": (
        "Zinc\tb-chemical\nfell\to\n",
        [("! line 1 is 'Zinc\\tb-chemical': a token and its tag (O, B-..., I-...) are expected; correct the line")],
    ),
    "header.conll": (
        "token\ttag\nZinc\tB-Chemical\nfell\tO\n\n",
        ["! line 1 is 'token\\ttag': a token and its tag (O, B-..., I-...) are expected; correct the line"],
    ),
    "header.csv": (
        "sentence,word,tag\n1,Zinc,B-Chemical\n1,fell,O\n",
        ["! it is a table of tokens, not of texts; convert it to CoNLL"],
    ),
    "hash_token.conll": ("Zinc\tB-Chemical\n#\tO\n5\tO\n", ["hash_token | Zinc # 5 :: Zinc"]),
    "double_blank.conll": (
        "Zinc\tB-Chemical\n\n\n\nLead\tB-Chemical\n\n\n",
        ["double_blank-1 | Zinc :: Zinc", "double_blank-2 | Lead :: Lead"],
    ),
    "tabs_blank_line.conll": (
        "Zinc\tB-Chemical\n\t\nLead\tB-Chemical\n",
        ["tabs_blank_line-1 | Zinc :: Zinc", "tabs_blank_line-2 | Lead :: Lead"],
    ),
    "empty_token.conll": (
        "Zinc\tB-Chemical\n\tO\nfell\tO\nby\tO\nx\tO\n",
        ["! line 2 is '\\tO': a token and its tag (O, B-..., I-...) are expected; correct the line"],
    ),
    "u2028.conll": ("Zinc\u2028x\tB-Chemical\nfell\tO\n", ["u2028 | Zinc\u2028x fell :: Zinc\u2028x"]),
    "table.txt": (
        ("PMID\tType\tConcept\tMentions\n1\tChemical\tMESH:D1\tZinc\n2\tChemical\tMESH:D2\tLead\n"),
        [("! it is a table of 4 columns, not a text; convert it to a format that is read, or remove it from the i")],
    ),
    "table.csv": ("a,b,c\n1,2,3\n", ["! it is a table without a column of texts that is known (its columns: a, b, c)"]),
    "csv.txt": (
        ("PMID,Type,Concept,Mentions\n1,Chemical,MESH:D1,Zinc\n2,Chemical,MESH:D2,Lead\n3,Chemical,MESH:D2,Lead\n"),
        [("! it is a table of 4 columns, not a text; convert it to a format that is read, or remove it from the i")],
    ),
    "bionlp2": (
        {
            "e.txt": "Zinc inhibits lead.\n",
            "e.a1": "T1\tChemical 0 4\tZinc\nT2\tChemical 14 18\tlead\n",
            "e.a2": (
                "T3\tInhibition 5 13\tinhibits\nE1\tInhibition:T3 Theme:T2\nR1\tAffects Arg1:T1 Arg2:T2\n*\tEq"
                "uiv T1 T2\n"
            ),
        },
        [
            "e | Zinc inhibits lead. :: Zinc, lead, inhibits (Inhibition) + 1 relation",
            "~ left out: 2 annotation lines with other content than mentions, their concepts and their relations",
        ],
    ),
    "bionlp_a1only": (
        {"e.txt": "Zinc inhibits lead.\n", "e.a1": "T1\tChemical 0 4\tZinc\n"},
        ["e | Zinc inhibits lead. :: Zinc"],
    ),
    "ann_alone": (
        {"e.ann": "T1\tChemical 0 4\tZinc\n"},
        [("! it contains annotations of brat without their text; put the text, NAME.txt, beside NAME.ann or NAME.")],
    ),
    "a1_alone": (
        {"e.a1": "T1\tChemical 0 4\tZinc\n"},
        [("! it contains annotations of brat without their text; put the text, NAME.txt, beside NAME.ann or NAME.")],
    ),
    "brat_repeat": (
        {"e.txt": "Zinc and lead.\n", "e.ann": "T1\tChemical 0 4\tZinc\nT1\tChemical 9 13\tlead\n"},
        ["! two lines have the id T1; give one of them another id"],
    ),
    "brat_frag": (
        {
            "e.txt": "Zinc and lead acetate.\n",
            "e.ann": ("T1\tChemical 0 4;14 21\tZinc acetate\nA1\tNegated T1\n#1\tAnnotatorNotes T1\tnice\n"),
        },
        [
            "e | Zinc and lead acetate. :: Zinc acetate",
            "~ left out: 2 annotation lines with other content than mentions, their concepts and their relations",
        ],
    ),
    "brat_utf16le": (
        {"e.txt": "Zinc and lead.\n".encode("utf-16"), "e.ann": "T1\tChemical 0 4\tZinc\n"},
        ["! byte 0 of its text is not UTF-8; save the file as UTF-8"],
    ),
    "brat_latin1": (
        {"e.txt": "Größe Zinc.\n".encode("latin-1"), "e.ann": "T1\tChemical 6 10\tZinc\n"},
        ["! byte 2 of its text is not UTF-8; save the file as UTF-8"],
    ),
    "brat_bom": (
        {"e.txt": "\ufeffZinc and lead.\n", "e.ann": "\ufeffT1\tChemical 0 4\tZinc\n"},
        ["e | Zinc and lead. :: Zinc"],
    ),
    "brat_bom2": (
        {"e.txt": "\ufeffZinc and lead.\n", "e.ann": "T1\tChemical 1 5\tZinc\n"},
        [
            "e | Zinc and lead. :: Zinc",
            ("~ document 'e': 1 of 1 annotation does not have its text at its offset; each has it 1 character before"),
        ],
    ),
    "brat_empty": ({"e.txt": "Zinc and lead.\n", "e.ann": ""}, ["e | Zinc and lead."]),
    "brat_tabtype": (
        {"e.txt": "Zinc and lead.\n", "e.ann": "T1\tChemical\t0\t4\tZinc\n"},
        ["! the line T1 has 'Chemical' where a type and spans in the text are expected; correct it"],
    ),
    "brat_space": (
        {"e.txt": "Zinc and lead.\n", "e.ann": "T1 Chemical 0 4 Zinc\n"},
        ["! the line T1 Chemical 0 4 Zinc has '' where a type and spans in the text are expected; correct it"],
    ),
    "brat_notext": (
        {"e.txt": "Zinc and lead.\n", "e.ann": "T1\tChemical 0 4\n"},
        [
            "e | Zinc and lead. :: ",
            ("~ document 'e', passage at offset 0, annotation 'T1': its text is '', but the text at its location is"),
        ],
    ),
    "brat_norm": (
        {
            "e.txt": "Zinc and lead.\n",
            "e.ann": ("T1\tChemical 0 4\tZinc\nN1\tReference T1 MESH:D015032\tZinc\nN2\tReference T9 MESH:D1\tx\n"),
        },
        [
            "e | Zinc and lead. :: Zinc",
            "~ left out: 1 concept or relation of mentions that the file does not have (N2); correct the ids",
        ],
    ),
    "brat_nl": (
        {"e.txt": "Zinc and lead\nacetate here.\n", "e.ann": "T1\tChemical 9 13;14 21\tlead acetate\n"},
        ["e | Zinc and lead\nacetate here. :: lead acetate"],
    ),
    "utf16.txt": (
        "Zinc and lead.\n".encode("utf-16"),
        ["! it is binary, or text in UTF-16; remove it from the input, or save it as UTF-8"],
    ),
    "utf16.xml": (
        collection(document("1", passage(0, "Zinc")))
        .replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-16"?>')
        .encode("utf-16"),
        ["1 | Zinc"],
    ),
    "utf16.json": (
        compact({"documents": [{"id": "1", "passages": []}]}).encode("utf-16"),
        ["! it is binary, or text in UTF-16; remove it from the input, or save it as UTF-8"],
    ),
    "latin1.xml": (
        collection(document("1", passage(0, "Größe Zinc")))
        .replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="ISO-8859-1"?>')
        .encode("latin-1"),
        ["1 | Größe Zinc"],
    ),
    "latin1.txt": ("Größe Zinc".encode("latin-1"), ["! byte 2 is not UTF-8; convert the file to UTF-8"]),
    "xmi.xmi": (
        (
            '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xml'
            'ns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" xmi:versi'
            'on="2.0"><cas:NULL xmi:id="0"/><custom:Mention xmi:id="3" sofa="1" begin="0" end="4" '
            'label="Chemical"/><cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="te'
            'xt/plain" sofaString="Zinc fell"/><cas:View sofa="1" members="3"/></xmi:XMI>'
        ),
        [("! it is a UIMA CAS in XMI, which is not read; export the article as UIMA CAS JSON, or remove it from t")],
    ),
    "bern2.json": (
        compact(
            [
                {
                    "text": "Zinc",
                    "annotations": [
                        {"id": ["mesh:D1"], "mention": "Zinc", "obj": "drug", "span": {"begin": 0, "end": 4}}
                    ],
                    "pmid": "1",
                }
            ]
        ),
        [
            '! the task {"text": "Zinc", "annotations": [{"id": ["mesh:D1"], "mentio... cannot be read (a value has',
            "~ field pmid (1)",
        ],
    ),
    "gate.xml": (
        (
            '<?xml version="1.0"?><GateDocument><TextWithNodes><Node id="0"/>Zinc<Node id="4"/></T'
            "extWithNodes></GateDocument>"
        ),
        ["! it is XML with the root <GateDocument>, and none of the formats that are read"],
    ),
    "knowtator.xml": (
        (
            '<?xml version="1.0"?><annotations textSource="1.txt"><annotation><mention id="x"/><sp'
            'an start="0" end="4"/><spannedText>Zinc</spannedText></annotation></annotations>'
        ),
        ["! it is XML with the root <annotations>, and none of the formats that are read"],
    ),
    "rtf.txt": (
        "{\\rtf1\\ansi Zinc\\par}",
        ["! it is a text in RTF, which is not read; convert it: pandoc FILE.rtf -t plain -o FILE.txt, or remove it "],
    ),
    "pdf.txt": (
        "%PDF-1.4\n1 0 obj\n<< >>\n",
        ["! it is a PDF, which is not read; take the XML of the article, or convert it: pdftotext FILE.pdf FILE.txt "],
    ),
    "brat_conf": (
        {
            "annotation.conf": "[entities]\nChemical\n",
            "visual.conf": "[labels]\n",
            "e.txt": "Zinc fell.\n",
            "e.ann": "T1\tChemical 0 4\tZinc  \n\n",
        },
        [
            "e | Zinc fell. :: Zinc",
            ("~ 2 files were skipped, because the content has no format that is read "),
        ],
    ),
    "pipe.txt": (
        "1|Zinc|D1\n2|Lead|D2\n3|Iron|D3\n",
        [("! it is a table of 3 columns, not a text; convert it to a format that is read, or remove it from the i")],
    ),
    "brat_cr": (
        {"e.txt": "Zinc fell.\rLead rose.\r", "e.ann": "T1\tChemical 0 4\tZinc\rT2\tChemical 11 15\tLead\r"},
        ["e | Zinc fell. | Lead rose. :: Zinc, Lead"],
    ),
    "bio_rep": (
        {"e.txt": "Zinc fell and lead.\n", "e.a1": "T1\tChemical 0 4\tZinc\n", "e.a2": "T1\tChemical 14 18\tlead\n"},
        ["! two lines have the id T1; give one of them another id"],
    ),
    "prose_O.txt": (
        "Vitamin B\nGroup O\nPlan B\nHello there O\n",
        ["prose_O | Vitamin B Group O Plan B Hello there O"],
    ),
    "poem.txt": (
        "One, two, three\nFour, five, six\nSeven, eight, nine\n",
        ["poem | One, two, three Four, five, six Seven, eight, nine"],
    ),
    "abbr.txt": ("AB - first\nCD - second\n", ["abbr | AB - first CD - second"]),
    "md.txt": ("| a | b |\n|---|---|\n| zinc | lead |\n", ["md | | a | b | |---|---| | zinc | lead |"]),
    "ann_in.txt": (
        "T1\tChemical 0 4\tZinc\nT2\tChemical 5 9\tlead\n",
        [("! it contains annotations of brat without their text; put the text, NAME.txt, beside NAME.ann or NAME.")],
    ),
    "mixcrlf.conll": (
        "Zinc\tB-Chemical\r\nfell\tO\n\r\nLead\tB-Chemical\n",
        ["mixcrlf-1 | Zinc fell :: Zinc", "mixcrlf-2 | Lead :: Lead"],
    ),
    "two_tags.conll": (
        "Zinc\tB-Chemical|B-Metal\nsalt\tI-Chemical|O\nfell\tO\n",
        ["two_tags | Zinc salt fell :: Zinc (Metal), Zinc salt"],
    ),
    "pipe_in_type.conll": ("Zinc\tB-Gene|Protein\nfell\tO\n", ["pipe_in_type | Zinc fell :: Zinc (Gene|Protein)"]),
    "numbered_from_0.conll": (
        "0\tZinc\tB-Chemical\n1\tfell\tO\n\n0\tLead\tB-Chemical\n",
        ["numbered_from_0-1 | Zinc fell :: Zinc", "numbered_from_0-2 | Lead :: Lead"],
    ),
    "ids_first.conll": (
        "d1\tZinc\tB-Chemical\nd1\tfell\tO\nd1\tthen\tO\n",
        ["! line 1: the first column has 'd1' in all lines of a sentence; put the column of the tokens first"],
    ),
    "brat_blank": (
        {"e.txt": "Zinc fell.\n", "e.ann": "T1\tChemical 0 4 \tZinc\n"},
        ["e | Zinc fell. :: Zinc"],
    ),
    "empty.zip": (b"PK\x05\x06" + b"\x00" * 18, ["! the archive contains no file; get it again, or remove it"]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
