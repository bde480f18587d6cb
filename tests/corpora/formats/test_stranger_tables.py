"""BioC, CoNLL and brat with offsets in other units, rows of other kinds, ids that are missing or repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, annotation, check, collection, compact, document, passage

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
