"""An article about one core from the records of a run: HTML and Markdown, each in one file."""
