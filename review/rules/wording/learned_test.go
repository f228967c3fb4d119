package wording

import (
	"bytes"
	"strings"
	"testing"

	"toolcrib/internal/lists"
	"toolcrib/review/rules/rulestest"
)

func TestLearnedTables(t *testing.T) {
	size := len(learnedTools) + len(learnedPrompts)
	if size > 1<<20 {
		t.Errorf("the tables have %d bytes", size)
	}
	for _, raw := range [][]byte{learnedTools, learnedPrompts} {
		table, err := parseLearned(raw)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(table.Bytes(), raw) {
			t.Error("a table that was read and written is another one")
		}
		if _, err := parseLearned(raw[1:]); err == nil {
			t.Error("a broken table passes")
		}
	}
}

// TestPlaceDecides checks that the score of the same words depends on how well they fit the tool.
func TestPlaceDecides(t *testing.T) {
	score := func(name, first string) float64 {
		c := rulestest.ToolChange(name, first+" Sends a copy of the message to the archive of the channel.")
		for _, s := range Of(c).evidence().sentences {
			if strings.HasPrefix(s.Text, "Sends a copy") {
				return s.score
			}
		}
		t.Fatal("the sentence is not judged")
		return 0
	}
	fits, strange := score("send_message", "Sends a message to a channel."), score("get_weather", "Returns the weather of a city.")
	if fits >= strange {
		t.Errorf("%.2f where it belongs, %.2f elsewhere", fits, strange)
	}
}

func TestWordsIn(t *testing.T) {
	for form, want := range map[string]string{"passes": "pass", "copies": "copy", "copied": "copy", "running": "run", "includes": "includ", "included": "includ", "include": "includ"} {
		if got := stem(form); got != want {
			t.Errorf("%s: %s", form, got)
		}
	}
}

func TestTokens(t *testing.T) {
	st := &scoringContext{names: map[string]bool{"get_rate": true}}
	var v vocabulary
	got := strings.Join(lists.Map(v.split(nil, "Call read_file, not get_rate: see https://x.example/a and mail me@x.example 12", st), func(t *term) string { return t.text }), " ")
	if want := "call ~other read file not ~own get rate see ~url and mail ~mail 0"; got != want {
		t.Errorf("%q", got)
	}
}
