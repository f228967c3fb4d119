// The versions and revisions that the current revision can be compared with.

package proposal

import (
	"strconv"

	"toolcrib/history/diff"
	"toolcrib/proposals/facts"
	"toolcrib/review"
)

// base is a version or an earlier revision that the current revision is compared with.
type base struct {
	name    string
	version int // 0 for a revision
	content diff.Content
	tests   []byte // examples and test cases of the revision, comparable to those in content
}

// newSubject is the name of the base if the subject has no version yet.
const newSubject = "new"

// bases are the versions and revisions to compare with, of which one is chosen. The base of the draft comes first.
type bases struct {
	all []base
	at  int
}

// update replaces the bases by those of a dossier and keeps the choice, as far as possible.
func (b *bases) update(d review.Dossier) {
	first := base{name: facts.Against(d.Proposal.BaseVersion), version: d.Proposal.BaseVersion}
	if first.version == 0 {
		first.name = newSubject
	}
	if d.Base != nil {
		first.content.Definition = *d.Base
	}
	first.content.Beside, first.tests = d.Tests()
	b.all = append(b.all[:0:0], first)
	if d.Live != nil && d.Live.Version != first.version {
		b.all = append(b.all, base{name: "live, version " + strconv.Itoa(d.Live.Version), version: d.Live.Version, content: diff.Content{Definition: d.Live.Definition}})
	}
	for i := len(d.Revisions) - 1; i >= 0; i-- {
		if r := d.Revisions[i]; r.Number != d.Proposal.Revision {
			b.all = append(b.all, base{"revision " + strconv.Itoa(r.Number), 0, diff.Content{Definition: r.Draft.Definition, Beside: r.Draft.Beside()}, d.Revision.Draft.Beside()})
		}
	}
	b.at = min(b.at, len(b.all)-1)
}

// chosen returns the chosen base.
func (b *bases) chosen() base { return b.all[b.at] }

// isDraftBase reports whether the base of the draft is chosen. Only its diff has to be read.
func (b *bases) isDraftBase() bool { return b.at == 0 }

// next chooses the next base. It returns false if there is no other one.
func (b *bases) next() bool {
	b.at = (b.at + 1) % len(b.all)
	return len(b.all) > 1
}
