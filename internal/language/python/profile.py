# what the inputs are
def __profile__(paths):
    import os, sys
    del globals()["__profile__"]
    usual = sys.path[:]
    sys.path.sort(key=lambda p: p in ("", os.getcwd()))  # an input that is called as a module is none
    import csv, io, json, re, struct
    HEAD, ROWS, CELLS, COLUMNS, COUNTED, TEXT = 2 << 20, 5_000, 60_000, 40, 64 << 20, 4_000
    MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "?"}
    DATE = re.compile(r"\d{4}-\d\d?(-\d\d?)?([T ]\d\d?:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?|\d\d?[./]\d\d?[./]\d{2,4}|\d\d?:\d\d(:\d\d)?")

    def short(value, most=40):
        text = " ".join(str(value).split())
        return text if len(text) <= most else text[: most - 1] + "…"

    def plural(n, word):
        return f"{n:,} {word}" + ("" if n == 1 else "s")

    def number(text):
        text = text.strip()
        if re.fullmatch(r"[+-]?\d{1,18}", text):
            return int(text)
        if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text):
            return float(text)
        return None

    def values_of(values):
        # what a column's values are, in a line
        given = [v for v in values if v is not None and not (isinstance(v, str) and v.strip().lower() in MISSING) and v == v]
        lacks = len(values) - len(given)
        tail = f", {lacks:,} missing" if lacks else ""
        if not given:
            return "empty"
        numbers, others = [], []
        for v in given:
            n = v if isinstance(v, (int, float)) and not isinstance(v, bool) else number(v) if isinstance(v, str) else None
            (others if n is None else numbers).append(v if n is None else n)
        if len(numbers) > 0.9 * len(given):
            kind = "integer" if all(isinstance(n, int) for n in numbers) else "number"
            odd = f", {len(others):,} not a number such as {short(others[0])!r}" if others else ""
            return f"{kind}, {min(numbers)} to {max(numbers)}" + odd + tail
        if all(isinstance(v, bool) for v in given):
            return f"boolean, {sum(given):,} true" + tail
        if all(isinstance(v, (dict, list)) for v in given):
            keys = sorted({str(k) for v in given[:100] if isinstance(v, dict) for k in v})[:12]
            return ("object with " + short(", ".join(keys), 200) if keys else f"list, {min(map(len, given))} to {max(map(len, given))} items") + tail
        texts = [v if isinstance(v, str) else str(v) for v in given]
        if all(DATE.fullmatch(t.strip()) for t in texts):
            return f"date or time, {short(min(texts))} to {short(max(texts))}" + tail
        counts = {}
        for t in texts:
            counts[t] = counts.get(t, 0) + 1
        if len(counts) <= 12 and len(counts) < len(texts):
            shown = ", ".join(f"{short(t)} ({n:,})" for t, n in sorted(counts.items(), key=lambda i: (-i[1], i[0])))
            return f"text, {plural(len(counts), 'value')}: {shown}" + tail
        return f"text, {len(counts):,} different, such as {', '.join(short(t) for t in list(counts)[:3])}" + tail

    def columns_of(names, rows):
        lines = []
        for i, name in enumerate(names[:COLUMNS]):
            lines.append(f"- {short(name, 60)}: {values_of([row[i] if i < len(row) else None for row in rows])}")
        if len(names) > COLUMNS:
            lines.append(f"- … and {plural(len(names) - COLUMNS, 'more column')}: {short(', '.join(map(str, names[COLUMNS:])), 300)}")
        return lines

    def sampled(part, rows):
        return f" (the columns are described by the first {rows:,})" if part else ""

    def decoded(data, cut):
        # the text of a file's beginning, its encoding, and a note where that is unusual
        for mark, name in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
            if data.startswith(mark):
                return data[: len(data) // 2 * 2].decode(name, "replace"), "UTF-16", "is not UTF-8; it looks like UTF-16"
        if re.search(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", data):
            return None, "", ""
        try:
            return data.decode("utf-8-sig"), "UTF-8", ""
        except UnicodeDecodeError as exc:
            if cut and exc.start > len(data) - 4:
                return data[: exc.start].decode("utf-8-sig"), "UTF-8", ""
        name = "cp1252" if re.search(rb"[\x80-\x9f]", data) else "latin-1"
        try:
            return data.decode(name), name, f"is not UTF-8; it looks like {name}"
        except UnicodeDecodeError:
            return None, "", ""

    def lines_in(path, size):
        if size > COUNTED:
            return None
        n, last = 0, b"\n"
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                n += block.count(b"\n")
                last = block[-1:]
        return n + (last != b"\n")

    def of_table(path, size, text, encoding, cut, delimiter):
        lines = text.splitlines(keepends=True)
        if cut and len(lines) > 1:
            lines.pop()
        if delimiter is None:
            found = {d: [line.count(d) for line in lines[:20] if line.strip()] for d in ",;\t|"}
            delimiter = max(found, key=lambda d: (min(found[d], default=0) > 0, sum(found[d])))
        rows, cells = [], 0
        try:
            for row in csv.reader(lines, delimiter=delimiter):
                if row:
                    rows.append(row)
                    cells += len(row)
                if len(rows) > ROWS or cells > CELLS:
                    cut = True
                    break
        except csv.Error:
            return None
        if not rows:
            return None
        names = rows[0]
        head = all(number(c) is None for c in names) and len(set(names)) == len(names)
        if head:
            rows = rows[1:]
        else:
            names = [str(i + 1) for i in range(len(names))]
        counted = lines_in(path, size) if cut else None
        many = "more than " + plural(len(rows), "row") if cut and counted is None else "about " + plural(counted - head, "row") if cut else plural(len(rows), "row")
        uneven = sum(len(row) != len(names) for row in rows)
        first = f"table in {encoding}, separated by {delimiter!r}, {many}, {plural(len(names), 'column')}{sampled(cut, len(rows))}"
        if not head:
            first += "; there seems to be no header"
        if uneven:
            first += f"; {plural(uneven, 'row')} with another number of values"
        return "\n".join([first, *columns_of(names, rows), "It begins:", *(short(line, 300) for line in text.splitlines()[:4])])

    def of_records(records, many, what):
        if records and all(isinstance(r, dict) for r in records):
            names = list(dict.fromkeys(str(k) for r in records[:1000] for k in r))
            rows = [[r.get(name) for name in names] for r in records[: max(1, CELLS // max(1, len(names)))]]
            return "\n".join([f"{what} of {many}", *columns_of(names, rows), "It begins:", short(json.dumps(records[0], ensure_ascii=False), 500)])
        return f"{what} of {many}: {values_of(records[:ROWS])}"

    def of_json(path, size, text, cut):
        if cut and size > 16 << 20:
            return "JSON, too large to be looked at whole; it begins:\n" + short(text, 800)
        if cut:
            with open(path, encoding="utf-8-sig", errors="replace") as file:
                text = file.read()
        value = json.loads(text)
        if isinstance(value, list):
            return of_records(value, plural(len(value), "element"), "JSON: a list")
        if isinstance(value, dict):
            lines = [f"JSON: an object with {plural(len(value), 'member')}"]
            for key, v in list(value.items())[:COLUMNS]:
                if isinstance(v, list) and v and all(isinstance(r, dict) for r in v):
                    lines.append(f"- {short(key, 60)}: " + of_records(v, plural(len(v), "element"), "a list").replace("\n", "\n  "))
                else:
                    lines.append(f"- {short(key, 60)}: " + (f"list of {plural(len(v), 'element')}: {values_of(v)}" if isinstance(v, list) else values_of([v])))
            return "\n".join(lines)
        return "JSON: " + short(text, 500)

    def of_jsonl(path, size, text, cut):
        lines = [line for line in text.splitlines() if line.strip()]
        if cut:
            lines.pop()
        records = [json.loads(line) for line in lines[:ROWS]]
        part = cut or len(lines) > ROWS
        counted = lines_in(path, size) if part else len(lines)
        many = f"more than {plural(len(records), 'line')}" if counted is None else plural(counted, "line")
        return of_records(records, many + sampled(part, len(records)), "JSON lines")

    def of_workbook(path):
        import zipfile
        from xml.etree import ElementTree

        book = zipfile.ZipFile(path)

        def part(name, most=32 << 20):
            with book.open(name) as file:
                data = file.read(most + 1)
            return (data if len(data) <= most else None), data

        def tag(e):
            return e.tag.rpartition("}")[2]

        names = set(book.namelist())
        strings, dated = [], set()
        if "xl/sharedStrings.xml" in names and (data := part("xl/sharedStrings.xml")[0]):
            for _, e in ElementTree.iterparse(io.BytesIO(data)):
                if tag(e) == "si":
                    strings.append("".join(t.text or "" for t in e.iter() if tag(t) == "t"))
                    e.clear()
        if "xl/styles.xml" in names and (data := part("xl/styles.xml", 4 << 20)[0]):
            root = ElementTree.fromstring(data)
            own = {f.get("numFmtId"): re.sub(r'"[^"]*"|\[[^\]]*\]', "", f.get("formatCode") or "") for f in root.iter() if tag(f) == "numFmt"}
            for xfs in root:
                if tag(xfs) == "cellXfs":
                    for i, xf in enumerate(xfs):
                        n = xf.get("numFmtId") or "0"
                        if n in own and re.search(r"[ymdh]", own[n].lower()) or n.isdigit() and (14 <= int(n) <= 22 or 45 <= int(n) <= 47):
                            dated.add(str(i))
        links = {}
        if data := part("xl/_rels/workbook.xml.rels", 4 << 20)[0]:
            links = {r.get("Id"): r.get("Target") or "" for r in ElementTree.fromstring(data)}
        sheets = []
        for e in ElementTree.fromstring(part("xl/workbook.xml", 4 << 20)[1]).iter():
            if tag(e) == "sheet":
                target = next((links.get(v, "") for k, v in e.attrib.items() if k.endswith("}id")), "")
                sheets.append((e.get("name") or "", target.lstrip("/") if target.startswith("/") else "xl/" + target))
        lines = [f"workbook with {plural(len(sheets), 'sheet')}"]
        for name, member in sheets[:12]:
            if member not in names:
                continue
            whole, data = part(member)
            rows, cells, more = [], 0, whole is None
            try:
                for _, e in ElementTree.iterparse(io.BytesIO(data)):
                    if tag(e) != "row":
                        continue
                    row = []
                    for c in e:
                        at = 0
                        for letter in re.match(r"[A-Z]*", c.get("r") or "")[0]:
                            at = at * 26 + ord(letter) - 64
                        if at > 1000:
                            continue
                        row.extend([None] * (at - 1 - len(row)))
                        text = next((x.text for x in c if tag(x) == "v"), None)
                        if c.get("t") == "inlineStr":
                            value = "".join(x.text or "" for x in c.iter() if tag(x) == "t")
                        elif c.get("t") == "s":
                            value = strings[int(text)] if text and text.isdigit() and int(text) < len(strings) else None
                        elif c.get("t") == "b":
                            value = text == "1"
                        else:
                            value = text
                            if text and c.get("s") in dated and number(text) is not None:
                                import datetime

                                value = str(datetime.datetime(1899, 12, 30) + datetime.timedelta(days=min(float(text), 2_900_000))).removesuffix(" 00:00:00")
                        row.append(value)
                    e.clear()
                    cells += len(row)
                    if any(v is not None for v in row):
                        rows.append(row)
                    if len(rows) > ROWS or cells > CELLS:
                        more = True
                        break
            except ElementTree.ParseError:
                more = True
            if not rows:
                lines.append(f"sheet {short(name, 60)!r}: empty")
                continue
            head, rows = [v if v is not None else "" for v in rows[0]], rows[1:]
            count = ("more than " if more else "") + plural(len(rows), "row")
            lines.append(f"sheet {short(name, 60)!r}: {count} below the first, {plural(len(head), 'column')}")
            lines += columns_of(head, rows)
        return "\n".join(lines)

    def of_parquet(path):
        try:
            import pyarrow.parquet as pq
        except ImportError:
            try:
                import duckdb
            except ImportError:
                return "Parquet; no package that is installed here reads it"
            with duckdb.connect() as db:
                n = db.execute("select count(*) from read_parquet(?)", [path]).fetchone()[0]
                got = db.execute(f"select * from read_parquet(?) limit {ROWS}", [path])
                names, rows = [c[0] for c in got.description], got.fetchall()
        else:
            file = pq.ParquetFile(path)
            n = file.metadata.num_rows
            batch = next(file.iter_batches(batch_size=min(ROWS, max(1, CELLS // max(1, file.metadata.num_columns)))), None)
            names = file.schema_arrow.names
            rows = [] if batch is None else list(zip(*(c.to_pylist() for c in batch.columns)))
        return "\n".join([f"Parquet, {plural(n, 'row')}, {plural(len(names), 'column')}{sampled(len(rows) < n, len(rows))}", *columns_of(names, rows)])

    def of_database(path):
        import sqlite3
        from urllib.parse import quote

        db = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
        lines = []
        try:
            tables = [row[0] for row in db.execute("select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name limit 31")]
            for name in tables[:30]:
                quoted = '"' + name.replace('"', '""') + '"'
                names = [f"{c[1]} {c[2]}".strip() for c in db.execute(f"pragma table_info({quoted})")]
                n = db.execute(f"select count(*) from (select 1 from {quoted} limit 1000001)").fetchone()[0]
                lines.append(f"- {short(name, 60)}: {'more than a million rows' if n > 10**6 else plural(n, 'row')}; {short(', '.join(names), 400)}")
        finally:
            db.close()
        return "\n".join([f"SQLite database with {plural(len(tables), 'table') if len(tables) <= 30 else 'more than 30 tables'}", *lines])

    def of_pdf(path, size):
        for name in ("pypdf", "PyPDF2", "pymupdf", "fitz"):
            try:
                module = __import__(name)
            except ImportError:
                continue
            if hasattr(module, "PdfReader"):
                book = module.PdfReader(path)
                n, text = len(book.pages), book.pages[0].extract_text() if len(book.pages) else ""
            else:
                book = module.open(path)
                n, text = len(book), book[0].get_text() if len(book) else ""
            return f"PDF with {plural(n, 'page')}" + (f"; the first one begins:\n{short(text, 600)}" if text and text.strip() else "; the first one has no text")
        if size > COUNTED:
            return "PDF"
        with open(path, "rb") as file:
            n = len(re.findall(rb"/Type\s*/Page(?![a-zA-Z])", file.read(COUNTED)))
        return f"PDF with {plural(n, 'page')}; no package that is installed here reads its text" if n else "PDF; no package that is installed here reads it"

    def of_picture(data):
        if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
            return "PNG", *struct.unpack(">II", data[16:24])
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return "GIF", *struct.unpack("<HH", data[6:10])
        if data[:2] == b"BM" and len(data) >= 26:
            width, height = struct.unpack("<ii", data[18:26])
            return "BMP", width, abs(height)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            if data[12:16] == b"VP8X" and len(data) >= 30:
                return "WebP", 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
            return "WebP", 0, 0
        if data[:2] == b"\xff\xd8":
            at = 2
            while at + 9 < len(data) and data[at] == 0xFF:
                if 0xC0 <= data[at + 1] <= 0xCF and data[at + 1] not in (0xC4, 0xC8, 0xCC):
                    height, width = struct.unpack(">HH", data[at + 5 : at + 9])
                    return "JPEG", width, height
                at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
            return "JPEG", 0, 0
        return None

    def look(path):
        size = os.path.getsize(path)
        if size == 0:
            return "", "is empty"
        with open(path, "rb") as file:
            data = file.read(HEAD)
        cut = size > len(data)
        ending = os.path.splitext(path)[1].lower()
        picture = of_picture(data)
        if picture is not None:
            kind, width, height = picture
            return f"picture, {kind}" + (f", {width} × {height} pixels" if width else ""), ""
        if data.startswith(b"%PDF-"):
            return of_pdf(path, size), ""
        if data.startswith(b"PAR1"):
            return of_parquet(path), ""
        if data.startswith(b"SQLite format 3\0"):
            return of_database(path), ""
        if data.startswith(b"PK\x03\x04"):
            import zipfile

            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
            if "xl/workbook.xml" in names:
                return of_workbook(path), ""
            return f"ZIP archive with {plural(len(names), 'entry').replace('entrys', 'entries')}: {short(', '.join(names[:20]), 500)}", ""
        text, encoding, note = decoded(data, cut)
        if text is None:
            return "", "is not text"
        tabular = {".csv": None, ".tsv": "\t", ".tab": "\t", ".psv": "|"}
        if ending in tabular:
            found = of_table(path, size, text, encoding, cut, tabular[ending])
            if found:
                return found, note
        if ending in (".jsonl", ".ndjson"):
            return of_jsonl(path, size, text, cut), note
        if ending in (".json", ".geojson", ".ipynb") or text.lstrip()[:1] in ("{", "[") and ending == "":
            return of_json(path, size, text, cut), note
        lines = lines_in(path, size)
        head = [short(line, 300) for line in text.splitlines()[:6]]
        return "\n".join([f"text in {encoding}" + (f", {plural(lines, 'line')}" if lines is not None else ""), "It begins:", *head]), note

    out = []
    for path in paths:
        try:
            found, note = look(path)
        except Exception as exc:
            found, note = f"it could not be looked at: {type(exc).__name__}: {short(exc, 200)}", ""
        if len(found) > TEXT:
            found = found[:TEXT].rpartition("\n")[0] + "\n…"
        out.append({"path": path, "text": found, "note": note})
    sys.path[:] = usual
    display({"application/vnd.praxis.profile+json": json.dumps(out)}, raw=True)
