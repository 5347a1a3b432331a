"""What a run found about one core, written for other programs: one module for each format."""
