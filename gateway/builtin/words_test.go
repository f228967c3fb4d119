package builtin

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"Anna's brother":           "anna brother",
		"Anna’s l’école":           "anna l ecole",
		"rock'n'roll, 24/7":        "rock roll 24 7",
		"Straße ÅKESSON Łódź":      "strasse akesson lodz",
		"ﬁne ＷＩＤＥ":                 "fine wide",
		"東京タワー 1号":                 "東京 京タ タワ ワー 1 号",
		"a\u200bb \u202ec":         "a b c",
		"مرحبا नमस्ते":             "مرحبا नमस्ते",
		strings.Repeat("x", 50):    strings.Repeat("x", 40),
		"user_name@example.com #1": "user name example com 1",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestForms(t *testing.T) {
	for pair, want := range map[[2]string]float64{
		{"anna", "annas"}: otherForm, {"lives", "live"}: otherForm, {"booking", "bookings"}: otherForm, {"allergic", "allergie"}: otherForm,
		{"prefer", "preference"}: sameStem, {"coffee", "coffin"}: 0, {"anna", "annual"}: 0, {"tom", "toms"}: 0, {"berlin", "bern"}: 0,
	} {
		if got := formSimilarity(pair[0], pair[1]); got != want {
			t.Errorf("%v: got %v, want %v", pair, got, want)
		}
		if got := formSimilarity(pair[1], pair[0]); got != want {
			t.Errorf("%v the other way: got %v, want %v", pair, got, want)
		}
	}
}
