package overlap

import (
	"sync"

	"toolcrib/registry"
)

// Fingerprint has the words of a tool for comparisons, so that a tool that is
// compared with many others is read once. It may be used by several goroutines.
type Fingerprint struct {
	text, purpose Set
	sketches      func() (text, purpose Sketch)
}

// NewFingerprint returns the fingerprint of t. It takes time linear in the length
// of its texts.
func NewFingerprint(t registry.Tool) *Fingerprint {
	f := &Fingerprint{text: TextOf(t), purpose: PurposeOf(t)}
	f.sketches = sync.OnceValues(func() (Sketch, Sketch) { return f.text.Sketch(), f.purpose.Sketch() })
	return f
}

// Text compares the texts of f and other exactly, Purpose their purposes. Both
// take time linear in the number of their words, and are meant for the matches of
// Index.Scan and for the core tools, of which there are few.
func (f *Fingerprint) Text(other *Fingerprint) Similarity { return similarity(f.text, other.text) }

// Purpose compares the purposes of f and other exactly; see Text.
func (f *Fingerprint) Purpose(other *Fingerprint) Similarity {
	return similarity(f.purpose, other.purpose)
}

// Sketches returns the sketches of the text and of the purpose.
func (f *Fingerprint) Sketches() (text, purpose Sketch) { return f.sketches() }
