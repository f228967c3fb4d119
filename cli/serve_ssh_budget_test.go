package cli_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// templates that have no end, or print without measure, over the log of a new
// database.
var endless = map[string]string{
	"loops":      `{{range .events}}` + strings.Repeat(`{{range $.events}}`, 40) + strings.Repeat(`{{end}}`, 41),
	"widths":     `{{range .events}}{{range $.events}}{{printf "%1000000d" 1}}{{end}}{{end}}`,
	"verbs":      `{{printf "` + strings.Repeat(`%999d`, 9000) + `" 1}}`,
	"doubling":   `{{$x := "aaaaaaaaaaaaaaaa"}}{{range .events}}{{$x = print $x $x}}{{end}}`,
	"escaping":   `{{$x := "<<<<<<<<<<<<<<<<"}}{{range .events}}{{$x = js $x}}{{end}}`,
	"documents":  `{{range .events}}{{range $.events}}{{json $}}{{end}}{{end}}`,
	"output":     `{{range .events}}{{range $.events}}{{range $.events}}{{range $.events}}` + strings.Repeat("a", 1000) + `{{end}}{{end}}{{end}}{{end}}`,
	"recursion":  `{{define "x"}}{{template "x"}}{{template "x"}}{{end}}{{template "x"}}`,
	"branches":   endlessCalls(30),
	"star":       `{{printf "%*d" 100000000 1}}`,
	"quoted doc": `{{printf "` + strings.Repeat(`%[1]q`, 9000) + `" $}}`,
}

// endlessCalls is a chain of templates, each of which includes the next one twice.
func endlessCalls(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{{define "x%d"}}{{template "x%d"}}{{template "x%[2]d"}}{{end}}`, i, i+1)
	}
	fmt.Fprintf(&b, `{{define "x%d"}}{{end}}{{template "x0"}}`, n)
	return b.String()
}

// TestSSHTemplatesAreBounded prints through templates that have no end or no measure:
// each ends by itself, and the process takes no memory for it (S17).
func TestSSHTemplatesAreBounded(t *testing.T) {
	shortrun.OneGoroutine(t)
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // GOGC may let garbage grow to a multiple
	h := serveSSH(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var asked sync.WaitGroup
	room := make(chan struct{}, 8) // a key may have ten sessions, and those of one user take turns
	for name, template := range endless {
		client := h.dial("mara")
		room <- struct{}{}
		asked.Go(func() {
			defer func() { <-room }()
			a := h.ask(client, "", "log --limit 200 --template '"+template+"'")
			if a.code != 2 && name != "verbs" || len(a.out) > 16<<20 {
				t.Errorf("%s: exit status %d, %d bytes: %.300s", name, a.code, len(a.out), a.errs)
			}
		})
	}
	asked.Wait()
	runtime.ReadMemStats(&after)
	if more := int64(after.Sys) - int64(before.Sys); more > 1<<30 {
		t.Errorf("the process has %d MiB more", more>>20)
	}
	h.wants(h.as("mara", "", `log --limit 1 --template '{{range .events}}{{printf "%-8s" .act}}{{end}}'`), 0)
}
