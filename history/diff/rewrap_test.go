package diff_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/history/diff"
)

// wrap breaks words into lines of at most width bytes.
func wrap(words []string, width int) string {
	var b strings.Builder
	at := 0
	for i, w := range words {
		switch {
		case i == 0:
		case at+1+len(w) > width:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(w)
		at += len(w)
	}
	return b.String() + "\n"
}

// marked returns the words inside and outside of the spans of one side.
func marked(h diff.Hunk, kind diff.Kind) (in, out []string) {
	var inside, outside strings.Builder
	for _, l := range h.Lines {
		if l.Kind != kind && l.Kind != diff.Context {
			continue
		}
		at := 0
		if l.Kind == kind && l.Pair < 0 && !l.Rewrapped {
			inside.WriteString(l.Text + "\n")
			continue
		}
		for _, s := range l.Spans {
			outside.WriteString(l.Text[at:s.Start])
			inside.WriteString(l.Text[s.Start:s.End] + " ")
			at = s.End
		}
		outside.WriteString(l.Text[at:] + "\n")
	}
	return strings.Fields(inside.String()), strings.Fields(outside.String())
}

// TestRewrapped inserts words into paragraphs, wraps the lines again, and checks
// that few other words are marked.
func TestRewrapped(t *testing.T) {
	r := random(6)
	inserted, shown := 0, 0
	for range 300 {
		old := paragraph(r, 40+r.IntN(200))
		new := slices.Clone(old)
		for range 1 + r.IntN(3) {
			add := paragraph(r, 1+r.IntN(3))
			new = slices.Insert(new, r.IntN(len(new)), add...)
			inserted += len(add)
		}
		p := valid(t, wrap(old, 72), wrap(new, 72))
		h := p.Unified(-1)[0].Words()
		lost, kept := marked(h, diff.Delete)
		gained, same := marked(h, diff.Insert)
		if !slices.Equal(kept, same) {
			t.Fatalf("outside the spans:\n%q\n%q", kept, same)
		}
		shown += len(lost) + len(gained)
	}
	if shown > inserted*3/2 {
		t.Errorf("%d words inserted, %d marked", inserted, shown)
	}
}

// paragraph returns n words, most of which occur once.
func paragraph(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		b := make([]byte, 2+r.IntN(7))
		for j := range b {
			b[j] = byte('a' + r.IntN(26))
		}
		out[i] = string(b)
	}
	return out
}
