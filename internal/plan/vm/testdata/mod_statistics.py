# means
import statistics as st
from fractions import Fraction as F
from decimal import Decimal as D
for data in ([1, 2, 3, 4], [1, 2, 3, 5], [1.5, 2.5, 3.25], [0.1] * 10, [1e100, 1, -1e100], [F(1, 3), F(2, 3)], [D('0.5'), D('0.75')], [1, 2.5], [F(1, 2), 0.5], [1, D('2')], (5,), [True, False, True], range(10), [float('inf'), 1], [float('nan')]):
    print(st.mean(data), st.fmean(data), type(st.mean(data)).__name__)
print(st.mean({1: 2, 3: 4}), st.mean(iter([1, 2])))
---
# medians and modes
import statistics as st
print(st.median([3, 1, 2]), st.median([4, 1, 3, 2]), st.median([1.5]))
print(st.mode([1, 1, 2, 3]), st.mode('abracadabra'), st.mode([1, 2]), st.multimode('aabbbbccddddeeffffgg'), st.multimode([]), st.multimode([3]))
print(st.quantiles([1, 2, 3, 4, 5]), st.quantiles([105, 129, 87, 86, 111, 111, 89, 81, 108, 92, 110], n=10), st.quantiles([1, 2, 3, 4], n=4, method='inclusive'), st.quantiles([7], n=3), st.quantiles(range(100), n=5))
---
# spread
import statistics as st
from fractions import Fraction as F
from decimal import Decimal as D
for data in ([1, 2, 3, 4], [1.5, 2.5, 2.5, 2.75, 3.25, 4.75], [27.5, 30.25, 30.25, 34.5, 41.75], [F(1, 6), F(1, 2), F(5, 3)], [D('27.5'), D('30.25'), D('41.75')], [5, 5, 5], [1e-200, 2e-200], [1e200, 3e200], [1, 2.5, 10**20]):
    print(st.variance(data), st.pvariance(data), st.stdev(data), st.pstdev(data))
print(st.pstdev([4]), st.variance([float('inf'), 1]))
---
# errors
import statistics as st
def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
for f in (st.mean, st.fmean, st.median, st.mode, st.variance, st.pvariance, st.stdev, st.pstdev, st.quantiles):
    tell(lambda: f([]))
tell(lambda: st.mean(['a']))
tell(lambda: st.mean('ab'))
tell(lambda: st.mean(5))
tell(lambda: st.stdev([1]))
tell(lambda: st.quantiles([1, 2], n=0))
tell(lambda: st.quantiles([1, 2], method='x'))
print(issubclass(st.StatisticsError, ValueError))
---
# generated
import statistics as st
n = 29
def draw(k):
    global n
    n = (n * 6364136223846793005 + 1442695040888963407) % 2 ** 64
    return (n >> 33) % k
for i in range(120):
    size = 2 + draw(30)
    a = [draw(2000) / (1 + draw(50)) - 20 for _ in range(size)]
    b = [draw(1000) for _ in range(size)]
    print(st.mean(a), st.mean(b), st.fmean(a), st.median(a), st.stdev(a), st.pstdev(b), st.variance(b), st.pvariance(a), st.quantiles(a, n=1 + draw(7)), st.mode(b))
