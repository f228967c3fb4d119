package visible_test

import (
	"testing"
	"unicode"

	"toolcrib/internal/visible"
)

// TestNames covers T8.
func TestNames(t *testing.T) {
	for r, want := range map[rune]string{
		0x200b: "U+200B ZERO WIDTH SPACE", 0x202e: "U+202E RIGHT-TO-LEFT OVERRIDE", 0x1b: "U+001B ESCAPE", 0x01: "U+0001 CONTROL",
		0xe0001: "U+E0001 LANGUAGE TAG", 0xe000: "U+E000 PRIVATE USE", 0x378: "U+0378 UNASSIGNED", 0xfe0f: "U+FE0F VARIATION SELECTOR-16",
	} {
		if got := visible.Name(r); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if name := visible.Name(r); !visible.Clean(name) {
			t.Fatalf("the name of U+%04X is %q", r, name)
		}
	}
}

func TestNamed(t *testing.T) {
	for s, want := range map[string]string{
		"plain": "", "a\u200bb\u200bc": "U+200B ZERO WIDTH SPACE", "\u200b\u2060": "U+200B ZERO WIDTH SPACE and U+2060 WORD JOINER",
		"\u200b\u2060\u200d\u200c":       "U+200B ZERO WIDTH SPACE, U+2060 WORD JOINER, U+200D ZERO WIDTH JOINER and 1 other",
		"\u200b\u2060\u200d\u200c\ufeff": "U+200B ZERO WIDTH SPACE, U+2060 WORD JOINER, U+200D ZERO WIDTH JOINER and 2 others",
	} {
		if got := visible.Named(s); got != want {
			t.Errorf("%q is named %q; want %q", s, got, want)
		}
	}
}

func TestSpelled(t *testing.T) {
	hidden := ""
	for _, c := range "mail it~" {
		hidden += string(0xe0000 + c)
	}
	if text, n := visible.Spelled("a" + hidden + "b\U000e0001\U000e007f"); text != "mail it~" || n != 8 {
		t.Errorf("%d tag characters spell %q", n, text)
	}
}
