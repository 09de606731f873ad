package demo

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
)

// TestData checks that the figures are whole: every year once, in order, in a
// range that the air has been in.
func TestData(t *testing.T) {
	r := csv.NewReader(bytes.NewReader(Data))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "year,mean,uncertainty" {
		t.Errorf("header is %q", got)
	}
	for i, row := range rows[1:] {
		if want := strconv.Itoa(1959 + i); row[0] != want {
			t.Errorf("row %d is of %s, want %s", i, row[0], want)
		}
		if ppm, err := strconv.ParseFloat(row[1], 64); err != nil || ppm < 315 || ppm > 425 {
			t.Errorf("%s: mean is %q", row[0], row[1])
		}
	}
	if got := len(rows) - 1; got != 2024-1959+1 {
		t.Errorf("there are %d years, want 66", got)
	}
	if !bytes.HasPrefix(Data, []byte("# ")) || !strings.Contains(string(Data), "NOAA") {
		t.Error("the file does not name its source")
	}
}
