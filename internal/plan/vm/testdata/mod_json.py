import json
for s in ['', '  ', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{,}', '[', '[1', '[1,', '[1,]', '[1 2]', '{"a" 1}', '{"a":1 "b"}', '{1:2}', '"abc', '"a\\', '"\\x"', '"\\u12"', '"\\u12g4"', '"a\nb"', 'nul', 'tru', 'nan']:
    try:
        print(repr(json.loads(s)))
    except json.JSONDecodeError as e:
        print(repr(s), e)
---
import json
for s in ['NaN', '-Infinity', 'Infinity', '-', '01', '1.', '1.e5', '1e', '-a', '[1]x', '"\\ud83d\\ude00"', '\ufeff1', '{"a":{"b":[1,{"c":}]}}', "{'a':1}", '[1,\n2,\n x]', '1e400', '-0', '1E5', '"\\u00e9\\n\\/"', '[[[[', '"\x7f"', '{"a":1,"a":2}', '{ "a" : 1 , }', '[ 1 , ]', '{"a":1, 2}', '-0.0', '0.1e-2', '"é"', '{"é": x}']:
    try:
        print(ascii(json.loads(s)))
    except ValueError as e:
        print(repr(s), e)
---
import json
print(json.loads('{"a": [1, 2.5, true, false, null, "x", {"b": {}}], "c": -7, "d": 12345678901234567890}'))
print(json.loads(' [ ] '), json.loads('{}'), json.loads(b'[1]'), type(json.loads('1')), type(json.loads('1.0')))
for bad in (1, None, [1]):
    try:
        json.loads(bad)
    except TypeError as e:
        print(e)
---
import json
try:
    json.loads('{"a"\n: x}')
except json.JSONDecodeError as e:
    print(e.msg, repr(e.doc), e.pos, e.lineno, e.colno, repr(e), isinstance(e, ValueError))
---
import json
print(json.loads('[1,2.5,{"a":1}]', parse_int=str, parse_float=lambda s: "f" + s, object_hook=lambda d: list(d.items())))
print(json.loads('{"a":{"b":1}}', object_pairs_hook=lambda p: p))
print(json.loads('{"x":1,"y":{"x":2}}', object_hook=lambda d: d.get("x")))
---
import json
for v in [None, True, False, 1, -5, 10**30, 1.5, 1e100, 0.1, -0.0, "a", "é\u2028\x7f\"\\/\b\x01😀", [], {}, (), [1, [2, (3,)]], {"a": {"b": None}}, float("inf"), float("nan")]:
    print(json.dumps(v))
print(json.dumps({1: 2, None: 3, True: 4, 1.5: 6, "a": 7, 2: 8}))
---
import json
print(json.dumps([1, [2, {}], []], indent=2))
print(json.dumps({"a": 1, "b": [1, 2], "c": {"d": {}}}, indent="\t"))
print(json.dumps([1, {"a": 2}], indent=0))
print(json.dumps([1, 2], separators=(",", ":")), json.dumps({"a": 1, "b": 2}, separators=(";", "=")))
print(json.dumps({"b": 1, "a": {"z": 1, "y": 2}}, sort_keys=True), json.dumps({"a": 1}, indent=2, separators=(",", ":")))
print(json.dumps("é\x7f", ensure_ascii=False), json.dumps({"é": "ü"}))
---
import json
class A:
    pass
def d(*a, **k):
    try:
        print(json.dumps(*a, **k))
    except Exception as e:
        print(type(e).__name__, e)
d([float("nan"), float("-inf"), float("inf")])
d(A())
d({(1,): 2})
l = []
l.append(l)
d(l)
d({"a": [1, {"b": A()}]})
d({1: 1, "a": 2}, sort_keys=True)
d({"a": {1}}, default=list)
d({"a": A()}, default=lambda o: o)
d({float("nan"): 1})
d({float("inf"): 1})
d(1, foo=2)
d({1, 2})
d([A(), A()], default=lambda o: "A")
d(b"x")
x = [1]
d([x, x])
---
import json
class E(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, set):
            return sorted(o)
        return super().default(o)
print(json.dumps({"s": {3, 1, 2}}, cls=E), E(indent=1).encode([{1}]), json.dumps([1, {2}], cls=E, indent=2, sort_keys=True))
try:
    json.dumps(object(), cls=E)
except TypeError as e:
    print(e)
print(json.JSONEncoder(sort_keys=True).encode({"b": 1, "a": 2}))
---
import json
data = {"name": "x", "tags": ["a", "b"], "n": {"k": [1, 2, {"z": None}]}, "f": 1.25, "t": True}
assert json.loads(json.dumps(data)) == data
assert json.loads(json.dumps(data, indent=4)) == data
print(json.dumps(data, indent=4, sort_keys=True))
class S(str): pass
class I(int): pass
class D(dict): pass
class L(list): pass
print(json.dumps([S("q"), I(5), D(a=1), L([1])]))
---
import json
print(json.loads("[" * 50 + "]" * 50) is not None, len(json.dumps([[[[]]]])))
print(json.loads('"' + "a" * 100 + '"') == "a" * 100, json.loads("[1,2,3]")[-1], json.loads('{"a":{"b":[10,20]}}')["a"]["b"][1])
---
import json
for f in (lambda: json.dumps([1], separators=(1, 2)), lambda: json.dumps([1], separators=(',', 2)), lambda: json.dumps([1], separators=(1, ':')), lambda: json.dumps([1], indent=1.5), lambda: json.dumps([1], indent=True), lambda: json.dumps([1], indent='--')):
    try:
        print(f())
    except TypeError as e:
        print(e)
---
import json
json.loads('{"a": }')
