package hidden

import "testing"

func TestFind(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		kind       Kind
		count      int
	}{
		{"nothing", "plain text,\n\twith a tab", None, 0},
		{"accents", "Füße, naïve, Łódź, Đà Nẵng", None, 0},
		{"decomposed accents", "cafe\u0301 nai\u0308ve", None, 0},
		{"emoji with joiners", "👩‍💻 🏳️‍🌈 ❤️ 1️⃣ 👍🏽", None, 0},
		{"flag spelled with tags", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", None, 0},
		{"Persian with a non-joiner", "می\u200cتوانید", None, 0},
		{"Hindi with a joiner", "क्\u200dष", None, 0},
		{"Hebrew with a mark", "שלום\u200f!", None, 0},
		{"Thai with a zero-width space", "สวัสดี\u200bครับ", None, 0},
		{"Chinese variant", "葛\U000e0100", None, 0},
		{"soft hyphen in a word", "Donau\u00addampf", None, 0},
		{"byte order mark at the start", "\ufefftext", None, 0},
		{"line ends of another system", "a\r\nb\r\n", None, 0},
		{"zero-width space", "ig\u200bnore", Invisible, 1},
		{"joiner between letters", "a\u200db", Invisible, 1},
		{"word joiner run", "a\u2060\u2060\u2060b", Invisible, 3},
		{"byte order mark within", "a\ufeffb", Invisible, 1},
		{"Hangul filler", "a\u3164b", Invisible, 1},
		{"invisible times", "a\u2062b", Invisible, 1},
		{"mark in plain text", "a\u200eb", DirectionMark, 1},
		{"isolate", "a\u2066b\u2069", Isolate, 1},
		{"override", "a\u202eb", Override, 1},
		{"tag text", "a\U000e0041\U000e0042", Tag, 2},
		{"tag text after a flag", "\U0001f3f4\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e0020\U000e0061", Tag, 8},
		{"selectors in a row", "a😀\ufe01\ufe02\ufe03", Variation, 3},
		{"selector after a letter", "a\ufe0f", Variation, 1},
		{"escape", "a\x1b[8mb", Escape, 1},
		{"one-byte escape", "a\u009b8mb", Escape, 1},
		{"backspace", "a\bb", Control, 1},
		{"carriage return within a line", "seen\runseen", Control, 1},
		{"private use", "a\ue000b", PrivateUse, 1},
		{"marks piled up", "i\u0336g\u0336n\u0336", Stacked, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := Find(tc.text)
			if tc.kind == None {
				if len(found) > 0 {
					t.Errorf("found %+v", found)
				}
				return
			}
			if len(found) == 0 || found[0].Kind != tc.kind || found[0].Count != tc.count {
				t.Errorf("found %+v, want kind %d, %d characters", found, tc.kind, tc.count)
			}
		})
	}
}

func TestFindMixed(t *testing.T) {
	for text, want := range map[string]bool{
		"p\u0430ypal": true, "\u0456gnore": true, "ign\u03bfre": true, "Москва": false, "Ελλάδα": false, "\u0394t": false, "\u03b2-carotene": false,
		"5 \u03bcm": false, "API\u0430": false, "XML\u0421\u0442\u0440\u043e\u043a\u0430": false, "pay\u0420\u0430l": true, "PDF-файл": false, "naïve": false, "\u0441\u0430t": true,
	} {
		if got := len(FindMixed(text)) > 0; got != want {
			t.Errorf("%+q: %v", text, got)
		}
	}
}
