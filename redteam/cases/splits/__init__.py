"""Splits and declarations: tasks that were dropped, moved or chosen; and honest runs over a part."""
