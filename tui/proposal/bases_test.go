package proposal

import (
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/seen"
)

// TestBases chooses one base after another, and keeps the choice when the proposal is read again.
func TestBases(t *testing.T) {
	d := review.Dossier{
		Proposal:  proposals.Proposal{Revision: 2, BaseVersion: 3},
		Base:      &registry.Definition{},
		Revision:  proposals.Revision{Number: 2},
		Live:      &registry.Live{Version: 4},
		Revisions: []proposals.Revision{{Number: 1}, {Number: 2}},
	}
	var b bases
	b.update(d, "")
	want := []base{{name: "version 3", version: 3}, {name: "live, version 4", version: 4}, {name: "revision 1"}, {name: "version 3", version: 3}}
	for i, w := range want {
		if got := b.chosen(); got.name != w.name || got.version != w.version || b.isDraftBase() != (w.version == 3) {
			t.Errorf("base %d is %q (version %d), want %q (version %d)", i, got.name, got.version, w.name, w.version)
		}
		b.next()
	}
	b.next()
	if b.update(d, ""); b.chosen().name != "revision 1" {
		t.Errorf("after an update, %q is chosen", b.chosen().name)
	}
	d.Revisions = d.Revisions[1:]
	if b.update(d, ""); b.chosen().name != "live, version 4" {
		t.Errorf("without the revision, %q is chosen", b.chosen().name)
	}
	d.Revision.Number = 3
	if b.update(d, ""); !b.isDraftBase() {
		t.Errorf("after a new revision, %q is chosen", b.chosen().name)
	}
	d.Live, d.Proposal.BaseVersion = nil, 0
	if b.update(d, ""); b.chosen().name != newSubject || b.next() {
		t.Errorf("a new subject is compared with %q", b.chosen().name)
	}
}

// TestComparison checks that the choice, the content, and the context identify a comparison, and that a base has the
// fields of its definition.
func TestComparison(t *testing.T) {
	d := review.Dossier{
		Proposal: proposals.Proposal{Revision: 2, BaseVersion: 3}, Base: &registry.Definition{}, Revision: proposals.Revision{Number: 2},
		Live: &registry.Live{Version: 4, Definition: registry.Definition{Tool: &registry.Tool{ID: "clock", Goals: "Tell the time."}}},
	}
	var b bases
	b.update(d, "content")
	if got, want := b.comparison(), (seen.Comparison{From: "version 3", New: "content", Revision: 2, Context: difflist.DefaultContext}); got != want {
		t.Errorf("the comparison is %+v, want %+v", got, want)
	}
	b.next()
	b.whole = true
	if got, want := b.comparison(), (seen.Comparison{From: "live, version 4", New: "content", Revision: 2, Context: difflist.WholeText}); got != want {
		t.Errorf("the comparison is %+v, want %+v", got, want)
	}
	for path, want := range map[string]bool{"goals": true, "prompt": false, "": false} {
		if b.chosen().hasField(path) != want {
			t.Errorf("version 4 has field %q: %v", path, !want)
		}
	}
}
