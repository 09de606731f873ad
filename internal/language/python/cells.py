"""What of a cell can be said from its text and its tree alone."""

import _ast

ALLOW_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
FUTURES = 0x1FE0000  # flags of the __future__ features
# Calls that fail without a running loop: a cell that makes one at its top level runs inside the loop.
NEEDS_LOOP = {"create_task", "ensure_future", "gather", "get_running_loop", "current_task", "shield"}
OWN_LOOP = {"run", "run_until_complete", "run_forever", "Runner"}


def ends_in_semicolon(code, statement):
    """Whether a semicolon follows the last statement of a cell."""
    lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    rest = lines[statement.end_lineno - 1].encode("utf-8", "replace")[statement.end_col_offset :]
    return rest.lstrip().startswith(b";")


def future_flags(tree):
    """Return the flags of the __future__ imports of a cell, which hold for its last expression too."""
    if any(isinstance(s, _ast.ImportFrom) and s.module == "__future__" for s in tree.body):
        return compile(tree, "<futures>", "exec", ALLOW_AWAIT, True).co_flags & FUTURES
    return 0


def needs_loop(tree):
    """Whether statements outside functions call what needs a running loop, and start none of their own."""
    found = False
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda, _ast.ClassDef)):
            continue
        if isinstance(node, _ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if name in OWN_LOOP:
                return False
            found = found or name in NEEDS_LOOP
        for field in node._fields:
            child = getattr(node, field, None)
            if isinstance(child, _ast.AST):
                todo.append(child)
            elif isinstance(child, list):
                todo.extend(c for c in child if isinstance(c, _ast.AST))
    return found
