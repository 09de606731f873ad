import unittest

from average import mean


class TestMean(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, 2, 3]), 2)

    def test_no_values(self):
        self.assertEqual(mean([]), 0)
