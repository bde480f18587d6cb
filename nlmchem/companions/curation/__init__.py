"""What curators should look at, how they get it, and what comes back."""
