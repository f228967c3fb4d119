package overlap

import (
	"sync"

	"toolcrib/registry"
)

// Portrait is a tool as it is compared: a tool that is held against many others
// is read once. It may be used by several goroutines.
type Portrait struct {
	text, purpose Set
	sketches      func() (text, purpose Sketch)
}

// NewPortrait returns the portrait of t. It takes time linear in the length of
// its texts.
func NewPortrait(t registry.Tool) *Portrait {
	p := &Portrait{text: TextOf(t), purpose: PurposeOf(t)}
	p.sketches = sync.OnceValues(func() (Sketch, Sketch) { return p.text.Sketch(), p.purpose.Sketch() })
	return p
}

// Text says exactly how alike the texts of p and q are, Purpose what they are
// for. Both take time linear in the number of their words, and are meant for
// what Index.Scan names and for the core tools, of which there are few.
func (p *Portrait) Text(q *Portrait) Degree { return degree(p.text, q.text) }

// Purpose says exactly how alike the purposes of p and q are; see Text.
func (p *Portrait) Purpose(q *Portrait) Degree { return degree(p.purpose, q.purpose) }

// Sketches returns the sketches of the text and of the purpose.
func (p *Portrait) Sketches() (text, purpose Sketch) { return p.sketches() }
