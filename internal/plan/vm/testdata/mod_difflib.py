import difflib, random
pairs = [("", ""), ("abc", ""), ("", "abc"), ("private volatile", "private Thread volatile"), ("qabxcd", "abycdf"), ("abcdbcd", "bcd"), ("tide", "diet"), ([1, 2, 3, 4], [1, 3, 4, 5])]
random.seed(3)
for i in range(40):
    pairs.append(("".join(random.choices("abc ", k=random.randrange(30))), "".join(random.choices("abc ", k=random.randrange(30)))))
pairs.append(("".join(random.choices("abcdefgh", k=150)), "".join(random.choices("abcdefgh" + "xyz" * 2, k=260))))
for a, b in pairs:
    for auto in (True, False):
        s = difflib.SequenceMatcher(None, a, b, auto)
        print(s.ratio(), [tuple(m) for m in s.get_matching_blocks()], s.get_opcodes(), s.find_longest_match())
s = difflib.SequenceMatcher(a="abcd", b="bcde", autojunk=False)
print(s.ratio(), s.get_matching_blocks()[0], s.find_longest_match(0, 2, 0, 2))
---
import difflib
words = ["ape", "apple", "peach", "puppy", "appel", "able"]
print(difflib.get_close_matches("appel", words), difflib.get_close_matches("wheel", words), difflib.get_close_matches("apple", words, n=1), difflib.get_close_matches("apple", words, cutoff=0.3), difflib.get_close_matches("x", []))
for f in (lambda: difflib.get_close_matches("a", [], n=0), lambda: difflib.get_close_matches("a", [], cutoff=2)):
    try:
        f()
    except ValueError as e:
        print(e)
a = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n".splitlines(True)
b = "one\n2\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\nnew\neleven\n".splitlines(True)
for x, y in ((a, b), (b, a), (a, a), ([], a), (a, []), ([], []), (["x"], ["y"])):
    print("".join(difflib.unified_diff(x, y, "old", "new")), end="")
    print("".join(difflib.unified_diff(x, y, "old", "new", n=0)), end="")
print("\n".join(difflib.unified_diff(["a", "b"], ["a", "c"], lineterm="")))
