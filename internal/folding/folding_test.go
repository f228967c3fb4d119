package folding_test

import (
	"testing"

	"toolcrib/internal/folding"
)

func TestDecompose(t *testing.T) {
	for r, want := range map[rune]string{
		'a': "a", 'Z': "Z", 'é': "e\u0301", 'Å': "A\u030a", 'ﬁ': "fi", 'Ⅷ': "VIII", '２': "2", 'ß': "ss", 'Ø': "o", 'þ': "th", 'Đ': "d", '中': "中", '가': "\u1100\u1161",
	} {
		if got := folding.Decompose(r); got != want {
			t.Errorf("%q becomes %q, not %q", r, got, want)
		}
	}
}

func TestUnspaced(t *testing.T) {
	for _, r := range "中あアーไລខမ" {
		if !folding.Unspaced(r) {
			t.Errorf("%q is reported as spaced", r)
		}
	}
	for _, r := range "aé한я1。๑" {
		if folding.Unspaced(r) {
			t.Errorf("%q is reported as unspaced", r)
		}
	}
}
