"""A folder of verified runs, made for git: cores/CORE/MACHINE/RUN.jsonl."""
