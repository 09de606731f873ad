import csv, io
text = 'name,age,note\r\nAnn,3,"a, b"\r\nBob,4,"say ""hi"""\r\n\r\n"two\nlines",5,\r\nshort\r\nlong,1,2,3,4\r\n'
for row in csv.reader(io.StringIO(text)):
    print(row)
for row in csv.reader(text.splitlines(True)):
    print(row)
for row in csv.DictReader(io.StringIO(text)):
    print(row)
for row in csv.DictReader(io.StringIO(text), restkey="more", restval="-"):
    print(row)
r = csv.DictReader(["a;b", "1;2"], delimiter=";")
print(r.fieldnames, list(r), r.line_num)
print(csv.DictReader([]).fieldnames, list(csv.DictReader([])), list(csv.DictReader(["1,2"], fieldnames=["x", "y"])))
---
import csv
for lines, options in [
    (['a\tb', '"c\td"\te'], {"dialect": "excel-tab"}), (["a|b|'c|d'"], {"delimiter": "|", "quotechar": "'"}),
    (["a, b, \"c, d\""], {"skipinitialspace": True}), (["a, b, \"c, d\""], {}), (['a"b"c,"d"e,f""'], {}), (['"a""b""",""'], {}),
    (['1,"2",3.5'], {"quoting": csv.QUOTE_NONNUMERIC}),
    (['"open', 'more'], {}), (['"open\n', 'more\n', 'end",x'], {}), ([""], {}), (['""'], {}), ([","], {}),
    (["a"], {"delimiter": "ab"}), (["a"], {"nope": 1}), (["a"], {"dialect": "nope"}), ([1], {}),
    (["x,1", ""], {}), (['a b  c'], {"delimiter": " "}),
]:
    try:
        r = csv.reader(lines, **options)
        print(list(r), r.line_num)
    except Exception as e:
        print(type(e).__name__, e)
---
import csv, io
rows = [["a", 1, 2.5, None, True], ["b,c", 'q"q', "l\nl", "", " s"], [""], [], ["é", -1], [None]]
for options in [{}, {"lineterminator": "\n"}, {"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_NONNUMERIC}, {"delimiter": ";", "quotechar": "'"},
                {"dialect": "excel-tab"}]:
    out = io.StringIO()
    w = csv.writer(out, **options)
    try:
        print(w.writerow(rows[0]))
        w.writerows(rows[1:])
    except Exception as e:
        print(type(e).__name__, e)
    print(repr(out.getvalue()))
---
import csv, io
out = io.StringIO()
w = csv.DictWriter(out, fieldnames=["a", "b"], restval="?")
w.writeheader()
w.writerow({"a": 1, "b": 2})
w.writerows([{"a": 3}, {"b": 4}])
try:
    w.writerow({"a": 1, "c": 2})
except ValueError as e:
    print(e)
csv.DictWriter(out, ["a"], extrasaction="ignore", lineterminator="\n").writerow({"a": 1, "c": 2})
print(out.getvalue())
print(list(csv.reader(io.StringIO(out.getvalue()))))
