package tui_test

import (
	"context"
	"fmt"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
	"toolcrib/store/catalog"
)

// TestTheSourceIsShown checks S6: parts of the imported JSON that are not in the definition are completely shown in
// the diff, so that an approval waits until they were on screen.
func TestTheSourceIsShown(t *testing.T) {
	shortrun.OneGoroutine(t)
	b := newWorkbench(t, 100, 40, func(b *workbench) {
		b.imports("", `{"tools":[{"name":"find_docs","title":"Find docs","description":"Searches.","inputSchema":{"type":"object"},
			"annotations":{"title":"Find docs at the harbour"},"_meta":{"vendor":"Somebody\u200b else"}}]}`)
	})
	b.press("enter", "tab")
	b.press("G").wants("source:annotations.title", "Find docs at the harbour", "source:_meta.vendor", "Somebody⟨U+200B⟩ else")
}

// imports proposes the tools in a list as those of the server s, in a change set.
func (b *workbench) imports(set, list string) {
	b.t.Helper()
	doc, err := wire.Decode([]byte(list))
	if err != nil {
		b.t.Fatal(err)
	}
	imported := catalog.Import{ID: fmt.Sprintf("01990000-0000-7000-8000-%012x", []byte(set + "source")[:6]), At: b.now(), Actor: mara.String(), Format: "mcp", Label: "s", Hash: doc.Items[0].Hash()}
	for _, it := range doc.Items {
		imported.Tools = append(imported.Tools, catalog.Raw{Hash: it.Hash(), Body: it.Raw})
	}
	if err := b.db.KeepImport(context.Background(), imported); err != nil {
		b.t.Fatal(err)
	}
	for _, s := range intake.Plan(doc, intake.Origin{Label: "s", Server: true, Layer: registry.LayerUser, Set: set}, intake.Live{}) {
		b.propose(*s.Draft)
	}
}
