"""Lists of abbreviations without a heading."""

from __future__ import annotations

import pytest

from nlmchem.abbreviations.lists import without_heading

EXPECTED = [("LPS", "lipopolysaccharide"), ("5-HT", "serotonin"), ("ROS", "reactive oxygen species")]


def pairs(text: str) -> list[tuple[str, str]]:
    return [(text[slice(*one.short)], text[slice(*one.long)]) for one in without_heading(text)]


@pytest.mark.parametrize(
    "text",
    [
        "LPS\tlipopolysaccharide\n5-HT\tserotonin\nROS\treactive oxygen species",
        "Abbreviation\tMeaning\nLPS\tlipopolysaccharide\n5-HT\tserotonin\nROS\treactive oxygen species\n",
        "Table 1\nlipopolysaccharide\tLPS\nserotonin\t5-HT\nreactive oxygen species\tROS",
        "LPS\tlipopolysaccharide\t5-HT\tserotonin\nROS\treactive oxygen species",
        "| LPS | lipopolysaccharide |\n| 5-HT | serotonin |\n| ROS | reactive oxygen species |",
        "LPS   lipopolysaccharide\n5-HT   serotonin\nROS   reactive oxygen species",
        "LPS: lipopolysaccharide\n5-HT: serotonin\nROS: reactive oxygen species",
        "LPS - lipopolysaccharide\n5-HT - serotonin\nROS - reactive oxygen species",
        "LPS, lipopolysaccharide; 5-HT, serotonin; ROS, reactive oxygen species.",
        "Values are means. LPS, lipopolysaccharide; 5-HT, serotonin; ROS, reactive oxygen species. Bars: SD.",
    ],
)
def test_the_forms_of_a_list(text: str) -> None:
    assert pairs(text) == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "TP53\t12\nEGFR\t7\nKRAS\t3",
        "Group A\tcontrol\nGroup B\tglucose\nGroup C\tinsulin",
        "ΔG\tΔGrxn\nΔH\tΔHrxn\nΔS\tΔSrxn",
        "LPS\tlipopolysaccharide\nmice\t7\nrats\t8\ndogs\t9",
        "We used LPS, which is toxic; ROS, NO and others rose; all mice lived.",
        "a, amnion; b, blastocyst; c, chorion",
    ],
)
def test_other_tables_and_lists_define_nothing(text: str) -> None:
    assert pairs(text) == []
