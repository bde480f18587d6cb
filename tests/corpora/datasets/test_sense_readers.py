"""Readers of corpora of abbreviations and acronyms, on our own files in the published formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpus_files import put, read

from corpora.errors import InputError
from corpora.model.document import definitions

ABBREVIATIONS = """<collection><source>gold</source><date></date><key></key><document><id>51</id>
<passage><infon key="type">title</infon><offset>0</offset><text>Human  zinc finger (HZF) genes</text>
<annotation id="SF0"><infon key="ABBR">ShortForm</infon><infon key="type">ABBR</infon>
<location offset="20" length="3"/><text>HZF</text></annotation>
<annotation id="LF0"><infon key="ABBR">LongForm</infon><infon key="type">ABBR</infon>
<location offset="0" length="6"/><location offset="7" length="11"/><text>Human zinc finger</text></annotation>
<relation id="R0"><infon key="type">ABBR</infon><node refid="LF0" role="LongForm"/><node refid="SF0" role="ShortForm"/>
</relation></passage></document></collection>"""


@pytest.mark.parametrize("name", ["ab3p", "schwartz-hearst", "bioadi", "medstract"])
def test_the_four_abbreviation_corpora_are_read_as_definitions(tmp_path: Path, name: str) -> None:
    file = {"ab3p": "Ab3P", "schwartz-hearst": "SH"}.get(name, name)
    [document] = read(name, put(tmp_path, {f"{file}_bioc_gold.xml": ABBREVIATIONS}))
    [definition] = definitions(document)
    # A piece with a blank at its end loses the blank: then the pieces, joined by one, are the text.
    assert (definition.short_form, definition.long_form) == ("HZF", "Human zinc finger")


def test_sciai_is_read_as_json_and_as_csv(tmp_path: Path) -> None:
    labels = ["B-long", "I-long", "O", "B-short", "O"]
    rows = [{"id": "DEV-0", "tokens": ["zinc", "finger", "(", "ZF", ")"], "labels": labels}]
    csv = 'id,sentence,labels\nTR-0,"zinc , finger ( ZF )",B-long I-long I-long O B-short O\n'
    folder = put(tmp_path, {"dev.json": json.dumps(rows), "train.csv": csv})
    [one] = read("sciai", folder, "dev")
    assert (one.tokens[3], one.labels[3]) == ("ZF", "B-short")
    [two] = read("sciai", folder, "train")
    assert two.tokens == ("zinc", ",", "finger", "(", "ZF", ")")


def test_a_sentence_with_too_few_labels_is_refused(tmp_path: Path) -> None:
    folder = put(tmp_path, {"dev.json": '[{"id": "1", "tokens": ["a", "b"], "labels": ["O"]}]', "train.csv": "id\n"})
    with pytest.raises(InputError, match="sentence 1 has 2 tokens, but 1 label;"):
        read("sciai", folder, "dev")


def test_sciad_samples_have_the_dictionarys_candidates(tmp_path: Path) -> None:
    rows = [{"id": "DEV-1", "acronym": 1, "expansion": "zinc finger", "tokens": ["the", "ZF", "binds"]}]
    dictionary = '{"ZF": ["zinc finger", "zero forcing"]}'
    folder = put(tmp_path, {"dev-open.json": json.dumps(rows), "diction.json": dictionary})
    [sample] = read("sciad", folder)
    assert (sample.short_form, sample.position, sample.long_form) == ("ZF", 1, "zinc finger")
    assert [(long.long_form, long.popularity) for long in sample.candidates] == [
        ("zinc finger", 1),
        ("zero forcing", 1),
    ]


def test_gladis_has_the_acronyms_token_and_uad_a_mask(tmp_path: Path) -> None:
    gladis = {"index": 0, "short_term": "ZF", "long_term": "zinc finger", "type": "x", "tokens": ["ZF", "binds"]}
    uad = {"index": 17, "short_term": "ZF", "long_term": "zinc finger", "type": "uad", "tokens": ["the", "__ABB__"]}
    folder = put(
        tmp_path,
        {
            "biomedical-train.json": json.dumps(gladis) + "\n",
            "biomedical-dev.json": "",
            "dict/bio_umls_dict.json": "{}",
            "uad_test.json": json.dumps(uad) + "\n",
            "dict/uad_dict.json": '{"ZF": [["zinc finger", 7]]}',
        },
    )
    [one] = read("gladis", folder, "train")
    assert (one.position, one.masked) == (0, False)
    [two] = read("uad", folder)
    assert (two.position, two.masked, two.candidates[0].popularity) == (1, True, 7)


@pytest.mark.parametrize("value", ["5", "NaN", "null", "[]", "1e999", '"\\ud800"', "{}"])
@pytest.mark.parametrize("key", ["tokens", "token", "short_term", "long_term", "index"])
def test_a_value_that_is_no_text_is_named_with_its_line(key: str, value: str, tmp_path: Path) -> None:
    row = {"tokens": '["the", "A", "fell"]', "index": "1", "short_term": '"A"', "long_term": '"acid"'}
    row |= {"tokens": f'["the", "A", {value}]'} if key == "token" else {key: value}
    (tmp_path / "samples.jsonl").write_text("{" + ", ".join(f'"{name}": {text}' for name, text in row.items()) + "}\n")
    (tmp_path / "dictionary.json").write_text("{}")
    if (key, value) in FALL_BACK:
        # A row without a form has that of its token, or none.
        assert all(isinstance(text, str) for sample in read("gladis", tmp_path) for text in sample.tokens)
        return
    with pytest.raises(InputError, match=r"samples\.jsonl"):
        read("gladis", tmp_path)


FALL_BACK = {(key, value) for key in ("short_term", "long_term") for value in ("null", "[]", "{}")}
