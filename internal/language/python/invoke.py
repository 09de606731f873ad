def __invoke__(argv, stdin):
    import os, sys
    if argv:
        sys.argv = argv
    if stdin:
        # Under the number 0 for programs that are started, too; the kernel makes
        # sys.stdin of it. The code need not see the file.
        fd = os.open(stdin, os.O_RDONLY)
        os.unlink(stdin)
        os.dup2(fd, 0, inheritable=True)
        os.close(fd)
