package subset

import (
	"strings"
	"sync"
)

// remedy says what to write instead of a name of that kind, "" when nothing is known:
// a built-in name, a method that the language does not call, an attribute, a module,
// or what a module of the language leaves out (of).
func remedy(kind, name string) string { return remedies()[kind+" "+name] }

var remedies = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, row := range [...]struct{ kind, names, text string }{
		{"name", "eval exec compile", "Write the code into the program; text cannot become code."},
		{"name", "open", "Plans have no files; get data from a tool or an input."},
		{"name", "input", "Plans have no keyboard; declare an input and use its name."},
		{"name", "globals locals", "Use a dict of your own for names that are computed."},
		{"name", "vars", "Call vars with one object: vars(x)."},
		{"name", "breakpoint help copyright credits license", "Leave it out; a plan runs on its own."},
		{"name", "__import__", "Use an import statement."},
		{"name", "__builtins__ __loader__ __spec__", "Plans cannot reach into the language's machinery; do without it."},
		{"name", "memoryview bytearray", "Use bytes, or a list of ints."},
		{"name", "complex", "Compute with two floats, or with math.hypot and math.atan2."},
		{"name", "dir", "Use vars(x), or hasattr and getattr with names that you know."},
		{"name", "ExceptionGroup BaseExceptionGroup", "Raise one exception, or keep the others in a list."},
		{"name", "id", "Compare objects with is."},
		{"name", "aiter anext", "Use iter and next."},
		{"name", "super", "Take an attribute at once: super().method(…)."},
		{"method", "__get__ __set__ __delete__ __set_name__", "Use property or functools.cached_property."},
		{"method", "__getattribute__", "Use __getattr__, or a property for each attribute."},
		{"method", "__await__", "Write an async function, and await its call."},
		{"method", "__init_subclass__", "Use a class decorator."},
		{"method", "__instancecheck__ __subclasscheck__", "Write a function that asks, and call it."},
		{"method", "__class_getitem__ __mro_entries__ __prepare__ __dir__ __length_hint__", "Write a method with a name of its own, and call it."},
		{"attribute", "__class__", "Write type(x), or type(x).__name__ for its name."},
		{"attribute", "__dict__", "Write vars(x)."},
		{"attribute", "__mro__ __bases__ __base__ __subclasses__", "Name the classes that you mean, and ask with isinstance or issubclass."},
		{"attribute", "__context__ __suppress_context__", "Chain exceptions with raise … from …, and read __cause__."},
		{"attribute", "__dataclass_fields__", "Use dataclasses.fields."},
		{"module", "os pathlib shutil glob tempfile fileinput pickle sqlite3 zipfile", "Plans have no files; get data from a tool or an input."},
		{"module", "tools", "The names of tools are there without an import."},
		{"module", "socket urllib requests http smtplib ssl ftplib", "Plans have no network; call a tool."},
		{"module", "subprocess multiprocessing threading signal ctypes concurrent", "A plan runs alone and in one order; call tools one after the other, or with asyncio.gather."},
		{"module", "numpy pandas scipy sympy", "Compute with lists and the modules math, statistics and fractions, or in the sandbox."},
		{"module", "pprint", "Print json.dumps(x, indent=2), or each item on a line of its own."},
		{"module", "queue", "Use collections.deque, or heapq for priorities."},
		{"module", "numbers", "Ask isinstance(x, (int, float))."},
		{"module", "warnings logging", "Use print."},
		{"module", "pytz dateutil", "Use datetime and zoneinfo."},
		{"module", "cmath", "Compute with two floats, or with math.hypot and math.atan2."},
		{"module", "inspect importlib ast dis gc weakref", "Plans cannot reach into the language's machinery; do without it."},
		{"of", "collections.ChainMap", "Merge the dicts: {**defaults, **m}."},
		{"of", "collections.UserDict", "Derive from dict."},
		{"of", "collections.UserList", "Derive from list."},
		{"of", "collections.UserString", "Derive from str."},
		{"of", "io.BytesIO", "Keep the bytes in a variable and take slices of them."},
		{"of", "types.MappingProxyType", "Give away a copy: dict(x)."},
		{"of", "contextlib.ExitStack", "Write the managers into one with statement, or use try and finally."},
		{"of", "uuid.uuid1 uuid.uuid3 uuid.uuid5 uuid.uuid7", "Use uuid.uuid4, or hashlib.sha256 of a name."},
		{"of", "urllib.parse.urldefrag", "Use urlparse(url).fragment."},
		{"of", "urllib.parse.urljoin", "Use urlparse(base)._replace(path=...).geturl()."},
		{"of", "itertools.batched", "Write [xs[i:i + n] for i in range(0, len(xs), n)]."},
		{"of", "heapq.merge", "Use sorted of all."},
		{"of", "enum.Flag enum.IntFlag", "Keep members of an Enum in a set."},
		{"of", "contextlib.redirect_stdout", "Collect the lines in a list, or print(..., file=io.StringIO())."},
		{"of", "functools.singledispatch functools.singledispatchmethod", "Ask isinstance, or look the function up in a dict by type(x)."},
		{"of", "dataclasses.make_dataclass", "Write a class statement under @dataclass."},
		{"of", "dataclasses.InitVar", "Write __init__ yourself."},
		{"of", "dataclasses.KW_ONLY", "Write @dataclass(kw_only=True), or field(kw_only=True)."},
		{"of", "functools.partialmethod", "Write a method that calls the other."},
		{"of", "math.remainder", "Use math.fmod, or the operator %."},
		{"of", "math.asinh math.acosh math.atanh", "Write it with math.log: asinh(x) is log(x + sqrt(x * x + 1))."},
		{"of", "random.normalvariate", "Use random.gauss."},
		{"of", "statistics.NormalDist", "Use statistics.mean and statistics.stdev, and math.erf for probabilities."},
		{"of", "decimal.BasicContext decimal.ExtendedContext decimal.DefaultContext decimal.setcontext", "Set getcontext().prec and getcontext().rounding, or use localcontext(prec=..., rounding=...)."},
		{"of", "random.expovariate", "Write -math.log(1 - random.random()) / rate."},
		{"of", "calendar.timegm", "Use datetime(..., tzinfo=timezone.utc).timestamp()."},
		{"of", "typing", "Leave it out of annotations, or write Any."},
		{"of", "types", "Ask isinstance or callable, or use a dataclass."},
		{"of", "calendar", "Compute with datetime.date, calendar.monthrange and calendar.monthcalendar."},
		{"of", "asyncio", "Await one call after the other, or asyncio.gather: a plan runs in one order."},
	} {
		for name := range strings.FieldsSeq(row.names) {
			out[row.kind+" "+name] = row.text
		}
	}
	return out
})
