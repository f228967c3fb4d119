package tui_test

import (
	"context"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
	"toolcrib/store"
)

// TestTheSourceIsShown is S6: what the imported JSON says beyond the definition
// is in the diff, whole, so that an approval waits until it was on the screen.
func TestTheSourceIsShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newBench(t, 100, 40, func(b *bench) {
		doc, err := wire.Decode([]byte(`{"tools":[{"name":"find_docs","title":"Find docs","description":"Searches.","inputSchema":{"type":"object"},
			"annotations":{"title":"Find docs at the harbour"},"_meta":{"vendor":"Somebody\u200b else"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		imported := store.Import{ID: "01990000-0000-7000-8000-00000000ffff", At: b.now(), Actor: mara.String(), Format: "mcp", Label: "s", Hash: doc.Items[0].Hash()}
		imported.Tools = []store.Raw{{Hash: doc.Items[0].Hash(), Body: doc.Items[0].Raw}}
		if err := b.db.KeepImport(context.Background(), imported); err != nil {
			t.Fatal(err)
		}
		steps := intake.Plan(doc, intake.Origin{Label: "s", Server: true, Layer: registry.LayerUser}, intake.Live{})
		b.propose(*steps[0].Draft)
	})
	b.press("enter", "tab")
	b.press("G").wants("source:annotations.title", "Find docs at the harbour", "source:_meta.vendor", "Somebody⟨U+200B⟩ else")
}
