package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/internal/shortrun"
	"toolcrib/store/catalog"
	"toolcrib/store/session"
)

func TestRawBytesAreKept(t *testing.T) {
	shortrun.OneGoroutine(t)
	ctx := context.Background()
	db, err := Open(ctx, filepath.Join(t.TempDir(), "test.db"), Options{
		Now:   func() time.Time { return time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC) },
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()                                                                //nolint:errcheck // nothing is written any more
	const hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // hash of {} in canonical form
	for i, body := range []string{"{ }", "{}"} {
		err := db.KeepImport(ctx, catalog.Import{ID: uuid.Must(uuid.NewV7()).String(), Actor: "user:a", Format: "mcp", Label: "x", Hash: hash, Tools: []catalog.Raw{{Hash: hash, Body: []byte(body)}}})
		if err != nil {
			t.Fatalf("import %d: %v", i+1, err)
		}
	}
	body, ok, err := db.Raw(ctx, hash)
	if err != nil || !ok || string(body) != "{ }" {
		t.Errorf("kept %q, %t, %v", body, ok, err)
	}
	if _, ok, err := db.Raw(ctx, "b"); ok || err != nil {
		t.Errorf("found what was never kept: %v", err)
	}
	for _, statement := range []string{
		"UPDATE raws SET body = 'x'", "DELETE FROM raws", "INSERT OR REPLACE INTO raws (hash, body) VALUES ('" + hash + "', x'00')",
		"UPDATE imports SET label = 'y'", "DELETE FROM imports",
	} {
		err := db.pool.Update(ctx, func(s *session.Session) error {
			_, err := s.Exec(ctx, statement)
			return err
		})
		if err == nil {
			t.Errorf("%s was not refused", statement)
		}
	}
}
