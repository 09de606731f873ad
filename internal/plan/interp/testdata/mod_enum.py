from enum import *
def tr(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class C(Enum):
    R=1
    G=2
    B=1
tr(lambda: C(5)); tr(lambda: C['X']); tr(lambda: C.X)
def s(): C.R=3
tr(s)
def s(): C.Z=3
tr(s); print(C.Z)
def s(): del C.R
tr(s)
def s(): C.R.value=3
tr(s)
def s(): C.R.name=3
tr(s)
def s(): C.R.foo=3
tr(s)
def s():
    class D(C): X=4
tr(s)
def s():
    class D(Enum):
        A=1
        A=2
tr(s)
def s():
    @unique
    class D(Enum):
        A=1
        B=1
        E=1
tr(s)
print(C, repr(C), C.R, repr(C.B), list(C), C.__members__, len(C), 1 in C, C.R in C, 7 in C,'R' in C)
class F(Flag):
    A=auto();B=auto();C=4
    AB=A|B
print(F.A|F.C, repr(F.A|F.C), repr(F.AB), F.AB, list(F), F(0), repr(F(0)), ~F.A, list(F.AB), F.A in F.AB, len(F.AB), bool(F(0)))
tr(lambda: F(8)); tr(lambda:F(-1)); tr(lambda:F('x')); tr(lambda: F.A|1); tr(lambda: F.A|'s')
class I(IntFlag):
    A=1;B=2
print(I.A|I.B, repr(I.A|8), I(8), repr(I(0)), I.A+1, repr(I.A|2), ~I.A, repr(~I.A), f"{I.A}", repr(I.A&5))
class N(IntEnum):
    A=1;B=auto()
print(N.A, repr(N.A), N.A+1, f"{N.A:>3}", f"{N.B}", N.A<N.B, N(1), str(N.A), "%d %s"%(N.A,N.A))
class S(StrEnum):
    AA=auto();B='x'
print(S.AA, repr(S.AA), S.AA=='aa', f"{S.B:>3}", S.B.upper(), '|'.join(S))
tr(lambda: C.R<C.G)
tr(lambda: C())
tr(lambda: C(1,2,3))
tr(lambda: C.R())
def s():
    class T(StrEnum): A=1
tr(s)
print(Enum('Q','a b c'), list(Enum('Q',['x','y'])), list(Enum('Q',{'x':3})), list(IntEnum('Q','a b',start=5)))
class P(Enum):
    E=(1,2.5); M=(3,4)
    def __init__(self,a,b): self.a=a;self.b=b
    @property
    def s(self): return self.a+self.b
print(P.E.s,P((1,2.5)),repr(P.E))
tr(lambda: hash(C.R)==hash('R'))
class St(str,Enum):
    A='a'
print(St.A, repr(St.A), f"{St.A}", St.A=='a', St('a'), St.A.value, "%s"%St.A, format(St.A))
print(C.R.R, dir(C)[:3], C.__name__, C.R.__class__, type(C), isinstance(C.R,C), C.R is C(1), C.R==1, N.A==1)
print(F.A.name, (F.A|F.C).name, F(0).name, F.AB.value, I(8).name, I(9).name)
tr(lambda: F.A < F.B)
tr(lambda: F.A + 1)
class E0(Enum): pass
tr(lambda: E0(1))
print(F.A ^ F.AB, F.A & F.B, F.__members__, Flag, EnumType, auto())
class SS(Enum):
    @classmethod
    def _missing_(cls, v): return cls.X if v=='d' else None
    X='x'
print(SS('d')); tr(lambda: SS('q'))
class Bad(Enum):
    @classmethod
    def _missing_(cls, v): return 5
    X='x'
tr(lambda: Bad('q'))
