package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// The marks in docs/performance.md between which the tables stand.
const (
	begin = "<!-- measured -->\n"
	end   = "<!-- end of what was measured -->\n"

	beginInside = "<!-- measured inside -->\n"
	endInside   = "<!-- end of what was measured inside -->\n"
)

// machine describes the machine and the time of a measurement.
func machine() string {
	return fmt.Sprintf("Measured %s on %s/%s with %d processors, %s", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

// render returns the table of whole processes.
func render(rows []row, size int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; the stripped program has %.1f MB.\n\n", machine(), float64(size)/1e6)
	b.WriteString("| operation | size | toolcrib | peer | | ratio | command |\n| --- | ---: | ---: | --- | ---: | ---: | --- |\n")
	for _, r := range rows {
		peer, theirs, ratio := "", "", ""
		if r.theirs > 0 {
			peer, theirs, ratio = r.peer, fmt.Sprintf("%.1f ms", ms(r.theirs)), fmt.Sprintf("%.2f", float64(r.ours)/float64(r.theirs))
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f ms | %s | %s | %s | `%s` |\n", r.operation, r.size, ms(r.ours), peer, theirs, ratio, strings.ReplaceAll(r.shown, "|", `\|`))
	}
	return b.String()
}

// The benchmarks of operations inside a process, and their summary.
const (
	packages  = "./cli ./gateway ./history/diff ./prompt ./prompt/tokens ./review/rules/ruleset ./store ./tui"
	named     = "^Benchmark(Main|Execute|Lines|FiveChannels1000Tools|First|Rules|Queue|Verify|Alike|KeyIn1MB)$"
	benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"
)

// meanOfAll is a line that sums up operations which have nothing in common.
var meanOfAll = regexp.MustCompile(`(?m)^geomean.*\n`)

// benchmarks runs the Go benchmarks and returns what benchstat says of them.
func benchmarks(ctx context.Context) (string, error) {
	args := append([]string{"test", "-run", "^$", "-bench", named, "-benchtime", "200ms", "-count", "6", "-timeout", "1h"}, strings.Fields(packages)...)
	ran := exec.CommandContext(ctx, "go", args...)
	ran.Stderr = os.Stderr
	out, err := ran.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%.2000s", strings.Join(args, " "), err, out)
	}
	stat := exec.CommandContext(ctx, "go", "run", benchstat, "-filter", ".unit:ns/op", "-ignore", "goos,goarch,cpu", "median=/dev/stdin")
	stat.Stdin, stat.Stderr = bytes.NewReader(out), os.Stderr
	table, err := stat.Output()
	if err != nil {
		return "", fmt.Errorf("benchstat: %w", err)
	}
	table = meanOfAll.ReplaceAll(table, nil)
	return fmt.Sprintf("%s; medians of six runs.\n\n```\n%s```\n", machine(), table), nil
}

// replace puts the report between two marks of a file.
func replace(name, begin, end, report string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no marks %q and %q", name, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(name, []byte(head+begin+"\n"+report+"\n"+end+tail), 0o644)
}
