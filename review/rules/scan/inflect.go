package scan

import "strings"

// inflected is a word in one form.
type inflected struct {
	text string
	form form
}

// inflect returns the forms of a lexeme's word: for a verb ("send~") the base,
// third-person, past and -ing forms by the regular rules, with and without a
// doubled final consonant, which is cheaper than knowing which is right; for a
// noun ("token^") singular and plural; otherwise the word itself.
func inflect(w string) []inflected {
	if stem, ok := strings.CutSuffix(w, "~"); ok {
		return verbForms(stem)
	}
	if stem, ok := strings.CutSuffix(w, "^"); ok {
		return []inflected{{stem, base}, {plural(stem), base}}
	}
	return []inflected{{w, base}}
}

// inflects reports whether a lexeme's word has several forms.
func inflects(w string) bool { return strings.HasSuffix(w, "~") || strings.HasSuffix(w, "^") }

func verbForms(stem string) []inflected {
	fs := []inflected{{stem, base}, {plural(stem), third}}
	switch {
	case strings.HasSuffix(stem, "e"):
		return append(fs, inflected{stem + "d", past}, inflected{stem[:len(stem)-1] + "ing", ing})
	case strings.HasSuffix(stem, "y") && !vowel(stem, 2):
		return append(fs, inflected{stem[:len(stem)-1] + "ied", past}, inflected{stem + "ing", ing})
	}
	fs = append(fs, inflected{stem + "ed", past}, inflected{stem + "ing", ing})
	if !vowel(stem, 1) && vowel(stem, 2) && !vowel(stem, 3) {
		double := stem + stem[len(stem)-1:]
		fs = append(fs, inflected{double + "ed", past}, inflected{double + "ing", ing})
	}
	return fs
}

func plural(stem string) string {
	switch {
	case strings.HasSuffix(stem, "y") && !vowel(stem, 2):
		return stem[:len(stem)-1] + "ies"
	case strings.HasSuffix(stem, "s"), strings.HasSuffix(stem, "sh"), strings.HasSuffix(stem, "ch"), strings.HasSuffix(stem, "x"), strings.HasSuffix(stem, "z"):
		return stem + "es"
	}
	return stem + "s"
}

// vowel reports whether the nth letter of s from the end is a vowel.
func vowel(s string, n int) bool {
	return len(s) >= n && strings.IndexByte("aeiou", s[len(s)-n]) >= 0
}
