"""`nlmchem corpora`: lists, checks, converts and splits corpora, and makes training data from them."""

from __future__ import annotations

from nlmchem.cli.corpora import making, reading, splits
from nlmchem.cli.old_groups import group

app = group("List, check, convert, split and compare corpora, and make training data from them.")
app.command("list", epilog=reading.LIST_EXAMPLE)(reading.list_)
app.command(epilog=reading.INFO_EXAMPLE)(reading.info)
app.command(epilog=reading.STATS_EXAMPLE)(reading.stats)
app.command(epilog=reading.CONVERT_EXAMPLE)(reading.convert)
app.command(epilog=splits.SPLIT_EXAMPLE)(splits.split)
app.command(epilog=splits.LEAKS_EXAMPLE)(splits.leaks)
app.command(epilog=making.AUGMENT_EXAMPLE)(making.augment)
app.command(epilog=making.DISTANT_EXAMPLE)(making.distant)
app.command(epilog=making.DICTIONARY_EXAMPLE)(making.dictionary)
