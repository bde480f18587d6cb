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
