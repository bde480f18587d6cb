"""How fast this installation is on this machine, and what a large run would take."""
