package guarding_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/guarding"
	"toolcrib/proposals"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// countingReader counts the proposals that are loaded with their content.
type countingReader struct {
	review.Reader
	read *int
}

func (r countingReader) Bundles(ctx context.Context, ids []proposals.ID) ([]review.Bundle, error) {
	*r.read += len(ids)
	return r.Reader.Bundles(ctx, ids)
}

// TestReadSkipsOthers checks that only proposals about a server's tools are loaded (P10).
func TestReadSkipsOthers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crowd.db")
	crowd := storetest.Dataset{Tools: 5, Waiting: 50, Rules: "x"}
	if err := crowd.Fill(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), file, store.Options{Now: time.Now, NewID: func() string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it only reads
	read := 0
	_, err = guarding.Read(t.Context(), nil, guarding.Store{
		View: func(ctx context.Context, fn func(guarding.Reader) error) error {
			return db.View(ctx, func(r review.Reader) error { return fn(countingReader{r, &read}) })
		},
		Calls:    func(context.Context, gateway.CallQuery) ([]gateway.Call, error) { return nil, nil },
		Pending:  func(context.Context, gateway.PendingQuery) ([]gateway.Pending, error) { return nil, nil },
		Imported: func(context.Context) ([]string, error) { return []string{"library", "unread"}, nil },
		LeftOut:  func(context.Context, string) ([]wire.Skipped, error) { return nil, nil },
	})
	if err != nil || read > 0 {
		t.Errorf("%d proposals were read, %v", read, err)
	}
}
