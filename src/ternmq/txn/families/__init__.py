"""Log record kinds by family: layout, pack, redo, undo, describe, survey of each; see `table`."""
