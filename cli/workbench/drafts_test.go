package workbench

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
)

// TestDraftsAreSeparatePerDatabase checks that the unsent texts of each database have a folder of their own (C41).
func TestDraftsAreSeparatePerDatabase(t *testing.T) {
	dir := t.TempDir()
	folder := func(db string) string {
		t.Helper()
		a := command.New(t.Context(), process.Env{
			In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Dir: dir, Now: time.Now, NewID: uuid.NewString,
			Getenv: func(name string) string { return map[string]string{"HOME": dir}[name] },
		}, nil)
		defer a.Close() //nolint:errcheck // the folder is removed
		a.Flags.DB, a.Creates = db, true
		if _, err := a.Database(t.Context()); err != nil {
			t.Fatal(err)
		}
		name, err := draftsFolder(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	one, two := folder("one.db"), folder("two.db")
	if all := filepath.Join(dir, ".local", "state", "toolcrib", "drafts"); filepath.Dir(one) != all || filepath.Dir(two) != all || one == two {
		t.Errorf("the texts are in %s and %s", one, two)
	}
	if again := folder("one.db"); again != one {
		t.Errorf("the texts moved from %s to %s", one, again)
	}
}
