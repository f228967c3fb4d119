// This file determines the possible bases of a comparison. A base is a version or an earlier revision that can
// be compared with the current revision.

package proposal

import (
	"strconv"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/seen"
)

// base is a version or an earlier revision that can be compared with the current revision.
type base struct {
	name          string
	version       int          // 0 for a revision
	before, after diff.Content // content of the base, and the part of the current revision to compare with it
}

// newSubject is the name of the base of a proposal for a new subject, which has no versions.
const newSubject = "new"

// hasField reports whether the definition of the base contains the field at path.
func (b base) hasField(path string) bool {
	if path == "" || strings.HasPrefix(path, wire.SourcePath) {
		return false
	}
	doc, err := jsondoc.Parse(b.before.Definition.Canonical(), jsondoc.DefaultLimits)
	return err == nil && doc.Find(path) != nil
}

// bases contains the possible bases of a comparison. all[0] is the base of the draft, and all[at] is the
// chosen base.
type bases struct {
	all      []base
	at       int
	whole    bool   // compare whole texts, not only the changes and the lines around them
	revision int    // number of the current revision
	hash     string // hash of everything that the current revision contributes to the diff
}

// update replaces the bases by those of d. The chosen base stays the same, unless the revision has changed.
func (b *bases) update(d review.Dossier, hash string) {
	definition := d.Revision.Draft.Definition
	first := base{name: d.BaseName(), version: d.Proposal.BaseVersion, after: diff.Content{Definition: definition}}
	if first.version == 0 {
		first.name = newSubject
	}
	if d.Base != nil {
		first.before.Definition = *d.Base
	}
	first.before.Beside, first.after.Beside = d.Tests()
	b.all = append(b.all[:0:0], first)
	if d.Live != nil && d.Live.Refused == nil && d.Live.Version != first.version {
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

// isDraftBase reports whether the base of the draft is chosen. Before an approval, the user must read only the
// diff against this base.
func (b *bases) isDraftBase() bool { return b.at == 0 }

// next chooses the next base. It returns false if no other base exists.
func (b *bases) next() bool {
	b.at = (b.at + 1) % len(b.all)
	return len(b.all) > 1
}

// comparison identifies the comparison of the current revision with the chosen base.
func (b *bases) comparison() seen.Comparison {
	c := seen.Comparison{From: b.chosen().name, New: b.hash, Revision: b.revision, Context: difflist.DefaultContext}
	if b.whole {
		c.Context = difflist.WholeText
	}
	return c
}
