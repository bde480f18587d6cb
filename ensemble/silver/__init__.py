"""Silver-standard corpora: annotations that many runs agree on, as training data.

Source: in the NLM-Chem track, the voted annotations of the 1,333 articles of the indexing task were added to the
training data of a single model and raised its F1 from 0.8480 to 0.8647 (Leaman et al. 2023, Database, baad005).

A corpus is a folder: shards in a format of articles, a card (`README.md`) and a record (`manifest.json`). With
`CorpusPlan.dataset` it is also a data set: a table in Parquet, and metadata in the Croissant format (`croissant.json`).
The same runs and options give the same bytes on any machine, so no file has a clock time or a path.
"""

from ensemble.silver.record import SILVER, read_silver
from ensemble.silver.writing import CorpusPlan, write_silver

__all__ = ["SILVER", "CorpusPlan", "read_silver", "write_silver"]
