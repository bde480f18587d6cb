"""Short forms of an article beside names of the lexicon."""

from __future__ import annotations

from nlmchem.tagging.lexicon.context import ShortForms


def test_a_short_form_ends_a_text_although_a_longer_one_begins_alike() -> None:
    short_forms = ShortForms([("PCB-28", "a congener"), ("PCB", "polychlorinated biphenyl")], lambda long: True)
    for text, end in (("PCB", 3), ("PCBs", 4), ("PCB-", 3)):
        assert list(short_forms.beside(text, ())) == [(0, end, True)], text
