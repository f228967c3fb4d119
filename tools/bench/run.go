package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"toolcrib/store/storetest"
)

// comparison has the settings that all measurements of run share.
type comparison struct {
	program // without a database

	lab   lab
	runs  int
	sizes []int
}

// prepareRun times toolcrib as whole processes on databases of growing size, compared with git and sqlite3 doing
// similar work in the same run, and then runs the Go benchmarks inside a process. Every value is the median of the
// runs, which alternate, so that other load affects all equally.
func prepareRun(flags *flag.FlagSet) func(context.Context, lab) error {
	c := &comparison{sizes: []int{10_000, 100_000}}
	flags.IntVar(&c.runs, "runs", 15, "how often each command is timed")
	flags.Func("sizes", "how many tools and proposals the databases hold (default 10000,100000)", c.setSizes)
	only := flags.String("only", "", "only operations whose name contains `TEXT`, and no benchmarks")
	write := flags.String("write", "", "put the tables into this `FILE`, between its marks")
	return func(ctx context.Context, l lab) (err error) {
		if c.program, err = l.program(ctx, "none.db"); err != nil {
			return err
		}
		c.lab = l
		whole, err := c.table(ctx, *only)
		if err != nil || *only != "" { // other rows keep their figures
			return err
		}
		inside, err := benchmarks(ctx)
		if err != nil {
			return err
		}
		fmt.Print("\n", inside)
		if *write == "" {
			return nil
		}
		return errors.Join(replace(*write, begin, end, whole), replace(*write, beginInside, endInside, inside))
	}
}

func (c *comparison) setSizes(list string) error {
	c.sizes = nil
	for field := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 100 {
			return fmt.Errorf("%q is no number from 100 on", field)
		}
		c.sizes = append(c.sizes, n)
	}
	return nil
}

// table measures the operations and prints and returns their table.
func (c *comparison) table(ctx context.Context, only string) (string, error) {
	info, err := os.Stat(c.path)
	if err != nil {
		return "", err
	}
	operations, err := c.operations(ctx)
	if err != nil {
		return "", err
	}
	var rows []row
	for _, op := range operations {
		if !strings.Contains(op.name, only) {
			continue
		}
		measured, err := c.measure(ctx, op)
		if err != nil {
			return "", fmt.Errorf("%s, %s: %w", op.name, op.size, err)
		}
		rows = append(rows, measured...)
	}
	table := render(rows, info.Size())
	fmt.Print(table)
	return table, nil
}

// contender performs an operation. The nth command of a run is prepared before the clock starts.
type contender struct {
	name    string
	shown   string // the command, as the table shows it
	command func(ctx context.Context, n int) (*exec.Cmd, error)
}

// operation is something that people do, at a size. The first contender is
// toolcrib.
type operation struct {
	name, size string
	runs       int // 0 for the usual number
	exit       int // the status that means success
	contenders []contender
}

// row is a line of the table.
type row struct {
	operation, size string
	ours            time.Duration
	peer, shown     string
	theirs          time.Duration // 0 without a peer
}

// measure lets the contenders of an operation take turns and returns a row for
// each peer, or one without.
func (c *comparison) measure(ctx context.Context, op operation) ([]row, error) {
	runs := op.runs
	if runs == 0 {
		runs = c.runs
	}
	took := make([]times, len(op.contenders))
	for n := -1; n < runs; n++ { // the first is to warm up
		for i, by := range op.contenders {
			cmd, err := by.command(ctx, n+1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", by.name, err)
			}
			one, err := clock(cmd, op.exit)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", by.name, err)
			}
			if n >= 0 {
				took[i] = append(took[i], one)
			}
		}
	}
	first := row{operation: op.name, size: op.size, ours: took[0].at(50), shown: op.contenders[0].shown}
	if len(op.contenders) == 1 {
		return []row{first}, nil
	}
	var rows []row
	for i, by := range op.contenders[1:] {
		r := first
		r.peer, r.theirs, r.shown = by.name, took[i+1].at(50), op.contenders[0].shown+" / "+by.shown
		rows = append(rows, r)
	}
	return rows, nil
}

// clock runs a command once and returns how long it took.
func clock(cmd *exec.Cmd, exit int) (time.Duration, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exit {
		return 0, fmt.Errorf("%s: %w\n%.2000s", strings.Join(cmd.Args, " "), err, out.String())
	}
	return took, nil
}

// measured is a database of toolcrib to be measured.
type measured struct {
	program

	runs int
	left []string // ids of proposals that can be approved
}

// waitingShare sets how many proposals wait for each ten tools.
const waitingShare = 5

// database makes a database with n tools.
func (c *comparison) database(ctx context.Context, n int) (*measured, error) {
	p, err := c.lab.program(ctx, fmt.Sprintf("tools-%d.db", n))
	if err != nil {
		return nil, err
	}
	m := &measured{program: p, runs: c.runs}
	if err := fill(ctx, p.database, storetest.Dataset{Tools: n, Waiting: max(n*waitingShare/10, 2*c.runs)}); err != nil {
		return nil, err
	}
	m.left, err = m.waiting(ctx)
	return m, err
}

// always returns a contender that runs the same command each time.
func (p program) always(args ...string) contender {
	return contender{"toolcrib", "toolcrib " + strings.Join(args, " "), func(ctx context.Context, _ int) (*exec.Cmd, error) { return p.command(ctx, args...), nil }}
}

// reading is a command with text on its standard input.
func reading(cmd *exec.Cmd, stdin string) *exec.Cmd {
	cmd.Stdin = strings.NewReader(stdin)
	return cmd
}

// Marks around the tables in docs/performance.md.
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
	packages  = "./cli ./gateway ./prompt ./prompt/tokens ./review/rules/ruleset ./store ./tui"
	named     = "^Benchmark(Main|Execute|FiveChannels1000Tools|First|Rules|Queue|Verify|Alike)$"
	benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"
)

// leftOut matches lines of the report to omit: means of unrelated operations, small queues, lists that are as fast as
// the first page, and short texts.
var leftOut = regexp.MustCompile(`(?m)^(geomean|Queue/100/|Queue/10000/|Queue/10/|Queue/100000/List_(short|filter_|s|a|last)|Rules/10KB/).*\n`)

// benchmarks runs the Go benchmarks and returns the output of benchstat.
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
	table = leftOut.ReplaceAll(table, nil)
	return fmt.Sprintf("%s; medians of six runs.\n\n```\n%s```\n", machine(), table), nil
}

// replace replaces the text between two marks of a file by the report.
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
