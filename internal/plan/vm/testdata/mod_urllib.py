from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlencode, parse_qs, parse_qsl
for s in ["", "a b/c?d=e&f", "é€😀", "~._-", "100%", b"a\xff b", "a+b"]:
    print(quote(s), quote(s, safe=""), quote_plus(s), quote_plus(s, "/&"))
for s in ["", "a%20b", "%C3%A9%zz%4", "a+b%2B", "%ff", "%E2%82%ACx%41", "é%C3%A9", "%", "%%41"]:
    print(unquote(s), unquote_plus(s))
print(urlencode({"q": "a b", "n": 3, "é": "ü&"}), urlencode([("a", [1, 2]), ("b", "x")], doseq=True), urlencode({"a": [1]}), urlencode({}), urlencode({"a b": "c d"}, quote_via=quote))
for q in ["a=1&b=2&a=3", "a=&b", "a=1;b=2", "", "a+b=c%20d&=x", "a=1&&b=2"]:
    print(parse_qs(q), parse_qsl(q), parse_qsl(q, keep_blank_values=True))
---
import urllib.parse
for u in ["http://user:pw@Example.com:8080/a/b;p?q=1#frag", "//host/path", "path/only", "mailto:ann@x.org", "http://[::1]:80/", "HTTPS://H", "a:b", "", "http://h?q", "http://h#f", "/a;b/c;d", "1http://x", "  http://x/\n y", "file:///etc/x", "http:path", "tel:+49-1"]:
    p = urllib.parse.urlparse(u)
    s = urllib.parse.urlsplit(u)
    print(p, tuple(s), p.hostname, p.port, p.geturl(), s.geturl())
p = urllib.parse.urlparse("https://x.org/a?b=c")
print(p._replace(query="d=e", fragment="top").geturl(), p.netloc, p[1], urllib.parse.urlunparse(("http", "h", "p", "", "q", "")), urllib.parse.urlunsplit(("http", "h", "/p", "q", "f")))
for u in ["http://x:port/", "http://x:99999/"]:
    try:
        print(urllib.parse.urlparse(u).port)
    except ValueError as e:
        print(e)
