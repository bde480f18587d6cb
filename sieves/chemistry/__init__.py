"""Chemical notation becomes names: elements, ions, isotopes, formulae, amino acids, peptides, lipids."""
