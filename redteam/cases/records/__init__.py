"""Records: missing work, rewritten answers, untrue counts; and honest answers after little work."""
