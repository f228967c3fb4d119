package visible_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/visible"
)

func TestText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "Grüße, 世界! \t\n", "Grüße, 世界! \t\n"},
		{"accents and right-to-left letters stay", "e\u0301 שלום مرحبا", "e\u0301 שלום مرحبا"},
		{"escape sequences", "\x1b[31mred", "⟨U+001B⟩[31mred"},
		{"carriage return", "safe\rEVIL", "safe⟨U+000D⟩EVIL"},
		{"C1 control", "\u009b31m", "⟨U+009B⟩31m"},
		{"bidirectional override", "a\u202eb", "a⟨U+202E⟩b"},
		{"isolates", "\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"},
		{"zero-width", "a\u200b\u200d\ufeffb", "a⟨U+200B⟩⟨U+200D⟩⟨U+FEFF⟩b"},
		{"tags", "\U000e0041", "⟨U+E0041⟩"},
		{"variation selectors", "a\ufe0f\U000e0100", "a⟨U+FE0F⟩⟨U+E0100⟩"},
		{"fillers", "\u3164\u115f\uffa0\u2800", "⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩⟨U+2800⟩"},
		{"soft hyphen", "a\u00adb", "a⟨U+00AD⟩b"},
		{"line separator", "a\u2028b", "a⟨U+2028⟩b"},
		{"private use", "\ue000\U0010fffd", "⟨U+E000⟩⟨U+10FFFD⟩"},
		{"broken UTF-8", "a\xffb\xc3", "a⟨0xFF⟩b⟨0xC3⟩"},
		{"a real replacement character stays", "\ufffd", "\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := visible.Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if clean := visible.Clean(tt.in); clean != (tt.in == tt.want) {
				t.Errorf("Clean(%q) = %v", tt.in, clean)
			}
		})
	}
}

func TestLineShowsLineBreaks(t *testing.T) {
	if got, want := visible.Line("a\nb\tc"), "a⟨U+000A⟩b⟨U+0009⟩c"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "abc", "\x1b]0;x\a", "\u202e\U000e0041\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := visible.Text(s)
		if !utf8.ValidString(out) {
			t.Fatalf("Text(%q) is not UTF-8: %q", s, out)
		}
		for _, r := range out {
			if r != '\n' && r != '\t' && (visible.Hidden(r) || unicode.In(r, unicode.Cc, unicode.Cf)) {
				t.Fatalf("Text(%q) does not escape %U", s, r)
			}
		}
		if strings.ContainsAny(visible.Line(s), "\n\t\r") {
			t.Fatalf("Line(%q) contains a line break", s)
		}
	})
}

// TestJSONReplacesInvalidUTF8 uses bytes that are not UTF-8. Some terminals read one of
// them as the start of an escape sequence.
func TestJSONReplacesInvalidUTF8(t *testing.T) {
	shown := visible.JSON([]byte("{\"a\":\"\x9b2J\xff\"}"))
	if want := `{"a":"\ufffd2J\ufffd"}`; string(shown) != want {
		t.Errorf("%q, want %q", shown, want)
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "abc", "\u202e\U000e0041", "\x7f\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, err := json.Marshal(s)
		if err != nil {
			t.Skip()
		}
		shown := visible.JSON(plain)
		for _, r := range string(shown) {
			if visible.Hidden(r) {
				t.Fatalf("JSON(%q) does not escape %U", plain, r)
			}
		}
		var before, after string
		if json.Unmarshal(plain, &before) != nil || json.Unmarshal(shown, &after) != nil || before != after {
			t.Fatalf("JSON changed %q to %q", before, after)
		}
	})
}
