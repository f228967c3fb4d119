package letters

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{"plain": "plain", "Ｆｕｌｌ": "full", "ign\u043er\u0435": "ignore", "ca\u200bfé": "cafe", "ﬁne": "fine", "Straße": "Strasse"} {
		if got := Fold(text); got != want {
			t.Errorf("%+q: %q", text, got)
		}
	}
}

func TestConfusablesAreASCII(t *testing.T) {
	count := 0
	for line := range strings.Lines(confusables) {
		if line[0] == '#' {
			continue
		}
		count += len(strings.Fields(line)) - 1
		if !IsWord(line[0]) {
			t.Errorf("%q is no letter or digit", line[0])
		}
	}
	for r := range imitations() {
		if r < 0x80 {
			t.Errorf("U+%04X imitates itself", r)
		}
	}
	if len(imitations()) != count {
		t.Errorf("%d of %d characters stand for one letter or digit", len(imitations()), count)
	}
}
