package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/overlap"
	"toolcrib/store"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
	"toolcrib/store/transfer"
)

// TestAlikeInNewSession looks for similar tools twice in a transaction of a new session. The first lookup, which loads the
// sketches, must return the same tools as the second, and all engines must agree.
func TestAlikeInNewSession(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	const tools = 700 // several complete blocks, and rows that are not in a block yet
	path := filepath.Join(t.TempDir(), "crowd.db")
	crowd := storetest.Dataset{Tools: tools}
	if err := crowd.Fill(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, path)
	db.Approved(t, db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()}), ada, storetest.Prompt("recent_tool"))
	paths := []string{path}
	if storetest.OnPostgres() {
		paths = append(paths, onServer(t, path))
	}
	found := 0
	for n := 0; n < tools; n += 41 {
		live := liveTool(t, db.DB, fmt.Sprintf("crowd_tool_%d", n))
		words := strings.Fields(live.Prompt)
		for _, keep := range []int{5, 3, 2, 1} { // of every five words, so that this many remain
			sought := live
			for i := range words {
				if i%5 >= keep {
					words[i] = fmt.Sprintf("word%d", i)
				}
			}
			sought.Prompt = strings.Join(words, " ")
			first := alikeTwice(t, path, sought)
			for _, other := range paths[1:] {
				if there := alikeTwice(t, other, sought); !reflect.DeepEqual(first, there) {
					t.Errorf("like %s are %d, and %d on a server, others or in another order", sought.ID, len(first), len(there))
				}
			}
			found += len(first)
		}
	}
	if found == 0 {
		t.Error("nothing was like anything: the test says nothing")
	}
}

// onServer copies the file at path into a new database on a server and returns its URL.
func onServer(t *testing.T, path string) string {
	t.Helper()
	c := pgtest.Shared(t)
	url := c.URL(pgtest.Superuser, c.New(t, ""))
	if _, err := transfer.Copy(t.Context(), path, url); err != nil {
		t.Fatal(err)
	}
	return url
}

// alikeTwice looks for similar tools twice, compares the results, and returns them.
func alikeTwice(t *testing.T, path string, sought registry.Tool) []registry.Live {
	t.Helper()
	fresh, err := store.Open(t.Context(), path, options())
	if err != nil {
		t.Fatal(err)
	}
	var first, again []registry.Live
	err = fresh.View(t.Context(), func(r review.Reader) error {
		var err1, err2 error
		first, err1 = r.Alike(t.Context(), overlap.NewFingerprint(sought))
		again, err2 = r.Alike(t.Context(), overlap.NewFingerprint(sought))
		return errors.Join(err1, err2)
	})
	if err := errors.Join(err, fresh.Close()); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first, again) {
		t.Errorf("like %s are %d at first and then %d, others or in another order", sought.ID, len(first), len(again))
	}
	return first
}

func liveTool(t *testing.T, db *store.DB, id string) registry.Tool {
	t.Helper()
	var live registry.Live
	err := db.View(t.Context(), func(r review.Reader) (err error) {
		live, err = r.Live(t.Context(), registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return *live.Definition.Tool
}
