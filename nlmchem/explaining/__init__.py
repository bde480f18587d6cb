"""Why a text is a mention, and why it has its identifier."""
