package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"praxis/event"
	"praxis/internal/guest"
	"praxis/internal/image"
	"praxis/internal/session"
)

// languageStarts takes the first result of a new JavaScript session and of a new Python
// session in turns, each restored from the template of its language.
func (b *bench) languageStarts(ctx context.Context, out map[string]Figure) error {
	names := []string{"python_start_ms", "js_start_ms", "js_start_ratio"}
	js, ok, err := b.imageOf(ctx, image.Request{Languages: []string{"javascript"}}, names)
	if !ok {
		return err
	}
	py, ok, err := b.imageOf(ctx, image.Request{}, names)
	if !ok {
		return err
	}
	start := func(img image.Image) (float64, error) {
		var s *session.Session
		took, err := clocked(func() (err error) {
			if s, err = b.Sessions.Create(ctx, session.Options{Image: img}, b.Sink); err != nil {
				return err
			}
			return eval(ctx, s, "1+1")
		})
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		return took, err
	}
	var times [2][]float64
	for round := range max(5, b.Rounds/2) + 1 {
		for i, img := range []image.Image{py, js} {
			took, err := start(img)
			if err != nil {
				return err
			}
			if round > 0 { // the first builds the templates
				times[i] = append(times[i], took)
			}
		}
	}
	out["js_start_ratio"] = ratio(times[1], times[0])
	out["python_start_ms"], out["js_start_ms"] = FigureOf(times[0]), FigureOf(times[1])
	return nil
}

// languageTrips takes the smallest execution of each language in one session, in turns.
func (b *bench) languageTrips(ctx context.Context, out map[string]Figure) error {
	codes := []struct{ name, lang, code string }{
		{"python_trip_us", "python", "1+1"}, {"js_trip_us", "javascript", "1+1"}, {"sql_trip_us", "sql", "select 1+1"}, {"bash_trip_us", "bash", "echo $((1+1))"},
	}
	names := []string{"js_trip_ratio"}
	for _, c := range codes {
		names = append(names, c.name)
	}
	img, ok, err := b.imageOf(ctx, image.Request{Languages: []string{"python", "javascript"}}, names)
	if !ok {
		return err
	}
	s, err := b.Sessions.Create(ctx, session.Options{Image: img}, b.Sink)
	if err != nil {
		return err
	}
	defer s.Close()
	times := make([][]float64, len(codes))
	var ratios []float64
	for round := range b.Rounds + 1 {
		for i, c := range codes {
			var trips []float64
			for range tripsARound {
				took, err := clocked(func() error { return evalIn(ctx, s, c.lang, c.code) })
				if err != nil {
					return err
				}
				trips = append(trips, took*1000)
			}
			if round > 0 { // the first starts the kernels
				times[i] = append(times[i], trips...)
			}
		}
		if round > 0 {
			last := func(i int) float64 { return FigureOf(times[i][len(times[i])-tripsARound:]).P50 }
			ratios = append(ratios, last(1)/last(0))
		}
	}
	for i, c := range codes {
		out[c.name] = FigureOf(times[i])
	}
	out["js_trip_ratio"] = FigureOf(ratios)
	return nil
}

// parquetRows is how many rows the table of sql_ratio has.
const parquetRows = 1_000_000

// makeParquet writes the table that SQL is asked about, with DuckDB.
const makeParquet = `
import duckdb, sys
duckdb.sql(f"copy (select i % 100 as region, i % 7 as kind, (i * 7919) % 10007 / 100 as amount from range(` + "{int(sys.argv[2])}" + `) t(i)) to '{sys.argv[1]}' (format parquet)")
`

// askParquet is the question; outside it prints its own times, so that no start-up is in them.
const askParquet = "select region, count(*) as n, sum(amount) as total, avg(amount) as mean from 'sales.parquet' where kind < 5 group by region order by total desc"

// sqlRatio asks a table of a million rows in a session, and with DuckDB on the host, in turns.
func (b *bench) sqlRatio(ctx context.Context, out map[string]Figure) error {
	names := []string{"sql_inside_ms", "sql_outside_ms", "sql_ratio"}
	img, ok, err := b.imageOf(ctx, image.Request{With: []string{"duckdb"}}, names)
	if !ok {
		return err
	}
	dir, err := os.MkdirTemp(b.Dir, "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	table := filepath.Join(dir, "sales.parquet")
	var failed tail
	if err := img.RunOutside(ctx, image.Outside{Args: []string{"-c", makeParquet, table, strconv.Itoa(parquetRows)}, Dir: dir, Err: &failed}); err != nil {
		return fmt.Errorf("%w: %s", err, &failed)
	}
	s, err := b.Sessions.Create(ctx, session.Options{Image: img}, b.Sink)
	if err != nil {
		return err
	}
	defer s.Close()
	data, err := os.Open(table)
	if err != nil {
		return err
	}
	defer data.Close()
	err = s.Use(ctx, func(c *guest.Client) error {
		_, err := c.WriteFile(ctx, "/work/sales.parquet", data, 0o644)
		return err
	})
	if err != nil {
		return err
	}
	if err := evalIn(ctx, s, "sql", askParquet); err != nil { // once, so that the engine is there
		return err
	}
	const timed = "import duckdb, time\nc = duckdb.connect()\nc.execute('set threads to %d')\nc.execute(%q).fetchall()\nfor _ in range(5):\n    t = time.perf_counter()\n    c.execute(%q).fetchall()\n    print(1000 * (time.perf_counter() - t))\n"
	var inside, outside []float64
	for range max(3, b.Rounds/5) {
		var printed tail
		program := fmt.Sprintf(timed, sessionThreads(s), askParquet, askParquet)
		if err := img.RunOutside(ctx, image.Outside{Args: []string{"-c", program}, Dir: dir, Out: &printed, Err: &failed}); err != nil {
			return fmt.Errorf("%w: %s", err, &failed)
		}
		native, err := numbers(printed.String())
		if err != nil {
			return err
		}
		var ours []float64
		for range len(native) {
			took, err := clocked(func() error { return evalIn(ctx, s, "sql", askParquet) })
			if err != nil {
				return err
			}
			ours = append(ours, took)
		}
		inside, outside = append(inside, FigureOf(ours).P50), append(outside, FigureOf(native).P50)
	}
	out["sql_ratio"] = ratio(inside, outside)
	out["sql_inside_ms"], out["sql_outside_ms"] = FigureOf(inside), FigureOf(outside)
	return nil
}

// sessionThreads is how many processors a session may use, as whole threads.
func sessionThreads(s *session.Session) int {
	return max(1, int(s.Options().Limits.WithDefaults().CPUs))
}

// imageOf resolves an image for figures, which are skipped when it cannot be had.
func (b *bench) imageOf(ctx context.Context, r image.Request, names []string) (img image.Image, ok bool, err error) {
	if b.ImageOf == nil {
		err = errors.New("there are no other images")
	} else {
		img, err = b.ImageOf(ctx, r)
	}
	if err == nil {
		return img, true, nil
	}
	if ctx.Err() != nil {
		return img, false, err
	}
	for _, name := range names {
		b.skipped[name] = err.Error()
	}
	return img, false, nil
}

// evalIn is eval for code of a language.
func evalIn(ctx context.Context, s *session.Session, lang, code string) error {
	out, err := s.Execute(ctx, code, session.Exec{Language: lang}, event.Discard)
	if err == nil && out.Status != event.OK {
		err = fmt.Errorf("%q ended as %s: %s %+v", code, out.Status, out.Message, out.Error)
	}
	return err
}
