"""BioC, PubTator and brat with offsets in other units, rows of other kinds, ids that are missing or repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, annotation, check, collection, compact, document, passage, rows

CASES: dict[str, Case] = {
    "utf16.xml": (
        collection(
            document(
                "1",
                passage(
                    0,
                    "😀 zinc and 😀 lead acetate",
                    annotation("a", 3, 4, "zinc"),
                    annotation("b", 15, 12, "lead acetate"),
                ),
            )
        ),
        [
            "1 | 😀 zinc and 😀 lead acetate :: zinc, lead acetate",
            ("~ document '1': 2 of 2 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "shifted.xml": (
        collection(
            document(
                "1",
                passage(
                    0, "zinc and lead acetate", annotation("a", 1, 4, "zinc"), annotation("b", 10, 12, "lead acetate")
                ),
            )
        ),
        [
            "1 | zinc and lead acetate :: zinc, lead acetate",
            ("~ document '1': 2 of 2 annotations do not have their text at their offset; each has it 1 character bef"),
        ],
    ),
    "one_based.pubtator": (
        ("5|t|Zinc and lead.\n5|a|Zinc fell.\n5\t1\t5\tZinc\tChemical\tD1\n5\t10\t14\tlead\tChemical\tD2\n"),
        [
            "5 | Zinc and lead. | Zinc fell. :: Zinc, lead",
            ("~ document '5': 2 of 2 annotations do not have their text at their offset; each has it 1 character bef"),
        ],
    ),
    "end_inclusive.pubtator": (
        ("5|t|Zinc and lead.\n5|a|Zinc fell.\n5\t0\t3\tZinc\tChemical\tD1\n5\t9\t12\tlead\tChemical\tD2\n"),
        [
            "5 | Zinc and lead. | Zinc fell. :: Zinc, lead",
            ("~ document '5': 2 of 2 annotations do not have their text at their offset; each ends at its last"),
        ],
    ),
    "bytes.pubtator": (
        ("5|t|β-zinc µ lead.\n5|a|\n5\t3\t7\tzinc\tChemical\tD1\n5\t11\t15\tlead\tChemical\tD2\n"),
        [
            "5 | β-zinc µ lead. :: zinc, lead",
            ("~ document '5': 2 of 2 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "bytes.json": (
        compact(
            {
                "documents": [
                    {
                        "id": "3",
                        "passages": [
                            {
                                "offset": 0,
                                "text": "µµ zinc",
                                "annotations": [
                                    {
                                        "id": "1",
                                        "infons": {"type": "Chemical"},
                                        "text": "zinc",
                                        "locations": [{"offset": 5, "length": 4}],
                                    }
                                ],
                            }
                        ],
                    }
                ]
            }
        ),
        [
            "3 | µµ zinc :: zinc",
            ("~ document '3': 1 of 1 annotation does not have its text at its offset; each has it if offsets count b"),
        ],
    ),
    "brat_crlf": (
        {
            "a.txt": "Zinc is here.\r\nLead was there.\r\n",
            "a.ann": "T1\tChemical 0 4\tZinc\r\nT2\tChemical 14 18\tLead\r\n",
        },
        [
            "a | Zinc is here. | Lead was there. :: Zinc, Lead",
            ("~ document 'a': 1 of 2 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "brat_crlf_ok": (
        {
            "a.txt": "Zinc is here.\r\nLead was there.\r\n",
            "a.ann": "T1\tChemical 0 4\tZinc\r\nT2\tChemical 15 19\tLead\r\n",
        },
        ["a | Zinc is here. | Lead was there. :: Zinc, Lead"],
    ),
    "brat_bytes": (
        {"a.txt": "β-Zinc is here. Lead fell\n", "a.ann": "T1\tChemical 3 7\tZinc\nT2\tChemical 17 21\tLead\n"},
        [
            "a | β-Zinc is here. Lead fell :: Zinc, Lead",
            ("~ document 'a': 2 of 2 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "brat_utf16": (
        {"a.txt": "😀 Zinc is here. Lead fell\n", "a.ann": "T1\tChemical 3 7\tZinc\nT2\tChemical 17 21\tLead\n"},
        [
            "a | 😀 Zinc is here. Lead fell :: Zinc, Lead",
            ("~ document 'a': 2 of 2 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "sentence_relative.xml": (
        collection(
            ("<document><id>8</id><passage><offset>0</offset><sentence><offset>0</offset><text>Zinc one.</text>")
            + annotation("a", 0, 4, "Zinc")
            + "</sentence><sentence><offset>10</offset><text>Lead two.</text>"
            + annotation("b", 0, 4, "Lead")
            + "</sentence></passage></document>"
        ),
        [
            "8 |  :: Zinc, Lead",
            ("~ document '8': 1 of 2 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "mixed.xml": (
        collection(
            document(
                "1",
                passage(
                    0,
                    "Zinc and β lead and copper",
                    annotation("a", 0, 4, "Zinc"),
                    annotation("b", 12, 4, "lead"),
                    annotation("c", 21, 6, "coppxr"),
                ),
            )
        ),
        [
            "1 | Zinc and β lead and copper :: Zinc, lead, coppxr",
            ("~ document '1', passage at offset 0, annotation 'b': its text is 'lead', but the text at its location"),
            ("~ document '1', passage at offset 0, annotation 'c': its location 21..27 is outside its passage (0..26"),
        ],
    ),
    "bytes_passages.xml": (
        collection(
            document(
                "1",
                passage(0, "β zinc", annotation("a", 3, 4, "zinc")),
                passage(8, "lead µ copper", annotation("b", 8, 4, "lead"), annotation("c", 16, 6, "copper")),
            )
        ),
        [
            "1 | β zinc | lead µ copper :: zinc, lead, copper",
            ("~ document '1': 2 of 3 annotations do not have their text at their offset; each has it if offsets coun"),
        ],
    ),
    "noids.conllu": (
        "Zinc\tB-Chemical\nfell\tO\n\nLead\tB-Chemical\n",
        ["noids-1 | Zinc fell :: Zinc", "noids-2 | Lead :: Lead"],
    ),
    "noids.json": (
        compact(
            {
                "documents": [
                    {"passages": [{"offset": 0, "text": "Zinc"}]},
                    {"passages": [{"offset": 0, "text": "Lead"}]},
                ]
            }
        ),
        ["noids-1 | Zinc", "noids-2 | Lead"],
    ),
    "emptyids.xml": (
        collection(document("", passage(0, "Zinc")), document("", passage(0, "Lead"))),
        ["emptyids-1 | Zinc", "emptyids-2 | Lead"],
    ),
    "sameid.xml": (
        collection(document("x", passage(0, "Zinc")), document("x", passage(0, "Lead"))),
        ["x | Zinc", "x | Lead"],
    ),
    "docstart_noid.conll": (
        "-DOCSTART-\tO\n\nZinc\tB-Chemical\n\n-DOCSTART-\tO\n\nLead\tB-Chemical\n",
        ["docstart_noid-1 | Zinc :: Zinc", "docstart_noid-2 | Lead :: Lead"],
    ),
    "docstart_x.conll": (
        (
            "-DOCSTART- -X- -X- O\n\nZinc NN B-NP B-Chemical\nfell VB O O\n\nLead NN B-NP B-Chemical\n\n-"
            "DOCSTART- -X- -X- O\n\nIron NN B-NP B-Chemical\n"
        ),
        ["docstart_x-1 | Zinc fell | Lead :: Zinc, Lead", "docstart_x-2 | Iron :: Iron"],
    ),
    "noid_mixed.jsonl": (
        compact({"id": "7", "passages": [{"offset": 0, "text": "Zinc"}]})
        + "\n"
        + compact({"passages": [{"offset": 0, "text": "Lead"}]})
        + "\n"
        + compact({"id": None, "passages": [{"offset": 0, "text": "Iron"}]})
        + "\n",
        ["7 | Zinc", "noid_mixed-2 | Lead", "noid_mixed-3 | Iron"],
    ),
    "jats_noid.xml": (
        (
            "<pmc-articleset><article><front><article-meta><title-group><article-title>Zinc</artic"
            "le-title></title-group></article-meta></front></article><article><front><article-meta"
            "><title-group><article-title>Lead</article-title></title-group></article-meta></front"
            "></article></pmc-articleset>"
        ),
        ["jats_noid-1 | Zinc", "jats_noid-2 | Lead"],
    ),
    "conll_one_sentence_no_final_newline.conll": (
        "Zinc\tB-Chemical\nfell\tO",
        ["conll_one_sentence_no_final_newline | Zinc fell :: Zinc"],
    ),
    "nan.pubtator": (
        rows(["11\tNaN\tNaN\tZinc\tChemical\tD1"]),
        [
            (
                "! line 3 of document '11', '11\\tNaN\\tNaN\\tZinc\\tChemical\\tD1', is neither a text (ID|t|..."
                ") nor a ment"
            )
        ],
    ),
    "nan2.pubtator": (
        rows(["11\tnan\tnan\tlead acetate\tChemical\tC1", "11\t0\t4\tZinc\tChemical\tD1"]),
        [
            (
                "! line 3 of document '11', '11\\tnan\\tnan\\tlead acetate\\tChemical\\tC1', is neither a text ("
                "ID|t|...) no"
            )
        ],
    ),
    "empty_off.pubtator": (
        rows(["11\t\t\tlead acetate\tChemical\tC1"]),
        [
            (
                "! line 3 of document '11', '11\\t\\t\\tlead acetate\\tChemical\\tC1', is neither a text (ID|t|."
                "..) nor a me"
            )
        ],
    ),
    "dash_off.pubtator": (
        rows(["11\t-\t-\tlead acetate\tChemical\tC1"]),
        [
            (
                "! line 3 of document '11', '11\\t-\\t-\\tlead acetate\\tChemical\\tC1', is neither a text (ID|t"
                "|...) nor a"
            )
        ],
    ),
    "minus1.pubtator": (
        rows(["11\t-1\t-1\tlead acetate\tChemical\tC1"]),
        [
            "11 | Zinc. | We gave lead acetate. :: lead acetate",
            ("~ document '11', passage at offset 0, annotation '0': its location at offset -1 is empty; kept unchang"),
        ],
    ),
    "tid.pubtator": (
        rows(["11\tT1\t0\t4\tZinc\tChemical\tD1", "11\tT2\t14\t26\tlead acetate\tChemical\tC1"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc, lead acetate"],
    ),
    "tid_end.pubtator": (
        rows(["11\t0\t4\tZinc\tChemical\tD1\tT1", "11\t14\t26\tlead acetate\tChemical\tC1\tT2"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc, lead acetate"],
    ),
    "num_idcol.pubtator": (
        rows(["11\t1\t0\t4\tZinc\tChemical\tD1", "11\t2\t14\t26\tlead acetate\tChemical\tC1"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc, lead acetate"],
    ),
    "float.pubtator": (
        rows(["11\t0.0\t4.0\tZinc\tChemical\tD1", "11\t14.0\t26.0\tlead acetate\tChemical\tC1"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc, lead acetate"],
    ),
    "sci.pubtator": (
        rows(["11\t0\t4\tZinc\tChemical\tD1", "11\t1.4e1\t2.6e1\tlead acetate\tChemical\tC1"]),
        [
            (
                "! line 4 of document '11', '11\\t1.4e1\\t2.6e1\\tlead acetate\\tChemical\\tC1', is neither a te"
                "xt (ID|t|..."
            )
        ],
    ),
    "rel4.pubtator": (
        rows(["11\t0\t4\tZinc\tChemical\tD1", "11\tCID\tD1\tD2\tNovel"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc + 1 relation"],
    ),
    "rel5.pubtator": (
        rows(["11\t0\t4\tZinc\tChemical\tD1", "11\tAssociation\tD1\tD2\tNovel\textra\tmore"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc + 1 relation"],
    ),
    "rel_tids.pubtator": (
        rows(["11\tT1\tChemical\t0\t4\tZinc\tD1", "11\tT2\tChemical\t14\t26\tlead acetate", "11\tR1\tCID\tT1\tT2"]),
        ["11 | Zinc. | We gave lead acetate. :: Zinc, lead acetate + 1 relation"],
    ),
    "rel_role.pubtator": (
        rows(["11\tpositive_correlation\tChemical:D1\tGene:5"]),
        ["11 | Zinc. | We gave lead acetate. + 1 relation"],
    ),
    "spaces.pubtator": (
        "11|t|Zinc.\n11|a|We gave lead.\n11 0 4 Zinc Chemical D1\n",
        [("! line 3 of document '11', '11 0 4 Zinc Chemical D1', is neither a text (ID|t|...) nor a mention (ID,")],
    ),
    "thousands.pubtator": (
        rows(["11\t1,000\t1,004\tZinc\tChemical\tD1"]),
        [
            (
                "! line 3 of document '11', '11\\t1,000\\t1,004\\tZinc\\tChemical\\tD1', is neither a text (ID|t"
                "|...) nor a"
            )
        ],
    ),
    "short_row.pubtator": (
        rows(["11\t0\t4"]),
        [("! line 3 of document '11', '11\\t0\\t4', is neither a text (ID|t|...) nor a mention (ID, start, end, tex")],
    ),
    "text_missing.pubtator": (
        rows(["11\t0\t4\t\tChemical\tD1"]),
        [
            "11 | Zinc. | We gave lead acetate. :: ",
            ("~ document '11', passage at offset 0, annotation '0': its text is '', but the text at its location is"),
        ],
    ),
    "junk_line.pubtator": (
        "11|t|Zinc.\n11|a|We gave lead.\nfoo bar\n11\t0\t4\tZinc\tChemical\tD1\n",
        [("! line 3 of document '11', 'foo bar', is neither a text (ID|t|...) nor a mention (ID, start, end, text")],
    ),
    "no_abstract.pubtator": (
        ("11|t|Zinc.\n11\t0\t4\tZinc\tChemical\tD1\n\n12|t|Lead.\n12\t0\t4\tLead\tChemical\tD2\n"),
        ["11 | Zinc. :: Zinc", "12 | Lead. :: Lead"],
    ),
    "bern.pubtator": (
        ("11|t|Zinc.\n11|a|We gave lead.\n11\t0\t4\tZinc\tdrug\tMESH:D1|CHEBI:2\n11\t8\t12\tgave\tgene\tCUI-less\n"),
        [
            "11 | Zinc. | We gave lead. :: Zinc (drug), gave (gene)",
            ("~ document '11', passage at offset 6, annotation '1': its text is 'gave', but the text at its location"),
        ],
    ),
    "composite.pubtator": (
        ("11|t|Zinc and lead.\n11|a|\n11\t0\t13\tZinc and lead\tChemical\tD1|D2\tzinc|lead\n"),
        ["11 | Zinc and lead. :: Zinc and lead"],
    ),
    "cr.pubtator": (
        "61|t|Zinc.\r61|a|Lead.\r61\t0\t4\tZinc\tChemical\tD1\r\r62|t|KCl.\r62|a|x\r",
        ["61 | Zinc. | Lead. :: Zinc", "62 | KCl. | x"],
    ),
    "crlf.pubtator": (
        "61|t|Zinc.\r\n61|a|Lead.\r\n61\t0\t4\tZinc\tChemical\tD1\r\n\r\n62|t|KCl.\r\n62|a|x\r\n",
        ["61 | Zinc. | Lead. :: Zinc", "62 | KCl. | x"],
    ),
    "mixed_ends.pubtator": (
        "61|t|Zinc.\n61|a|Lead.\r61\t0\t4\tZinc\tChemical\tD1\n\n62|t|KCl.\n62|a|x\n",
        [
            (
                "! line 2 of document '61', '61|a|Lead.\\r61\\t0\\t4\\tZinc\\tChemical\\tD1', contains line ends "
                "of another k"
            ),
            "62 | KCl. | x",
        ],
    ),
    "text_cr.txt": ("Zinc fell.\r\rLead rose.\r", ["text_cr | Zinc fell. | Lead rose."]),
    "jsonl_cr.jsonl": (
        compact({"id": "1", "passages": [{"offset": 0, "text": "Zinc"}]})
        + "\r"
        + compact({"id": "2", "passages": [{"offset": 0, "text": "Lead"}]})
        + "\r",
        ["1 | Zinc", "2 | Lead"],
    ),
    "empty_coll.xml": (
        '<?xml version="1.0"?><collection><source>s</source></collection>',
        ["~ the collection contains no document"],
    ),
    "nodoc.xml": ('<?xml version="1.0"?><PubmedArticleSet></PubmedArticleSet>', ["~ the file contains no citation"]),
    "doc_nopassage.xml": (collection(document("1")), ["1"]),
    "notext.json": (compact({"documents": [{"id": "1", "passages": [{"offset": 0, "infons": {}}]}]}), ["1 | "]),
    "multi_loc.xml": (
        collection(
            document(
                "1",
                passage(
                    0,
                    "β zinc and lead",
                    (
                        '<annotation id="a"><infon key="type">Chemical</infon><location offset="3" length="4"/'
                        '><location offset="12" length="4"/><text>zinc lead</text></annotation>'
                    ),
                ),
            )
        ),
        [
            "1 | β zinc and lead :: zinc lead",
            ("~ document '1': 1 of 1 annotation does not have its text at its offset; each has it if offsets count b"),
        ],
    ),
    "crlf_in_text.json": (
        compact(
            {
                "documents": [
                    {
                        "id": "1",
                        "passages": [
                            {
                                "offset": 0,
                                "text": "Zinc\r\nlead\r\niron",
                                "annotations": [
                                    {
                                        "id": "a",
                                        "infons": {"type": "Chemical"},
                                        "text": "iron",
                                        "locations": [{"offset": 10, "length": 4}],
                                    }
                                ],
                            }
                        ],
                    }
                ]
            }
        ),
        [
            "1 | Zinc\r\nlead\r\niron :: iron",
            ("~ document '1': 1 of 1 annotation does not have its text at its offset; each has it if offsets count t"),
        ],
    ),
    "passage_rel_2.json": (
        compact(
            {
                "documents": [
                    {
                        "id": "1",
                        "passages": [
                            {"offset": 0, "text": "Zinc.", "annotations": []},
                            {
                                "offset": 6,
                                "text": "In lead.",
                                "annotations": [
                                    {
                                        "id": "a",
                                        "infons": {"type": "Chemical"},
                                        "text": "lead",
                                        "locations": [{"offset": 3, "length": 4}],
                                    }
                                ],
                            },
                        ],
                    }
                ]
            }
        ),
        [
            "1 | Zinc. | In lead. :: lead",
            ("~ document '1': 1 of 1 annotation does not have its text at its offset; each has it if offsets count f"),
        ],
    ),
    "blank_id.xml": (
        collection(
            "<document><id> </id>" + passage(0, "Zinc") + "</document>",
            "<document><id>\n</id>" + passage(0, "Lead") + "</document>",
        ),
        ["blank_id-1 | Zinc", "blank_id-2 | Lead"],
    ),
    "samedocstart.conll": (
        "-DOCSTART- (7)\n\nZinc\tB-Chemical\n\n-DOCSTART- (7)\n\nLead\tB-Chemical\n",
        ["7 | Zinc :: Zinc", "7 | Lead :: Lead"],
    ),
    "nan_id.pubtator": (
        rows(["11\t0\t4\tZinc\tChemical\tNaN"]),
        [
            "11 | Zinc. | We gave lead acetate. :: Zinc",
            "~ document '11': left out: 1 identifier that marks a missing value, such as NaN",
        ],
    ),
    "zero.pubtator": (
        rows(["11\t0.0\t0.0\tZinc\tChemical\tD1"]),
        [
            "11 | Zinc. | We gave lead acetate. :: Zinc",
            ("~ document '11', passage at offset 0, annotation '0': its location at offset 0 is empty; kept unchange"),
        ],
    ),
    "otherid.pubtator": (
        rows(["11\t0\t4\tZinc\tChemical\tD1", "12\t0\t4\tZinc\tChemical\tD1"]),
        [
            "11 | Zinc. | We gave lead acetate. :: Zinc",
            "! document '12' has mentions, but no text; put a line 12|t|title before them",
        ],
    ),
    "rel_nan.pubtator": (
        rows(["11\tCID\tNaN\tNaN"]),
        [("! line 3 of document '11', '11\\tCID\\tNaN\\tNaN', is neither a text (ID|t|...) nor a mention (ID, start,")],
    ),
    "header.pubtator": (
        ("pmid\tstart\tend\tmention\ttype\tid\n11|t|Zinc.\n11|a|x\n11\t0\t4\tZinc\tChemical\tD1\n"),
        ["! it has none of the formats that are read"],
    ),
    "tagmissing.pubtator": (
        "11|t|Zinc.\nWe gave lead.\n11\t0\t4\tZinc\tChemical\tD1\n",
        [("! line 2 of document '11', 'We gave lead.', is neither a text (ID|t|...) nor a mention (ID, start, end")],
    ),
    "decimal.xml": (
        collection(
            document(
                "1",
                passage(0, "Zinc", annotation("a", 0, 4, "Zinc")).replace(">0<", ">0.0<").replace('"4"', '"4.0"'),
            )
        ),
        ["1 | Zinc :: Zinc"],
    ),
    "annotations_of_europe_pmc.json": (
        compact([{"source": "MED", "extId": "1", "annotations": [{"exact": "Zinc", "type": "Chemicals"}]}]),
        ['! list of "passages" is needed, but it has the keys source, extId, annotations; convert it to'],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
