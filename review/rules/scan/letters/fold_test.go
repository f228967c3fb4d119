package letters

import "testing"

func TestFold(t *testing.T) {
	for text, want := range map[string]string{"plain": "plain", "Ｆｕｌｌ": "full", "ign\u043er\u0435": "ignore", "ca\u200bfé": "cafe", "ﬁne": "fine", "Straße": "Strasse"} {
		if got := Fold(text); got != want {
			t.Errorf("%+q: %q", text, got)
		}
	}
}

func TestConfusablesAreASCII(t *testing.T) {
	seen := map[rune]byte{}
	for ascii, looks := range confusables {
		if !IsWord(ascii) {
			t.Errorf("%q is no letter or digit", ascii)
		}
		for _, r := range looks {
			if r < 0x80 || seen[r] != 0 {
				t.Errorf("U+%04X stands for %q and %q", r, ascii, seen[r])
			}
			seen[r] = ascii
		}
	}
}
