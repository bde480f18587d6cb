"""The cases of senses in tests that go over all commands and options (`companion_cases`)."""

OPTIONS = {"dictionary": "dictionary.tsv", "expand_threshold": 0.9}
TRAINING = {
    "train encoder": ("train", "encoder", "{in}/acronyms", "--base", "{in}/tiny", "--batch", "4", "-o", "{work}/out"),
    "train senses": (
        *("train", "senses", "{in}/senses", "--lexicon", "starter", "--words", "500", "--terms", "20", "--width", "8"),
        *("-o", "{work}/out"),
    ),
}
SENTENCES_WITHOUT_EXTRAS = {
    "train encoder": (
        ("train", "encoder", "{model}", "--base", "{model}", "-o", "out"), "the training of a transformer", "train",
    ),
}  # fmt: skip
DOCS = ("howto/undefined-short-forms.md", "measurements/senses.md")
WRITING = {"train encoder": ("a/all.json", "--base", "b"), "train senses": ("a",)}
SEVERAL_MEANINGS = dict.fromkeys(("batch", "encoder", "passes"))
