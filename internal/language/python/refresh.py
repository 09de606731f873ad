# finds the packages that were put into a folder after the interpreter began
def __refresh__(folder):
    import importlib
    import site

    del globals()["__refresh__"]
    site.addsitedir(folder)
    importlib.invalidate_caches()


