package main

import (
	"fmt"
	"os"
	"os/exec"
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

// machine says when and on what was measured.
func machine() string {
	return fmt.Sprintf("Measured %s on %s/%s with %d processors, %s", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

// render returns the table of whole processes.
func render(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n", machine(), engine())
	b.WriteString("| operation | size | toolcrib | peer | | ratio | command |\n| --- | ---: | ---: | --- | ---: | ---: | --- |\n")
	for _, r := range rows {
		peer, theirs, ratio := "", "", ""
		if r.theirs > 0 {
			peer, theirs, ratio = r.peer, fmt.Sprintf("%.1f ms", ms(r.theirs)), fmt.Sprintf("%.2f", float64(r.ours)/float64(r.theirs))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | `%s` |\n", r.operation, r.size, r.cost(), peer, theirs, ratio, strings.ReplaceAll(r.shown, "|", `\|`))
	}
	return b.String()
}

// renderInside returns the table of what happens inside a process.
func renderInside(figures []figure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; medians of %d runs.\n\n| operation | size | figure | command |\n| --- | ---: | ---: | --- |\n", machine(), repeats)
	for _, f := range figures {
		fmt.Fprintf(&b, "| %s | %s | %s | `go test -run '^$' -bench '%s' ./%s` |\n", f.operation, f.size, short(f.median), f.benchmark, f.folder)
	}
	return b.String()
}

// engine names the sqlite3 that the peers use.
func engine() string {
	out, err := exec.Command("sqlite3", "--version").Output() //nolint:noctx // a moment
	if err != nil {
		return "no sqlite3"
	}
	version, _, _ := strings.Cut(string(out), " ")
	return "sqlite3 " + version
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
