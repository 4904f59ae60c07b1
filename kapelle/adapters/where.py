"""Where an unexpected error happened, for the logs of every door."""


def where(error: Exception) -> dict[str, object]:
    """Describe an unexpected error by its type and place: its message may quote what it failed on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return {"error": type(error).__name__}
    file = trace.tb_frame.f_code.co_filename.rpartition("/")[2]
    return {"error": type(error).__name__, "file": file, "line": trace.tb_lineno}
