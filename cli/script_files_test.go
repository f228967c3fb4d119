package cli_test

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"
)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	if same := ts.ReadFile(args[0]) == ts.ReadFile(args[1]); same == neg {
		ts.Fatalf("%s and %s: same is %t", args[0], args[1], same)
	}
}

func cmdCut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cut NAME TEXT N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Setenv(args[0], args[1][:min(n, len(args[1]))])
}

func cmdVisible(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: visible FILE")
	}
	found := hiddenIn(ts.ReadFile(args[0]))
	if (found == "") == neg {
		ts.Fatalf("%s: found %q", args[0], found)
	}
}

// hiddenRanges lists the code points that control a terminal or are invisible. They are listed separately because the
// program has its own table.
var hiddenRanges = [][2]rune{
	{0x00, 0x08},
	{0x0b, 0x1f},
	{0x7f, 0x9f}, // controls, but for tab and line feed
	{0xad, 0xad},
	{0x34f, 0x34f},
	{0x61c, 0x61c},
	{0x115f, 0x1160},
	{0x17b4, 0x17b5},
	{0x180b, 0x180f},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f}, // zero width, separators, bidirectional
	{0x2800, 0x2800},
	{0x3164, 0x3164},
	{0xd800, 0xf8ff}, // blank Braille, filler, surrogates and private use
	{0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},
	{0xffa0, 0xffa0},
	{0xfff0, 0xfffb},
	{0x1d173, 0x1d17a},
	{0xe0000, 0x10ffff}, // tags, variation selectors, private planes
}

// hiddenIn describes the first character of s that would be invisible on a screen, or returns "".
func hiddenIn(s string) string {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return fmt.Sprintf("the byte %#x, which is no UTF-8", s[i])
			}
		}
		for _, between := range hiddenRanges {
			if r >= between[0] && r <= between[1] {
				return fmt.Sprintf("U+%04X at byte %d", r, i)
			}
		}
	}
	return ""
}
