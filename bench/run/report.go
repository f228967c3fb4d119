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
)

// render returns the tables.
func render(rows []row, size int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured %s on %s/%s with %d processors, %s, %s. The program has %.1f MB.\n\n",
		time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), engine(), float64(size)/1e6)
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

// engine names the sqlite3 that the peers use.
func engine() string {
	out, err := exec.Command("sqlite3", "--version").Output() //nolint:noctx // a moment
	if err != nil {
		return "no sqlite3"
	}
	version, _, _ := strings.Cut(string(out), " ")
	return "sqlite3 " + version
}

// replace puts the report between the marks of a file.
func replace(name, report string) error {
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
