// This file lists the versions and revisions with which the current revision can be compared.

package proposal

import (
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/proposals/facts"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/seen"
)

// base is a version or an earlier revision with which the current revision is compared.
type base struct {
	name          string
	version       int          // 0 for a revision
	before, after diff.Content // content of the base, and the comparable part of the current revision
}

// newSubject is the name of the base if the subject has no version.
const newSubject = "new"

// hasField reports whether the definition of the base contains the field at path.
func (b base) hasField(path string) bool {
	if path == "" || strings.HasPrefix(path, wire.SourcePath) {
		return false
	}
	doc, err := jsondoc.Parse(b.before.Definition.Canonical(), jsondoc.DefaultLimits)
	return err == nil && doc.Find(path) != nil
}

// bases lists the versions and revisions with which the current revision can be compared. all[at] is the chosen
// base. The base of the draft comes first.
type bases struct {
	all      []base
	at       int
	whole    bool   // compares whole texts instead of only changes and their context
	revision int    // the current revision
	hash     string // hash of everything that the diff of the current revision shows
}

// update replaces the bases by the bases of d. It keeps the chosen base if d has the same revision as before.
func (b *bases) update(d review.Dossier, hash string) {
	definition := d.Revision.Draft.Definition
	first := base{name: facts.Against(d.Proposal.BaseVersion), version: d.Proposal.BaseVersion, after: diff.Content{Definition: definition}}
	if first.version == 0 {
		first.name = newSubject
	}
	if d.Base != nil {
		first.before.Definition = *d.Base
	}
	first.before.Beside, first.after.Beside = d.Tests()
	b.all = append(b.all[:0:0], first)
	if d.Live != nil && d.Live.Version != first.version {
		b.all = append(b.all, base{"live, version " + strconv.Itoa(d.Live.Version), d.Live.Version, diff.Content{Definition: d.Live.Definition}, diff.Content{Definition: definition}})
	}
	for i := len(d.Revisions) - 1; i >= 0; i-- {
		if r := d.Revisions[i]; r.Number != d.Proposal.Revision {
			b.all = append(b.all, base{"revision " + strconv.Itoa(r.Number), 0, diff.Content{Definition: r.Draft.Definition, Beside: r.Draft.Beside()}, diff.Content{Definition: definition, Beside: d.Revision.Draft.Beside()}})
		}
	}
	if b.revision != d.Revision.Number {
		b.at = 0
	}
	b.at, b.revision, b.hash = min(b.at, len(b.all)-1), d.Revision.Number, hash
}

// chosen returns the chosen base.
func (b *bases) chosen() base { return b.all[b.at] }

// isDraftBase reports whether the base of the draft is chosen. Only the diff against this base must be read before
// an approval.
func (b *bases) isDraftBase() bool { return b.at == 0 }

// next chooses the next base. It returns false if there is only one base.
func (b *bases) next() bool {
	b.at = (b.at + 1) % len(b.all)
	return len(b.all) > 1
}

// comparison returns a key that identifies the comparison of the current revision with the chosen base.
func (b *bases) comparison() seen.Comparison {
	c := seen.Comparison{From: b.chosen().name, New: b.hash, Revision: b.revision, Context: difflist.DefaultContext}
	if b.whole {
		c.Context = difflist.WholeText
	}
	return c
}
