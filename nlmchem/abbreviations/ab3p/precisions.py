"""The order and scores of the strategies of Ab3P: its published table of pseudo-precisions.

Source: Sohn et al. 2008, BMC Bioinformatics 9:402, "Pseudo-precision"; values as in the program's public-domain
file (145 entries). A value estimates how often a strategy that succeeds does not succeed by chance. It was computed
without labels, from windows with shuffled words.
"""

from __future__ import annotations

_TABLE = {
    "Al1": """
        FirstLetOneChSF 0.967224
    """,
    "Al2": """
        FirstLet 0.99818  FirstLetGen 0.994292  WithinWrdFWrd 0.989054  FirstLetGenStp 0.970019  ContLet 0.96935
        WithinWrdFLet 0.941981  FirstLetGenSkp 0.949988  WithinWrdFWrdSkp 0.947364  ContLetSkp 0.877216
        WithinWrdWrd 0.74768  WithinWrdFLetSkp 0.640805
    """,
    "Al3": """
        FirstLet 0.999808  FirstLetGen 0.999408  FirstLetGenS 0.998732  WithinWrdFWrd 0.997824
        FirstLetGenStp 0.997839  FirstLetGenStp2 0.997264  FirstLetGenSkp 0.988583  ContLet 0.987697
        WithinWrdFWrdSkp 0.981107  WithinWrdFLet 0.981322  ContLetSkp 0.968185  WithinWrdWrd 0.9437
        WithinWrdFLetSkp 0.904799  WithinWrdLet 0.663735  AnyLet 0.303503
    """,
    "Al4": """
        FirstLet 0.999964  FirstLetGen 0.99993  FirstLetGenS 0.999811  WithinWrdFWrd 0.999616
        FirstLetGenStp 0.999868  FirstLetGenStp2 0.999948  FirstLetGenSkp 0.998534  ContLet 0.992792
        WithinWrdFWrdSkp 0.997097  WithinWrdFLet 0.992955  ContLetSkp 0.985568  WithinWrdWrd 0.995823
        WithinWrdFLetSkp 0.976873  WithinWrdLet 0.917863  AnyLet 0.696532
    """,
    "Al5": """
        FirstLet 0.999979  FirstLetGen 0.999979  FirstLetGenS 0.999913  WithinWrdFWrd 0.999928
        FirstLetGenStp 0.999989  FirstLetGenStp2 0.999887  FirstLetGenSkp 0.999852  ContLet 0.997596
        WithinWrdFWrdSkp 0.999602  WithinWrdFLet 0.997473  ContLetSkp 0.989703  WithinWrdWrd 0.999812
        WithinWrdFLetSkp 0.986066  WithinWrdLet 0.889324  AnyLet 0.73859
    """,
    "Num2": """
        ContLet 0.975372  ContLetSkp 0.96617  WithinWrdFWrdSkp 0.988426  FirstLetGen2 0.909995
        FirstLetGenStp 0.856401  FirstLetGenSkp 0.858132  WithinWrdFWrd 0.726155  WithinWrdFLetSkp 0.607829
        WithinWrdFLet 0.493922
    """,
    "Num3": """
        FirstLetGen2 0.998497  WithinWrdFWrd 0.99964  FirstLetGenStp 0.998807  FirstLetGenStp2 0.991256
        FirstLetGenSkp 0.991202  ContLet 0.996938  WithinWrdFWrdSkp 0.998821  WithinWrdFLet 0.985676
        ContLetSkp 0.995076  WithinWrdWrd 0.999245  WithinWrdFLetSkp 0.971123  WithinWrdLet 0.819989
        AnyLet 0.797932
    """,
    "Num4": """
        FirstLetGen2 0.99992  WithinWrdFWrd 0.999835  FirstLetGenStp 0.999903  FirstLetGenStp2 0.999936
        FirstLetGenSkp 0.999577  ContLet 0.999555  WithinWrdFWrdSkp 0.999885  WithinWrdFLet 0.9975
        ContLetSkp 0.998578  WithinWrdWrd 0.997703  WithinWrdFLetSkp 0.996501  WithinWrdLet 0.986326
        AnyLet 0.953126
    """,
    "Num5": """
        FirstLetGen2 0.999987  WithinWrdFWrd 0.999922  FirstLetGenStp 0.99998  FirstLetGenStp2 1
        FirstLetGenSkp 0.999901  ContLet 0.999613  WithinWrdFWrdSkp 0.999937  WithinWrdFLet 0.999386
        ContLetSkp 0.999312  WithinWrdWrd 1  WithinWrdFLetSkp 0.998939  WithinWrdLet 0.996068  AnyLet 0.986193
    """,
    "Spec2": """
        FirstLetGen2 0.854368  FirstLetGenStp 0.664622  FirstLetGenSkp 0.657475
    """,
    "Spec3": """
        FirstLetGen2 0.978311  FirstLetGenStp 0.977779  FirstLetGenStp2 0.929197  WithinWrdFWrd 0.930654
        ContLet 0.923911  FirstLetGenSkp 0.904086  WithinWrdFWrdSkp 0.893989  ContLetSkp 0.851583
        WithinWrdFLet 0.712331  WithinWrdFLetSkp 0.64667  WithinWrdWrd 0.428
    """,
    "Spec4": """
        FirstLetGen2 0.99278  FirstLetGenStp 0.98597  FirstLetGenStp2 0.982127  WithinWrdFWrd 0.997649
        ContLet 0.980869  FirstLetGenSkp 0.944843  WithinWrdFWrdSkp 0.985685  ContLetSkp 0.973983
        WithinWrdFLet 0.992773  WithinWrdFLetSkp 0.863247  WithinWrdWrd 0.931745  WithinWrdLet 0.418068
        AnyLet 0.223562
    """,
    "Spec5": """
        FirstLetGen2 0.999701  FirstLetGenStp 0.9999  FirstLetGenStp2 0.999757  WithinWrdFWrd 0.999517
        ContLet 0.994648  FirstLetGenSkp 0.997065  WithinWrdFWrdSkp 0.998513  ContLetSkp 0.992445
        WithinWrdFLet 0.996623  WithinWrdFLetSkp 0.978026  WithinWrdWrd 0.996879  WithinWrdLet 0.862993
        AnyLet 0.745608
    """,
}


def _trials(row: str) -> tuple[tuple[str, float], ...]:
    words = row.split()
    return tuple(zip(words[::2], map(float, words[1::2]), strict=True))


TRIALS: dict[str, tuple[tuple[str, float], ...]] = {name: _trials(row) for name, row in _TABLE.items()}
"""The strategies for each group of short forms, in the order of trial, with their pseudo-precisions."""

NESTED = "Nested"
NOTATION = "Notation"
ROTATED = "Rotated"
ADDED = {
    "Concentration": 0.83,
    "Formula": 0.75,
    "Greek": 0.75,
    "Hydroxy": 0.80,
    NESTED: 0.67,
    NOTATION: 0.90,
    "Numbers": 0.73,
    "Repeated": 0.67,
    ROTATED: 0.88,
    "Suffix": 0.67,
    "Wide": 0.63,
}
"""The scores of rewritings: (correct + 1) / (found + 2) over both gold corpora (docs/measurements/abbreviations.md).

Greek does not occur in the corpora. Its value is a guess between the others. Notation was counted over 100 full texts.
"""


def group(short_form: str) -> str:
    """The group of a short form: its kind (letters only, with digits, with other characters) and its length.

    >>> group("DHA"), group("IL-10"), group("TNF-a"), group("NF kB")
    ('Al3', 'Num5', 'Spec5', 'Spec5')
    """
    kind = "Al" if short_form.isalpha() else "Num" if any(map(str.isdigit, short_form)) else "Spec"
    return f"{kind}{min(len(short_form), 5)}"
