"""PubTator with offsets in other units, rows of other kinds, ids that are missing or repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger_files import Case, check, rows

CASES: dict[str, Case] = {
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
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_right_or_refused_or_reported(name: str, tmp_path: Path) -> None:
    check(tmp_path, name, CASES[name])
