package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestDraftsAreSeparatePerDatabase opens two databases after an earlier version of toolcrib stored the unsent texts of all
// databases in one folder. Each must find its own texts in a separate folder (C41).
func TestDraftsAreSeparatePerDatabase(t *testing.T) {
	shortrun.OneGoroutine(t)
	dir := t.TempDir()
	demo, err := filepath.Abs("../testdata/demo/word_counts.json")
	if err != nil {
		t.Fatal(err)
	}
	run := func(in string, args ...string) string {
		t.Helper()
		out, code := runDialogue(t, dir, in, map[string]string{"TERM": "dumb"}, args...)
		if code != 0 {
			t.Fatalf("%q ends with %d: %s", args, code, out)
		}
		return out
	}
	folder := filepath.Join(dir, ".local", "state", "toolcrib", "drafts")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	uuid := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	names := map[string]string{}
	for _, db := range []string{"one.db", "two.db"} {
		run("", "propose", demo, "--as", "agent:drafter", "--db", db)
		names[db] = "reject-" + uuid.FindString(run("", "list", "--json", "--db", db)) + ".txt"
		if err := os.WriteFile(filepath.Join(folder, names[db]), []byte("Only for "+db), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, db := range []string{"one.db", "two.db"} {
		run("quit\n", "--accessible", "--db", db)
		if kept, err := filepath.Glob(filepath.Join(folder, "*", names[db])); err != nil || len(kept) != 1 {
			t.Errorf("%s: its draft is in %v, %v", db, kept, err)
		}
	}
	both, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(both) != 2 {
		t.Errorf("the folder has %v, %v; want a folder for each database", both, err)
	}
	for _, one := range both {
		if info, err := os.Stat(one); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: %v, %v", one, info.Mode(), err)
		}
	}
}
