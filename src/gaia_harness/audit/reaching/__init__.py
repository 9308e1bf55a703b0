"""What tool calls reach for, and whether they got there: shared by AUD-4 and AUD-8."""
