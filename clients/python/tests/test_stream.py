"""Server-sent events, also from servers that are cut off or lie, and the errors of a client."""

import random
import unittest
from email.message import Message as Headers

from praxis_client import ExhaustedError, InternalError, NotFoundError, PraxisError, Stream, UnavailableError
from praxis_client._errors import from_answer
from praxis_client._http import Http, default_key, segment
from praxis_client._stream import Message, parse


def read(*chunks: bytes, most: int = 1000) -> list[tuple[str, str, str]]:
    return [(m.name, m.data, m.id) for m in parse(chunks, most)]


class Parse(unittest.TestCase):
    whole = b"\xef\xbb\xbf: hello\r\nid: 1\r\nevent: output\r\ndata: {\"a\":\rdata:\xe2\x82\xac}\n\n\rdata\n\nid: 2\nid: 3\x004\nretry: 5\nnonsense\nevent: x\ndata: y\n\ndata: cut"
    wanted = [("output", '{"a":\n€}', "1"), ("message", "", ""), ("x", "y", "2")]

    def test_pieces(self) -> None:
        self.assertEqual(read(self.whole), self.wanted)
        for size in range(1, 12):  # wherever a piece ends
            chunks = [self.whole[i : i + size] for i in range(0, len(self.whole), size)]
            self.assertEqual(read(*chunks, b""), self.wanted, size)

    def test_endless(self) -> None:
        for endless in ([b"x" * 100] * 100, [b"data: x\n"] * 1000, [b"data\n"] * 2000):
            with self.assertRaises(InternalError):
                read(*endless)
        self.assertEqual(read(*[b": still there\n\n"] * 1000), [])  # many lines are not a long one

    def test_nonsense(self) -> None:
        seeded = random.Random(7)
        for _ in range(300):
            data = bytes(seeded.choice(b"\r\n:\0 adeintv\xff\xe2") for _ in range(200))
            at = seeded.randrange(len(data))
            self.assertEqual(read(data), read(data[:at], data[at:]))


class Pieces:
    def __init__(self, *chunks: bytes, error: Exception | None = None) -> None:
        self._chunks, self._error = chunks, error

    def chunks(self):
        yield from self._chunks
        if self._error:
            raise self._error

    def close(self) -> None:
        pass


def event(number: int) -> bytes:
    return b'id: %d\nevent: output\ndata: {"stream":"stdout","text":"%d"}\n\n' % (number, number)


END = b'event: end\ndata: {"id":"x"}\n\n'


class Following(unittest.TestCase):
    def stream(self, *answers, resume: bool = True) -> Stream:
        self.asked: list[int] = []
        left = list(answers)

        def connect(after: int) -> Pieces:
            self.asked.append(after)
            answer = left.pop(0) if left else UnavailableError("gone")
            if isinstance(answer, Exception):
                raise answer
            return answer

        return Stream(connect, resume=resume, pause=lambda seconds: None)

    def test_goes_on(self) -> None:
        s = self.stream(
            Pieces(event(1), event(2)[:20], error=UnavailableError("reset")),
            UnavailableError("refused"),
            ExhaustedError("slow down"),
            Pieces(event(1), event(2), b'event: lost\ndata: {"events":3}\n\n', event(6)),  # the first again: it is known
            Pieces(END),
        )
        self.assertEqual([(e.name, e.id) for e in s], [("output", 1), ("output", 2), ("lost", None), ("output", 6)])
        self.assertEqual(self.asked, [0, 1, 1, 1, 6])
        self.assertEqual(s.result, {"id": "x"})

    def test_gives_up(self) -> None:
        s = self.stream(Pieces(event(1)))
        with self.assertRaises(UnavailableError):
            s.wait()
        self.assertEqual(len(self.asked), 9)
        with self.assertRaises(PraxisError):
            _ = s.result

    def test_one_connection(self) -> None:
        s = self.stream(Pieces(event(1)), Pieces(END), resume=False)
        with self.assertRaises(UnavailableError):
            s.wait()
        self.assertEqual(self.asked, [0])

    def test_refused(self) -> None:
        with self.assertRaises(NotFoundError):
            self.stream(NotFoundError("no such run")).wait()

    def test_no_json(self) -> None:
        with self.assertRaises(InternalError):
            self.stream(Pieces(b"event: output\ndata: {\n\n")).wait()

    def test_left(self) -> None:
        left: list[str] = []
        with self.stream(Pieces(event(1), event(2))).refine(lambda r: r, lambda: left.append("left")) as s:
            next(s)
        self.assertEqual(left, ["left"])
        for _ in self.stream(Pieces(event(1), event(2))).refine(lambda r: r, lambda: left.append("broke off")):
            break
        self.assertEqual(left, ["left", "broke off"])
        with self.stream(Pieces(event(1), END)).refine(lambda r: r["id"], lambda: left.append("never")) as s:
            self.assertEqual(s.wait(), "x")
        self.assertEqual(len(left), 2)


class Requests(unittest.TestCase):
    def test_errors(self) -> None:
        headers = Headers()
        headers["Retry-After"], headers["X-Request-Id"] = "2", "R"
        e = from_answer(404, headers, b'{"kind":"not_found","code":"c","detail":"cannot find it","remedy":"Look.","data":{"a":"b"}}')
        self.assertIsInstance(e, NotFoundError)
        self.assertEqual((e.kind, e.code, e.remedy, e.data, e.status, e.request_id, e.retry_after), ("not_found", "c", "Look.", {"a": "b"}, 404, "R", 2.0))
        self.assertEqual(str(e), "cannot find it. Look.")
        for body in (b"<html>", b"[]", b'{"kind":5,"detail":[],"data":7}', b""):
            self.assertIsInstance(from_answer(502, Headers(), body), UnavailableError)
        self.assertEqual(from_answer(418, Headers(), b'{"kind":"later"}').kind, "later")

    def test_names_are_no_paths(self) -> None:
        for name in ("", ".", ".."):
            with self.assertRaises(ValueError):
                segment(name)
        self.assertEqual(segment("../a b"), "..%2Fa%20b")

    def test_addresses(self) -> None:
        for server in ("127.0.0.1:1", "ftp://h", "http://", "http://user:word@h", "http://h?x"):
            with self.assertRaises(ValueError) as raised:
                Http(server, "", None, None)
            self.assertNotIn("word", str(raised.exception))
        with self.assertRaises(ValueError) as raised:
            Http("http://h", "secret\r\nX: y", None, None)
        self.assertNotIn("secret", str(raised.exception))
        with self.assertRaises(UnavailableError):
            Http("http://127.0.0.1:1", "", None, None).call("GET", "/")

    def test_key_of_this_machine_alone(self) -> None:
        self.assertEqual(default_key("https://praxis.example", {"PRAXIS_KEY": " k\n"}), "k")
        self.assertEqual(default_key("https://praxis.example", {"PRAXIS_HOME": "/"}), "")


if __name__ == "__main__":
    unittest.main()
