"""The compiled kernel: int8 arithmetic of linear layers and of BERT encoders."""
