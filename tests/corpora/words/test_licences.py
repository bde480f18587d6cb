"""The licence of an article: codes, addresses, texts, and several statements."""

from __future__ import annotations

import pytest
from bioc import BioCDocument, BioCPassage

from corpora.words.licences import Licence, is_one_of, licence_of, normal_licence

BY_4 = "https://creativecommons.org/licenses/by/4.0/"


def article(of_document: dict[str, str] | None = None, **of_title: str) -> BioCDocument:
    passage = BioCPassage.of_text("Water.")
    passage.infons = {key.replace("_", "-"): value for key, value in of_title.items()}
    document = BioCDocument.of_passages(passage)
    document.infons = of_document or {}
    return document


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("CC BY", "CC BY"),
        ("cc-by-nc-4.0", "CC BY-NC"),
        ("CC BY-NC-ND", "CC BY-NC-ND"),
        ("CC0", "CC0"),
        ("This is an open access article under the CC BY-NC license.", "CC BY-NC"),
        ("under the terms of the Creative Commons Attribution License, which permits unrestricted use", "CC BY"),
        ("the Creative Commons Attribution Non-Commercial No Derivatives License, which permits", "CC BY-NC-ND"),
        ("Creative Commons Attribution-NonCommercial-ShareAlike 4.0 International License", "CC BY-NC-SA"),
        ("Creative Commons Attribution License, which permits non-commercial use", "CC BY-NC"),
        ("distributed under (http://creativecommons.org/licenses/by-nc-nd/3.0/us/)", "CC BY-NC-ND"),
        ("All content is public domain unless otherwise noted.", "public domain"),
        ("Re-use is permitted in accordance with the terms of the publisher.", "other"),
        ("NO-CC CODE", "other"),
        ("TDM", "other"),
    ],
)
def test_codes_and_texts_of_licences(text: str, code: str) -> None:
    assert licence_of(article(license=text)).code == code


@pytest.mark.parametrize(
    "text",
    [
        "Figure 2 is CC BY 4.0, all other rights reserved.",
        f"Figure 2 is licensed under {BY_4}. All other rights reserved.",
        "This article is not distributed under the CC BY licence.",
        "No Creative Commons licence applies (CC BY is not granted).",
        "The CC0 waiver applies to the data of this article.",
        "Only the abstract is under CC BY.",
        "Six months after publication it is available under CC BY.",
        "A licence similar to CC BY, with other terms.",
        "An earlier version was CC BY.",
        "The authors may choose CC BY on request.",
        f"This work is not openly licensed. See {BY_4} for an open licence.",
        "CC BY? To be decided.",
        "Dieser Artikel steht nicht unter CC BY.",
    ],
)
def test_a_licence_that_its_sentence_restricts_or_denies_is_not_known(text: str) -> None:
    assert licence_of(article(license=text)).code == "not known"
    # An address or a code is certain, whatever a text says of parts.
    assert licence_of(article(license=text, license_url=BY_4)) == Licence("CC BY", BY_4)
    assert licence_of(article({"license": "CC BY-NC"}, license=text)).code == "CC BY-NC"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            f"Licensed under CC BY 4.0 ({BY_4}), which permits use if changes were made, unless otherwise noted.",
            "CC BY",
        ),
        ("under CC BY-NC-ND, provided the use is non-commercial and no modifications are made", "CC BY-NC-ND"),
        ("under CC BY. No use is permitted which does not comply with these terms.", "CC BY"),
        ("under CC BY, and may not be used for commercial purposes", "CC BY-NC"),
        ("free for non-commercial use", "other"),
        ("https://creativecommons.org/licenses/by-other/4.0/", "other"),
        (f"https://example.org/?next={BY_4}", "other"),
        ("https://notcreativecommons.org/licenses/by/4.0/", "other"),
    ],
)
def test_terms_of_licences_are_no_restriction(text: str, code: str) -> None:
    assert licence_of(article(license=text)).code == code


def test_a_doubtful_licence_can_only_make_it_stricter() -> None:
    text = "Figures are CC BY-NC."
    assert licence_of(article(license=text, license_url=BY_4)) == Licence("CC BY-NC")
    assert licence_of(article({"license": "CC BY-ND"}, license="Not CC0.")).code == "CC BY-ND"


def test_the_address_has_the_version() -> None:
    text = "Licensee MDPI. Under the CC BY license (http://creativecommons.org/licenses/by/4.0/)."
    assert licence_of(article(license=text)) == Licence("CC BY", BY_4)
    assert licence_of(article(license="Open access", license_url=BY_4)) == Licence("CC BY", BY_4)


def test_a_waiver_for_the_data_is_not_the_licence_of_the_article() -> None:
    text = (
        f"under the Creative Commons Attribution 4.0 International License ({BY_4}). The Creative Commons Public "
        "Domain Dedication waiver (http://creativecommons.org/publicdomain/zero/1.0/) applies to the data."
    )
    assert licence_of(article(license=text)) == Licence("CC BY", BY_4)


def test_of_different_statements_the_strictest_holds() -> None:
    assert licence_of(article({"license": "CC BY-NC"}, license_url=BY_4)) == Licence("CC BY-NC")
    assert licence_of(article({"license": "CC0"}, license="Open access.")).code == "CC0"


def test_an_article_without_a_statement_has_no_known_licence() -> None:
    assert licence_of(article()).code == licence_of(article(license=" ")).code == "not known"
    assert licence_of(BioCDocument()).code == "not known"


@pytest.mark.parametrize(
    ("given", "normal"), [("CC BY", "CC BY"), ("cc-by-4.0", "CC BY"), ("CC BY-NC 3.0", "CC BY NC"), ("CC0 1.0", "CC0")]
)
def test_licences_are_compared_without_their_versions(given: str, normal: str) -> None:
    assert normal_licence(given) == normal
    assert is_one_of(normal, [given])
