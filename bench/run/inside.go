package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// inside is an operation inside a process that a Go benchmark measures.
type inside struct {
	operation, size string
	folder          string // of the package, from the top of the checkout
	benchmark       string // with its parts, as -bench takes them
	unit            string // of the metric; "" for ns/op
}

// insides lists what the second table holds.
func insides() []inside {
	var list []inside
	for _, size := range []string{"100", "10000", "100000"} {
		for _, q := range []struct{ operation, part string }{
			{"propose", "Propose"},
			{"approve", "Approve"},
			{"approve 1,000 together", "Approve1000"},
			{"show one", "Show"},
			{"list, a page of 50", "List_first_page"},
			{"list, by a rare word", "List_filter_rare"},
			{"list, by a common word", "List_filter_all"},
			{"list, by two letters", "List_short"},
		} {
			list = append(list, inside{q.operation, size, "store", "BenchmarkQueue/" + size + "/" + q.part, ""})
		}
	}
	return append(list, []inside{
		{"a whole command: list", "100", "cli", "BenchmarkMain/list", ""},
		{"a whole command: show", "100", "cli", "BenchmarkMain/show", ""},
		{"a whole command: approve", "100", "cli", "BenchmarkMain/approve", ""},
		{"verify", "1,000 tools", "store", "BenchmarkVerify", ""},
		{"what is alike, found again", "100,000 tools", "store", "BenchmarkAlike/warm", ""},
		{"what is alike, in a new process", "100,000 tools", "store", "BenchmarkAlike/cold", ""},
		{"diff, one line edited", "2.5 MB", "history/diff", "BenchmarkLines/prose,_1_line_edited", ""},
		{"diff, 30 % edited", "2.5 MB", "history/diff", "BenchmarkLines/prose,_30_%_edited", ""},
		{"rules over a prompt", "10 KB", "review/rules", "BenchmarkRules/10KB/prompt/all", ""},
		{"rules over a prompt", "1 MB", "review/rules", "BenchmarkRules/1MB/prompt/all", ""},
		{"rules over a description", "1 MB", "review/rules", "BenchmarkRules/1MB/description/all", ""},
		{"five channels", "1,000 tools", "prompt", "BenchmarkFiveChannels1000Tools", ""},
		{"tokens, the first count of a process", "", "prompt/tokens", "BenchmarkFirst", ""},
		{"a key in the diff, 200×60", "1 MB", "tui", "BenchmarkKeyIn1MB/down", ""},
		{"a page down in the diff, 200×60", "1 MB", "tui", "BenchmarkKeyIn1MB/page", ""},
		{"the next hit of a search, 200×60", "1 MB", "tui", "BenchmarkKeyIn1MB/search", ""},
		{"a call through every gate, median", "", "gateway", "BenchmarkExecute/plain", "µs/median"},
	}...)
}

// figure is a line of the second table.
type figure struct {
	inside

	median time.Duration
}

func (f figure) String() string {
	return fmt.Sprintf("%-42s %-14s %s", f.operation, f.size, short(f.median))
}

// repeats is how often each benchmark is run; the figure is the median.
const repeats = 5

// insideAProcess runs the benchmarks, those of one top-level benchmark at
// once, because what they fill a database with is shared.
func (b bench) insideAProcess(ctx context.Context) ([]figure, error) {
	list := slices.DeleteFunc(insides(), func(i inside) bool { return !strings.Contains(i.operation, b.only) })
	results := map[string]map[string][]float64{} // by folder and top-level benchmark
	var figures []figure
	for _, i := range list {
		top, _, _ := strings.Cut(i.benchmark, "/")
		key := i.folder + " " + top
		if results[key] == nil {
			out, err := runBenchmark(ctx, i.folder, pattern(list, i.folder, top))
			if err != nil {
				return nil, err
			}
			results[key] = metrics(out)
		}
		unit := i.unit
		if unit == "" {
			unit = "ns/op"
		}
		values := results[key][i.benchmark+" "+unit]
		if len(values) == 0 {
			return nil, fmt.Errorf("%s in %s gave no %s", i.benchmark, i.folder, unit)
		}
		slices.Sort(values)
		took := time.Duration(values[len(values)/2])
		if i.unit == "µs/median" {
			took *= time.Microsecond
		}
		figures = append(figures, figure{i, took})
		fmt.Fprintln(os.Stderr, figures[len(figures)-1])
	}
	return figures, nil
}

// pattern returns the -bench expression for those of the list that belong to a
// top-level benchmark: part by part, what any of them has there.
func pattern(list []inside, folder, top string) string {
	var parts [][]string
	for _, i := range list {
		names := strings.Split(i.benchmark, "/")
		if i.folder != folder || names[0] != top {
			continue
		}
		for n, name := range names {
			if n == len(parts) {
				parts = append(parts, nil)
			}
			if !slices.Contains(parts[n], name) {
				parts[n] = append(parts[n], name)
			}
		}
	}
	exprs := make([]string, len(parts))
	for n, names := range parts {
		exprs[n] = "^(" + strings.Join(names, "|") + ")$"
	}
	return strings.Join(exprs, "/")
}

func runBenchmark(ctx context.Context, folder, expr string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", expr, "-benchtime", "200ms", "-count", strconv.Itoa(repeats), "-timeout", "1h", "./"+folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go test -bench '%s' ./%s: %w\n%.2000s", expr, folder, err, out)
	}
	return out, nil
}

// metrics reads what go test printed: the values by benchmark and unit, such
// as "BenchmarkQueue/100/Show ns/op"
// (https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md).
func metrics(out []byte) map[string][]float64 {
	values := map[string][]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := fields[0]
		if i := strings.LastIndexByte(name, '-'); i > 0 { // -N is the number of processors
			name = name[:i]
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				values[name+" "+fields[i+1]] = append(values[name+" "+fields[i+1]], v)
			}
		}
	}
	return values
}

// short writes a duration with two or three digits that count.
func short(d time.Duration) string {
	switch {
	case d >= 100*time.Millisecond:
		return fmt.Sprintf("%.0f ms", ms(d))
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", ms(d))
	case d >= 10*time.Microsecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	}
	return fmt.Sprintf("%.2f µs", float64(d)/float64(time.Microsecond))
}
