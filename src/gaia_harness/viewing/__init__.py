"""Shows a run or a package to people: one story for the HTML page and for the terminal."""
