"""The cases of curation in tests that go over all commands (`companion_cases`)."""

COMMANDS = {
    "curate select": ("curate", "select", "{in}/a", "{in}/b", "--number", "3", "-o", "{work}/out"),
}
PREPARATION = {
    "selection": ("curate", "select", "{in}/a", "{in}/b", "--number", "3", "-o", "{in}/selection"),
    "tasks": ("curate", "export", "{in}/selection", "--to", "doccano", "--lexicon", "starter", "-o", "{in}/tasks"),
}
PREPARED = {
    "curate export": (
        *("curate", "export", "{in}/selection", "--to", "label-studio", "--lexicon", "starter", "-o", "{work}/out"),
    ),
    "curate import": (
        *("curate", "import", "{in}/tasks", "--selection", "{in}/selection", "--lexicon", "starter"),
        *("-o", "{work}/out"),
    ),
}
TRAINING = {
    "curate learn": (
        *("curate", "learn", "{in}/gold", "--base", "{in}/tagger-0", "--folds", "2", "--passes", "1"),
        *("--lexicon", "{in}/names.tsv", "-o", "{work}/out"),
    ),
}
FILLING = {
    "select": ("curate", "select", "{in}", "--random", "-n", "9999", "-o", "{disk}/out"),
    "route": ("curate", "select", "{in}", "--random", "-n", "9999", "-o", "{in}3", "--route", "{disk}/out.jsonl"),
}
PAGES = {"howto/curation.md": ()}
SENTENCES_WITHOUT_EXTRAS = {
    "curate learn": (("curate", "learn", "{model}", "--base", "{model}", "-o", "out"), "training a tagger", "train"),
}
WRITING = {
    "curate select": ("a",),
    "curate export": ("a", "--to", "prodigy"),
    "curate import": ("a/all.json", "--selection", "b"),
    "curate learn": ("a",),
}
SEVERAL_MEANINGS = dict.fromkeys(("below", "missing", "number", "passes", "replay", "selection"))
