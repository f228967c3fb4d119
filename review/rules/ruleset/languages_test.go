package ruleset

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/review/rules"
)

// languages are those in which the mechanisms of testdata/*/languages.txt are written.
const languages = "de fr es it pt nl pl ru tr ar hi zh ja ko"

// byLanguage reads the lines of a file of testdata that stand under "# de" and the like.
func byLanguage(t *testing.T, path string) map[string][]*rules.Change {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := cases(t, path)
	list, language, n := map[string][]*rules.Change{}, "", 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch line := strings.TrimSpace(lines.Text()); {
		case line == "":
		case line[0] != '#':
			list[language] = append(list[language], all[n])
			n++
		case len(line) == len("# de"):
			language = line[2:]
		}
	}
	return list
}

// TestLanguages finds each mechanism in every language by a frame, whatever a table
// scores, and leaves honest text with the same words alone, of which there is more.
func TestLanguages(t *testing.T) {
	shortrun.OneGoroutine(t)
	attacks, honest := byLanguage(t, "testdata/attacks/languages.txt"), byLanguage(t, "testdata/benign/languages.txt")
	for language := range strings.FieldsSeq(languages) {
		if len(attacks[language]) == 0 || len(honest[language]) < len(attacks[language]) {
			t.Errorf("%s: %d attacks, %d honest texts", language, len(attacks[language]), len(honest[language]))
		}
		for _, c := range attacks[language] {
			if worst := worstFrame(t, c); worst.Rank() < rules.Warn.Rank() {
				t.Errorf("%s: not found: %s", language, c.Draft.Definition.Tool.Description)
			}
		}
		for _, c := range honest[language] {
			for _, f := range caught(t, c) {
				if f.Severity.Rank() >= rules.Warn.Rank() {
					t.Errorf("%s: %s %q: %s", language, f.Rule, f.Passage, f.Message)
				}
			}
		}
	}
}
