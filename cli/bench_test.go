package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli"
	"toolcrib/cli/process"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// BenchmarkMain measures a complete command without the start of its process: it creates the command tree, reads the
// configuration, and opens and closes the database. It profiles the overhead of commands.
func BenchmarkMain(b *testing.B) {
	crowd := filepath.Join(b.TempDir(), "crowd.db")
	desk, err := service.New(nil, review.Policy{}, time.Now, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := (storetest.Dataset{Tools: 100, Waiting: 1000, Rules: desk.RulesVersion()}).Fill(b.Context(), crowd); err != nil {
		b.Fatal(err)
	}
	image, err := os.ReadFile(crowd)
	if err != nil {
		b.Fatal(err)
	}
	ids := strings.Fields(toolcrib(b, crowd, "list", "--state", "user_review", "--limit", "1000"))
	waiting := ids[:0]
	for _, field := range ids {
		if _, err := uuid.Parse(field); err == nil {
			waiting = append(waiting, field)
		}
	}
	for name, args := range map[string][]string{"help": {"--help"}, "list": {"list", "--limit", "50"}, "show": {"show", waiting[0]}, "diff": {"diff", waiting[0]}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				toolcrib(b, crowd, args...)
			}
		})
	}
	b.Run("approve", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if n %= len(waiting); n == 0 { // at the start, and when all are approved
				b.StopTimer()
				if err := os.WriteFile(crowd, image, 0o600); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			toolcrib(b, crowd, "--approve", waiting[n])
		}
	})
}

// toolcrib runs a command on a database and returns its output.
func toolcrib(b *testing.B, path string, args ...string) string {
	b.Helper()
	var out bytes.Buffer
	env := process.Env{
		Args: append(args, "--db", path), In: strings.NewReader(""), Out: &out, Err: io.Discard, Getenv: func(string) string { return "" }, Dir: filepath.Dir(path),
		Now: time.Now, NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}
	if code := cli.Main(context.WithoutCancel(b.Context()), env); code != 0 {
		b.Fatalf("toolcrib %v: exit status %d", args, code)
	}
	return out.String()
}
