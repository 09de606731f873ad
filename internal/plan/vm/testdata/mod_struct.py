import struct
for f in ["<I", ">hH", "=bBxq", "!Q", "@bi", "bq", "3s2x2h", "?c", "<f", ">d", "2d3f", "lL", "<lL", "0s", "", "< i 2h"]:
    print(f, struct.calcsize(f))
print(struct.pack("<IhBq", 1, -2, 255, -2**40), struct.pack(">d", 3.14), struct.pack("!4sH", b"abcdef", 7), struct.pack("@bi?c", 1, 2, True, b"z"))
for x in [0.0, -0.0, 1.0, -1.5, 0.1, 1e-320, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), 2**-1074, 2.2250738585072014e-308, 123456789.125]:
    print(x, struct.pack("<d", x), struct.unpack("<d", struct.pack("<d", x))[0] == x)
for x in [0.0, 1.0, -0.1, 1e-45, 1.4e-45, 3.4028234e38, 1e-40, float("inf"), 1.17549435e-38, 2**-149 * 1.5]:
    print(x, struct.pack("<f", x), struct.unpack("<f", struct.pack("<f", x)))
print(struct.unpack("<d", struct.pack("<d", float("nan"))), struct.unpack(">IhBq", struct.pack(">IhBq", 1, -2, 255, -2**40)), struct.unpack("<3s", struct.pack("<3s", b"a")))
---
import struct
for f in (lambda: struct.pack("<B", 256), lambda: struct.pack("<b", -129), lambda: struct.pack("<I", "x"), lambda: struct.pack("<I", 1.5), lambda: struct.pack("<I"), lambda: struct.pack("<z", 1), lambda: struct.unpack("<I", b"abc"), lambda: struct.pack("c", b"ab"), lambda: struct.pack("4s", "abc"), lambda: struct.pack("<f", 1e40), lambda: struct.pack("<d", "x"), lambda: struct.calcsize("3")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
