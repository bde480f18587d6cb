"""Chemical notation as text: elements, ions, formulae, isotopes, residues, lipids, peptides."""
