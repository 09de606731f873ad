# interrupts the next cell at one instruction of it or of the kernel below it, and a second
# time some instructions after the first interrupt is taken; 0 is never
def points(first, second):
    import _thread, collections, functools, sys

    kernel = sys.modules["_praxis"].run_hosted.__self__
    monitoring, tool = sys.monitoring, sys.monitoring.DEBUGGER_ID
    instruction = monitoring.events.INSTRUCTION
    handler = kernel.on_interrupt.__func__.__code__
    cell, before, after = kernel.count + 1, 0, 0
    # A look-up is no call, after which the interpreter would take the signal in these functions already.
    interrupt = collections.defaultdict(functools.partial(_thread.interrupt_main, 2))

    def watch(everywhere, in_handler, callback):
        monitoring.register_callback(tool, instruction, callback)
        monitoring.set_events(tool, everywhere)
        monitoring.set_local_events(tool, handler, in_handler)

    def until_first(code, offset):
        nonlocal before
        if kernel.count != cell or not kernel.running:
            return
        before += 1
        if before == first:
            watch(0, instruction if second else 0, once_taken)
            interrupt["first"]

    def once_taken(code, offset):
        watch(instruction, 0, until_second)

    def until_second(code, offset):
        nonlocal after
        if kernel.count != cell or not kernel.running:
            return
        after += 1
        if after == second:
            watch(0, 0, None)
            interrupt["second"]

    def end():
        watch(0, 0, None)
        monitoring.free_tool_id(tool)
        return before, after

    monitoring.use_tool_id(tool, "points")
    watch(instruction, 0, until_first)
    return end
