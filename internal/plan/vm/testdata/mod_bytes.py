import base64
for b in (b"", b"a", b"ab", b"abc", b"hello world", bytes(range(256))):
    e = base64.b64encode(b)
    print(e, base64.b64decode(e) == b, base64.urlsafe_b64encode(b))
print(base64.b64decode("aGk="), base64.b64decode("aG k=\n"), base64.urlsafe_b64decode(b"-_-_"), base64.b64decode(b"aGk=", validate=True))
for s in ("a", "ab", "abc", "abcde"):
    try:
        base64.b64decode(s)
    except ValueError as e:
        print(type(e).__name__, e)
for f in (lambda: base64.b64encode("x"), lambda: base64.b64decode(5), lambda: base64.b64decode("é")):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
---
import hashlib
print(hashlib.sha256(b"abc").hexdigest(), hashlib.md5(b"").hexdigest(), hashlib.sha1(b"x").digest(), hashlib.sha512(b"q").hexdigest()[:16])
h = hashlib.sha256()
h.update(b"a")
h.update(b"bc")
print(h.hexdigest() == hashlib.sha256(b"abc").hexdigest(), h.name, h.digest_size, hashlib.new("sha1", b"x").hexdigest())
try:
    hashlib.sha256("abc")
except TypeError as e:
    print(e)
---
import html
print(html.escape("<a href='x'>&\"</a>"), html.escape("'\"", quote=False), html.unescape("&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39; &eacute; &#x41; &nbsp;|"))
