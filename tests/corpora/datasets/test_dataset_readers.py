"""Readers of corpora of mentions, on our own files in the published formats with their known faults."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from corpus_files import PUBTATOR, put, read, spans

from corpora.datasets import open_corpus
from corpora.errors import ArticleError, InputError
from corpora.model.document import index_terms, mentions
from corpora.model.passages import passage_text, section_type


def annotation(id: str, text: str, offset: int | None, **infons: str) -> dict[str, Any]:
    places = [] if offset is None else [{"offset": offset, "length": len(text)}]
    return {"id": id, "infons": infons, "text": text if offset is not None else "", "locations": places}


def passage(offset: int, text: str, annotations: list[dict[str, Any]], **infons: str) -> dict[str, Any]:
    return {"offset": offset, "infons": infons, "text": text, "sentences": [], "annotations": annotations}


def track(documents: list[dict[str, Any]]) -> str:
    return json.dumps({"source": "track", "date": "", "key": "", "documents": documents})


def chemical(id: str, text: str, offset: int, identifier: str) -> dict[str, Any]:
    return annotation(id, text, offset, type="Chemical", identifier=identifier)


INDEXED = {"type": "MeSH_Indexing_Chemical", "identifier": "MESH:D015032", "entry_term": "Zinc"}


NLMCHEM = track(
    [
        {
            "id": "1",
            "infons": {},
            "passages": [
                passage(
                    0,
                    "Zinc and PBS",
                    [
                        annotation("MIC1", "", None, **INDEXED),
                        chemical("0", "Zinc", 0, "MESH:D015032"),
                        chemical("1", "PBS", 9, "MESH:D011743,MESH:D012266"),
                    ],
                    section_type="TITLE",
                    type="front",
                ),
                # The known oddity: a span that stands a few characters from its text.
                passage(13, "We saw copper in yeast.", [chemical("2", "copper", 22, "MESH:D003300")], type="paragraph"),
            ],
        }
    ]
)  # fmt: skip


def test_track_files_have_index_terms_composites_and_a_repaired_span(tmp_path: Path) -> None:
    empty = track([])
    folder = put(
        tmp_path,
        {
            "BC7T2-NLMChem-corpus-train.BioC.json": NLMCHEM,
            "BC7T2-NLMChem-corpus-dev.BioC.json": empty,
            "BC7T2-NLMChem-corpus-test.BioC.json": empty,
        },
    )
    messages: list[str] = []
    [document] = read("nlmchem", folder, "train", messages)
    assert [(term.identifier, term.entry_term) for term in index_terms(document)] == [("MESH:D015032", "Zinc")]
    assert spans(document) == [
        ("Zinc", 0, ("MESH:D015032",)),
        ("PBS", 9, ("MESH:D011743", "MESH:D012266")),
        ("copper", 20, ("MESH:D003300",)),
    ]
    assert len(messages) == 1
    assert "its text is at 20; the mention was moved there" in messages[0]


def test_the_downloaded_archive_of_the_track_is_read(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for split, text in (("train", NLMCHEM), ("dev", track([])), ("test", track([]))):
            entry = tarfile.TarInfo(f"BC7T2-NLMChem-corpus-{split}.BioC.json")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    folder = put(tmp_path, {"BC7T2-NLMChem-corpus_v2.BioC.json.gz": packed.getvalue()})
    assert open_corpus("nlmchem", folder).splits == ("train", "dev", "test")
    assert len(read("nlmchem", folder, "train", [])) == 1


def test_cdr_ids_are_joined_by_bars_and_some_mentions_have_several_pieces(tmp_path: Path) -> None:
    pieces = {
        "id": "3",
        "infons": {"type": "Chemical", "identifier": "D000305"},
        "text": "adrenal steroids",
        "locations": [{"offset": 0, "length": 8}, {"offset": 19, "length": 8}],
    }
    document = {
        "id": "5",
        "infons": {},
        "passages": [
            passage(
                0,
                "adrenal and ovarian steroids",
                [chemical("1", "ovarian steroids", 12, "D001111|MESH:D002222"), pieces],
            )
        ],
    }
    empty = track([])
    names = {f"BC7T2-CDR-corpus-{split}.BioC.json": empty for split in ("dev", "test")}
    folder = put(tmp_path, {"BC7T2-CDR-corpus-train.BioC.json": track([document]), **names})
    messages: list[str] = []
    [read_back] = read("track-cdr", folder, "train", messages)
    one, two = mentions(read_back)
    assert one.identifiers == ("MESH:D001111", "MESH:D002222")
    # "adrenal " and " steroid" are cut off in the file: the pieces, without blanks at their ends, are the text.
    assert two.text == "adrenal steroid"
    assert two.identifiers == ("MESH:D000305",)
    assert "it has 2 pieces" in messages[0]


@pytest.mark.parametrize("mention_offset", [10, 23], ids=["from the abstract's start", "from the document's start"])
def test_chemdner_passages_at_the_same_offset_are_separated(tmp_path: Path, mention_offset: int) -> None:
    title, abstract = "Ethanol rose", "We gave it ethanol."
    document = {
        "id": "6",
        "infons": {},
        "passages": [
            passage(0, title, [annotation("0", "Ethanol", 0, type="Chemical")], type="title"),
            passage(0, abstract, [annotation("1", "ethanol", mention_offset + 1, type="Chemical")], type="abstract"),
        ],
    }
    names = {f"BC7T2-CHEMDNER-corpus-{split}.BioC.json": track([]) for split in ("dev", "test")}
    folder = put(tmp_path, {"BC7T2-CHEMDNER-corpus-train.BioC.json": track([document]), **names})
    messages: list[str] = []
    [read_back] = read("track-chemdner", folder, "train", messages)
    assert [passage.offset for passage in read_back.passages] == [0, len(title) + 1]
    assert spans(read_back) == [("Ethanol", 0, ()), ("ethanol", 24, ())]
    assert any("overlaps an earlier passage; moved by 13" in sentence for sentence in messages)


def test_a_mention_without_repair_is_left_out_and_reported(tmp_path: Path) -> None:
    document = {"id": "7", "infons": {}, "passages": [passage(0, "No such thing", [chemical("0", "benzene", 3, "-")])]}
    names = {f"BC7T2-CDR-corpus-{split}.BioC.json": track([]) for split in ("dev", "test")}
    folder = put(tmp_path, {"BC7T2-CDR-corpus-train.BioC.json": track([document]), **names})
    messages: list[str] = []
    [read_back] = read("track-cdr", folder, "train", messages)
    assert spans(read_back) == []
    assert "'benzene' at 3: its text is not at or near this offset; the mention was left out" in messages[0]


def test_pubtator_ids_get_a_prefix(tmp_path: Path) -> None:
    folder = put(
        tmp_path,
        {"BC5CDR_TrainDev.PubTator.gz": gzip.compress(PUBTATOR.encode()), "BC5CDR_Test.PubTator": PUBTATOR},
    )
    [document] = read("bc5cdr", folder, "test")
    assert spans(document) == [
        ("Zinc", 0, ("MESH:D015032",)),
        ("Zinc sulfate", 13, ("MESH:D019287", "MESH:D015032")),
    ]
    assert spans(document, "Disease") == [("fever", 34, ())]
    assert len(read("bc5cdr", folder)) == 2, "no split: all of them"


def test_the_form_that_is_there_is_recognised(tmp_path: Path) -> None:
    names = ("CDR_TrainingSet", "CDR_DevelopmentSet", "CDR_TestSet")
    folder = put(tmp_path, {f"CDR_Data/{name}.PubTator.txt": PUBTATOR for name in names})
    corpus = open_corpus("bc5cdr", folder)
    assert (corpus.form.name, corpus.splits) == ("as published", ("train", "dev", "test"))


@pytest.mark.parametrize(
    ("corpus", "abstracts", "entities", "split"),
    [
        ("drugprot", "drugprot_training_abstracs.tsv", "drugprot_training_entities.tsv", "train"),
        ("chemprot", "chemprot_test_abstracts_gs.tsv", "chemprot_test_entities_gs.tsv", "test"),
    ],
)
def test_entity_tables_count_in_title_and_abstract(
    tmp_path: Path, corpus: str, abstracts: str, entities: str, split: str
) -> None:
    folder = put(
        tmp_path,
        {
            abstracts: "11\tZinc binds A1\tThe A1 receptor\u2028binds zinc.\n",
            entities: "11\tT1\tCHEMICAL\t0\t4\tZinc\n11\tT2\tGENE-Y\t18\t20\tA1\n11\tT3\tCHEMICAL\t36\t40\tzinc\n",
        },
    )
    [document] = read(corpus, folder, split)
    assert spans(document) == [("Zinc", 0, ()), ("zinc", 36, ())]
    assert spans(document, "GENE-Y") == [("A1", 18, ())]
    assert [section_type(passage) for passage in document.passages] == ["TITLE", "ABSTRACT"]


def test_entities_without_text_are_reported(tmp_path: Path) -> None:
    folder = put(
        tmp_path,
        {
            "drugprot_training_abstracs.tsv": "11\tZinc\tNothing else.\n",
            "drugprot_training_entities.tsv": "11\tT1\tCHEMICAL\t0\t4\tLead\n99\tT1\tCHEMICAL\t0\t4\tZinc\n",
        },
    )
    messages: list[str] = []
    read("drugprot", folder, "train", messages)
    assert "'Lead' at 0..4 was left out: the text there is 'Zinc'" in messages[0]
    assert "1 mention belongs to 1 article without text (the first is 99)" in messages[1]


def test_chemdner_offsets_count_in_title_or_abstract(tmp_path: Path) -> None:
    folder = put(
        tmp_path,
        {
            "training.abstracts.txt": "21\tZinc (II)\tWe dried zinc.\n",
            "training.annotations.txt": "21\tA\t9\t13\tzinc\tTRIVIAL\n21\tT\t0\t9\tZinc (II)\tSYSTEMATIC\n"
            "21\tT\t4\t4\t\tMULTIPLE\n",
            **{f"{part}.txt": "" for part in ("development.abstracts", "development.annotations")},
            **{f"{part}.txt": "" for part in ("evaluation.abstracts", "evaluation.annotations")},
        },
    )  # fmt: skip
    messages: list[str] = []
    [document] = read("chemdner", folder, "train", messages)
    assert spans(document) == [("Zinc (II)", 0, ()), ("zinc", 19, ())]
    [message] = messages
    assert "document '21': the mention '' at 4..4 was left out: it has no text" in message


def test_a_malformed_row_is_reported_with_its_line(tmp_path: Path) -> None:
    folder = put(
        tmp_path,
        {"drugprot_training_abstracs.tsv": "11\tZinc\tx\n12 no tabs\n", "drugprot_training_entities.tsv": ""},
    )
    with pytest.raises(InputError, match=r"abstracs\.tsv, line 2: 1 column where 3 are expected"):
        read("drugprot", folder, "train")


KNOWTATOR = """<?xml version="1.0" encoding="UTF-8"?>
<annotations textSource="301.txt">
  <annotation><mention id="I1"/><annotator id="A">someone</annotator><span start="11" end="15"/>
    <spannedText>Zinc</spannedText></annotation>
  <annotation><mention id="I2"/><annotator id="A">someone</annotator><span start="23" end="27"/>
    <span start="34" end="38"/><spannedText>free ... zinc</spannedText></annotation>
  <classMention id="I1"><mentionClass id="CHEBI:27363">zinc atom</mentionClass></classMention>
  <classMention id="I2"><mentionClass id="CHEBI:27363">zinc atom</mentionClass></classMention>
</annotations>
"""


def craft(text: str = "Metals\n\nβ) Zinc rises, free as is zinc.\n", knowtator: str = KNOWTATOR) -> dict[str, str]:
    return {
        "articles/txt/301.txt": text,
        "articles/txt/302.txt": "Another article.",
        "articles/ids/craft-ids-train.txt": "301\n",
        "articles/ids/craft-ids-dev.txt": "302\n",
        "articles/ids/craft-ids-test.txt": "",
        "articles/ids/craft-idmappings.txt": "#Format\nX.nxml\tPMC91\t301\n",
        "concept-annotation/CHEBI/CHEBI/knowtator/301.txt.knowtator.xml": knowtator,
        "concept-annotation/CHEBI/CHEBI/knowtator/302.txt.knowtator.xml": "<annotations/>",
    }


def test_craft_documents_have_the_offsets_of_the_text_files(tmp_path: Path) -> None:
    [document] = read("craft", put(tmp_path, craft()), "train")
    assert document.id == "91"
    assert [(passage.offset, passage_text(passage)[:5]) for passage in document.passages] == [
        (0, "Metal"),
        (8, "β) Zi"),
    ]
    one, two = mentions(document)
    assert (one.text, one.spans, one.identifiers) == ("Zinc", ((11, 15),), ("CHEBI:27363",))
    assert (two.text, two.spans) == ("free zinc", ((23, 27), (34, 38)))


def test_a_craft_article_without_annotations_is_reported(tmp_path: Path) -> None:
    files = craft()
    files["articles/ids/craft-ids-train.txt"] = "301\n303\n"
    del files["concept-annotation/CHEBI/CHEBI/knowtator/301.txt.knowtator.xml"]
    messages: list[str] = []
    [document] = read("craft", put(tmp_path, files), "train", messages)
    assert spans(document) == []
    assert "this article has no Knowtator file" in messages[0]
    assert "1 article of the split without a text (the first is 303)" in messages[1]


def test_a_knowtator_file_with_entities_is_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]><annotations>&a;</annotations>'
    with pytest.raises(InputError, match="declares entities"):
        read("craft", put(tmp_path, craft(knowtator=bomb)), "train")


JATS = """<article><front><article-meta><article-id pub-id-type="pmc">{id}</article-id>
<title-group><article-title>Zinc in rice</article-title></title-group></article-meta></front>
<body><p>Rice took up zinc.</p></body></article>"""


def test_gold_index_terms_are_joined_to_their_articles(tmp_path: Path) -> None:
    gold = [
        {"pmcid": "PMC41", "chemicals": [["MESH:D015032", "Zinc"]], "other_substances": [["MESH:D1", "x"]]},
        {"pmcid": "PMC42", "chemicals": [], "other_substances": []},
        {"pmcid": "PMC43", "chemicals": [], "other_substances": []},
    ]
    files = {f"jats/PMC{id}.xml": JATS.format(id=id) for id in (41, 42, 44)}
    folder = put(tmp_path, {**files, "gold.jsonl": "".join(json.dumps(row) + "\n" for row in gold)})
    messages: list[str] = []
    documents = read("pmc-indexing", folder, reports=messages)
    assert [(d.id, [term.identifier for term in index_terms(d)]) for d in documents] == [
        ("41", ["MESH:D015032"]),
        ("42", []),
    ]
    assert "article PMC44 has no line of gold terms and was left out" in messages[0]
    assert "1 line of gold terms without an article (the first is PMC43)" in messages[1]


def test_each_line_of_plain_text_is_a_passage(tmp_path: Path) -> None:
    folder = put(tmp_path, {"part.jsonl": '{"id": "PMC9", "text": "Zinc\\n\\nIt fell.", "journal": "x"}\n'})
    [document] = read("plain-text", folder)
    assert document.id == "9"
    assert [(passage.offset, passage.text) for passage in document.passages] == [(0, "Zinc"), (6, "It fell.")]


def test_each_sentence_of_an_iob_file_is_a_document(tmp_path: Path) -> None:
    lines = "Zinc\tB-Chemical\nfell\tO\n\nno\tO\n"
    folder = put(tmp_path, {"train.tsv": lines, "devel.tsv": lines, "test.tsv": lines})
    one, two = read("bc4chemd", folder, "train")
    assert (one.id, two.id) == ("train-1", "train-2")
    assert spans(one) == [("Zinc", 0, ())]


def test_overlapping_sentences_are_reported_with_file_and_article(tmp_path: Path) -> None:
    sentences = [{"offset": 0, "text": "One."}, {"offset": 2, "text": "Two."}]
    broken = {**passage(0, "", [chemical("0", "x", 0, "-")]), "sentences": sentences}
    names = {f"BC7T2-CDR-corpus-{split}.BioC.json": track([]) for split in ("dev", "test")}
    document = {"id": "8", "infons": {}, "passages": [broken]}
    folder = put(tmp_path, {"BC7T2-CDR-corpus-train.BioC.json": track([document]), **names})
    with pytest.raises(ArticleError, match=r"sentences overlap at offset 2"):
        read("track-cdr", folder, "train")
