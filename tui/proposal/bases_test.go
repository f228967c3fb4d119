package proposal

import (
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// TestBases chooses one base after another, and keeps the choice when the proposal is read again.
func TestBases(t *testing.T) {
	d := review.Dossier{
		Proposal:  proposals.Proposal{Revision: 2, BaseVersion: 3},
		Live:      &registry.Live{Version: 4},
		Revisions: []proposals.Revision{{Number: 1}, {Number: 2}},
	}
	var b bases
	b.update(d)
	want := []base{{name: "version 3", version: 3}, {name: "live, version 4", version: 4}, {name: "revision 1"}, {name: "version 3", version: 3}}
	for i, w := range want {
		if got := b.chosen(); got.name != w.name || got.version != w.version || b.isDraftBase() != (w.version == 3) {
			t.Errorf("base %d is %q (version %d), want %q (version %d)", i, got.name, got.version, w.name, w.version)
		}
		b.next()
	}
	b.next()
	if b.update(d); b.chosen().name != "revision 1" {
		t.Errorf("after an update, %q is chosen", b.chosen().name)
	}
	d.Revisions = d.Revisions[1:]
	if b.update(d); b.chosen().name != "live, version 4" {
		t.Errorf("without the revision, %q is chosen", b.chosen().name)
	}
	d.Live, d.Proposal.BaseVersion = nil, 0
	if b.update(d); b.chosen().name != newSubject || b.next() {
		t.Errorf("a new subject is compared with %q", b.chosen().name)
	}
}
