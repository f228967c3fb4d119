package cli

import (
	"fmt"
	"strings"
	"testing"

	"toolcrib/cli/wrap"
	"toolcrib/proposals/facts"
)

// TestHelpListsAll compares the help of list with the filter language, and the help of init with the supported clients.
func TestHelpListsAll(t *testing.T) {
	for name, text := range map[string]string{"list": filterTerms() + "\n", "init": wrap.ClientList() + ".\n"} {
		c, _, err := Commands().Find([]string{name})
		if err != nil || !strings.Contains(c.Long, "\n"+text) {
			t.Errorf("help/%s.txt lacks (%v):\n%s", name, err, text)
		}
	}
}

// filterTerms explains the terms of a filter, one per line.
func filterTerms() string {
	lines := [][2]string{
		{`scene "night shift"`, "text in subject, title, author or change set, in any case"},
		{"#17 01a2029f", "a number, the beginning of an id"},
	}
	for _, f := range facts.All() {
		for _, t := range f.Terms {
			lines = append(lines, [2]string{t.Key + ":" + t.Sample, t.Means})
		}
		if f.Flag.Word != "" {
			lines = append(lines, [2]string{f.Flag.Word, f.Flag.Means})
		}
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "  %-21s%s\n", l[0], l[1])
	}
	return b.String()
}
