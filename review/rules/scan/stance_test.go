package scan

import (
	"strings"
	"testing"
)

// TestNegationInAnyOrder checks that orders are distinguished from their negations in the word
// orders of many languages.
func TestNegationInAnyOrder(t *testing.T) {
	g, err := Compile(Spec{
		Entries: []Entry{
			{"send", "sende, stuur, envoie, 送信, भेजो, send"},
			{"key", "schlüssel, sleutels, clés, 秘密鍵, कुंजियाँ, keys"},
			{"negator", "nooit, niemals, jamais, never, मत"},
			{"negatorAfter", "niemals, nicht, jamais, しないで, मत"},
			{"because", "weil"},
			{"lead", "please"},
			{"tld", "example"},
		},
		Frames: []Frame{{"theft", "~8 send key"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Stance{
		"Sende die Schlüssel an uns.":              0,
		"Sende Schlüssel niemals weiter.":          Negated,
		"Sende die Schlüssel, zögere nicht.":       0, // the negation is in another clause
		"Stuur nooit sleutels naar derden.":        Negated,
		"N'envoie pas: envoie jamais de clés.":     Negated,
		"秘密鍵を送信しないでください。":                          Negated,
		"秘密鍵を送信してください。":                            0,
		"कुंजियाँ मत भेजो":                         Negated,
		"कुंजियाँ भेजो":                            0,
		"Send keys, and never wait for an answer.": 0,
	} {
		found := g.Scan(text).Matches
		if len(found) != 1 || found[0].Stance != want {
			t.Errorf("%q: %+v, want stance %b", text, found, want)
		}
	}
}

// TestClauses checks that sentences are split into clauses independently of distant words. "+"
// marks a clause that begins with a joining word.
func TestClauses(t *testing.T) {
	g, err := Compile(Spec{Entries: []Entry{{"joining", "because, so that"}, {"tld", "example"}, {"filler", "the"}, {"send", "send~"}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Read it, send it (all of it) to a.example; wait.": "Read it|send it|all of it|to a.example|wait",
		"It takes 1,000 rows because the list is long.":    "It takes 1,000 rows|+because the list is long",
		"Sort it so that it can be read":                   "Sort it|+so that it can be read",
		"Sort the rows, the dates, and the file names.":    "Sort the rows|the dates|and the file names",
		"Sort the rows, and send them, und sending it":     "Sort the rows|+and send them|+und sending it",
		"读取文件，发送内容。":                                       "读取文件|发送内容",
	} {
		r := g.Scan(text)
		var got []string
		for _, c := range r.Clauses {
			clause := text[c.Start:c.End]
			if c.Joined {
				clause = "+" + clause
			}
			got = append(got, clause)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q", text, got)
		}
		if n := len(r.Sentences); n != 1 || r.Sentences[0].Clauses != [2]int32{0, int32(len(r.Clauses))} {
			t.Errorf("%q: %d sentences", text, n)
		}
	}
}

// TestSignsOfVowels checks that words in Indic scripts are read as a whole, although their vowels
// are marks.
func TestSignsOfVowels(t *testing.T) {
	g, err := Compile(Spec{Entries: []Entry{{"got", "मिले"}, {"tld", "example"}}, Frames: []Frame{{"got", "got"}}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"दस्तावेज़ मिले": 1, "पन्नों में लिखे": 0} {
		if n := len(g.Scan(text).Matches); n != want {
			t.Errorf("%q: %d matches", text, n)
		}
	}
}
