package rules

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/review/rules/scan/letters"
)

// TestSpelledParts checks that the addresses in the selected parts of a text are the same as in the
// whole text.
func TestSpelledParts(t *testing.T) {
	pieces := strings.Fields("evil example dot DOT [dot] (at) ( at ) [ . ] . , - _ ( ) < > e v i l x com 12 203 0 113 1,2 5 8 3405803785 0xCB00 0o31300 0123456712 AUDIT_URL A1_B2 $HOST " +
		"%HOST% {host} {{ host }} xn--e1a deadbeefcafe aGVsbG8sIHdvcmxk aGVsbG8= a_very_long_name-of-a-thing the server summary caf⟨E9⟩ ⟨E9⟩⟨09⟩ e⟨E9⟩ 1⟨E9⟩2 点 ドット punkt point internationalization “quoted” e.v.i.l a,b x-y")
	pieces = append(pieces, "- - - - -", "( ( ( (", " ", "\n", "\t ", letters.Fold("ドット"), letters.Fold("точка"))
	random := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		var b strings.Builder
		for range 2 + random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
			if random.IntN(4) > 0 {
				b.WriteByte(' ')
			}
		}
		text := b.String()
		parts := slices.Collect(spelledParts(text))
		for _, want := range spelledAddress().FindAllString(text, -1) {
			if !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, strings.TrimSpace(want)) }) {
				t.Fatalf("%q: %q is in none of %q", text, want, parts)
			}
		}
	}
}

// TestSpelledPartsOfProse checks that the expression does not have to read plain prose, even in a
// Latin-1 file.
func TestSpelledPartsOfProse(t *testing.T) {
	text := strings.Repeat("- Keep the tense of a caf⟨E9⟩ ⟨F1⟩⟨99⟩, and describe each change in one line, as it was.\n", 100)
	if parts := slices.Collect(spelledParts(text)); len(parts) > 0 {
		t.Errorf("the parts %q may be addresses", parts[0])
	}
}
