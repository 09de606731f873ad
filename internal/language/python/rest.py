def __rest__():
    import sys
    threading = sys.modules.get("threading")
    if threading is None:
        return None
    def left():
        skip = threading.main_thread(), threading.current_thread()
        return [t for t in threading.enumerate() if not t.daemon and t not in skip]
    try:
        end = getattr(sys.modules.get("concurrent.futures.thread"), "_python_exit", None)
        if end is not None and left():
            end()
        while threads := left():
            for t in threads:
                t.join()
    except KeyboardInterrupt:
        pass
    return len(left()) or None
__rest__()
