"""The typed view on a BioC document: mentions, abbreviations, index terms.

All stages of the project exchange `bioc.BioCDocument` objects, and read and write what they found by the names here.
Each noun has a file of its own, and only these files contain the keys of our infons. `corpora.model.passages`,
`corpora.model.metadata`, `corpora.model.votes` and `corpora.model.candidates` do the same for the infons of passages,
articles, votes and the concepts that a mention may mean.

Offsets count Unicode code points from the start of the document. `corpora.model.invariant` checks them.
"""

from corpora.model.abbreviations import (
    ABBREVIATION,
    LONG_FORM,
    OCCURRENCE,
    SHORT_FORM,
    Definition,
    defined_forms,
    definitions,
)
from corpora.model.annotations import every_annotation, fresh_ids, remove_of_type
from corpora.model.index_terms import (
    IndexTerm,
    add_index_term,
    add_index_terms,
    index_terms,
    is_index_term,
    remove_index_terms,
)
from corpora.model.locations import Span
from corpora.model.mentions import (
    MENTION_INFONS,
    Evidence,
    Mention,
    add_mention,
    annotator,
    clear_identifiers,
    identifier_parts,
    identifier_text,
    joined_names,
    left_out_of,
    mentions,
    mentions_of,
    note_left_out,
    remove_mentions,
    set_annotator,
    set_identifier_text,
    set_identifiers,
    set_probability,
    set_reasons,
    split_names,
)
from corpora.model.mesh_ids import NO_CONCEPT

__all__ = [
    "ABBREVIATION",
    "LONG_FORM",
    "MENTION_INFONS",
    "NO_CONCEPT",
    "OCCURRENCE",
    "SHORT_FORM",
    "Definition",
    "Evidence",
    "IndexTerm",
    "Mention",
    "Span",
    "add_index_term",
    "add_index_terms",
    "add_mention",
    "annotator",
    "clear_identifiers",
    "defined_forms",
    "definitions",
    "every_annotation",
    "fresh_ids",
    "identifier_parts",
    "identifier_text",
    "index_terms",
    "is_index_term",
    "joined_names",
    "left_out_of",
    "mentions",
    "mentions_of",
    "note_left_out",
    "remove_index_terms",
    "remove_mentions",
    "remove_of_type",
    "set_annotator",
    "set_identifier_text",
    "set_identifiers",
    "set_probability",
    "set_reasons",
    "split_names",
]
