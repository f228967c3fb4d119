package rules

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostNamed is how many tools a text names; the documents for scripts have all.
const mostNamed = 12

// InTools counts and names the tools that findings stand in which are shown as one.
func InTools(names []string) string {
	more := ""
	total := len(names)
	if total > mostNamed {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", total-mostNamed)
	}
	return fmt.Sprintf("%d tools: %s%s", total, strings.Join(names, ", "), more)
}

// Alike returns a key that findings share which say the same of several tools of a
// server: those of one rule about the same words, as in a stock sentence.
func (f Finding) Alike() string {
	return f.Rule + "\x00" + string(f.Severity) + "\x00" + cmp.Or(f.Passage, f.Message)
}

// Importing is the advice to somebody who imports a tool, as a sentence of its own; ""
// for none.
func Importing(advice string) string {
	if advice == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(advice)
	return "If you import it: " + string(unicode.ToLower(first)) + advice[n:]
}

// Remedies are what can be done about the finding, each a sentence or two: for the
// author of the text, and for whoever imports it.
func (f Finding) Remedies() []string {
	var list []string
	for _, remedy := range []string{f.Suggestion, Importing(f.Importer)} {
		if remedy != "" {
			list = append(list, remedy)
		}
	}
	return list
}
