package rulebook

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"toolcrib/review/rules/scan"
)

// severities are the valid severities of a rule.
var severities = []string{"info", "warn", "block"}

// block has the keys that rules and forms share.
type block struct{ id, name, severity, added, doc string }

func checkBlocks(t *testing.T, list []block) {
	t.Helper()
	names := map[string]bool{}
	for _, b := range list {
		if len(b.id) != 4 || b.id[0] < 'A' || b.id[0] > 'Z' || strings.Trim(b.id[1:], "0123456789") != "" {
			t.Errorf("%s: an id is a letter and three digits", b.id)
		}
		if b.name == "" || b.doc == "" || names[b.name] {
			t.Errorf("%s: the name or the documentation is missing, or another rule has the name", b.id)
		}
		names[b.name] = true
		if !slices.Contains(severities, b.severity) || b.added != "" && !slices.Contains(severities, b.added) {
			t.Errorf("%s: a severity is info, warn or block", b.id)
		}
	}
}

// TestIDsStandOnce checks that no two files have a block with the same id, because the later one
// would replace the other.
func TestIDsStandOnce(t *testing.T) {
	count := 0
	for _, root := range []string{"rules", "forms"} {
		for _, file := range below(root) {
			text, err := files.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && len(line) == len("[S101]") {
					count++
				}
			}
		}
	}
	if all := len(Rules()) + len(Forms("")); count != all {
		t.Errorf("%d blocks, but %d ids", count, all)
	}
}

// TestRulesAreComplete checks every block of a rule about wording.
func TestRulesAreComplete(t *testing.T) {
	var list []block
	for _, r := range Rules() {
		list = append(list, block{id: r.ID, name: r.Name, severity: r.Severity, added: cmp.Or(r.Added, r.CompleteAdded), doc: r.Doc})
		if !strings.ContainsRune("SP", rune(r.ID[0])) || r.Message == "" || r.Suggestion == "" || r.Importer == "" || strings.Join(r.Bad, "") == "" || strings.Join(r.Good, "") == "" {
			t.Errorf("%s: a rule about wording is of S or P and has a message, a suggestion, an importer, and examples", r.ID)
		}
		if len(r.Frames)+len(r.Translated)+len(r.Certain)+len(r.Plain)+len(r.Complete)+len(r.Extra)+len(r.Asks)+len(r.Defaults) == 0 {
			t.Errorf("%s has neither frames nor an extra check", r.ID)
		}
		concepts := map[string]bool{}
		for _, e := range r.Except {
			for _, c := range e {
				concepts[c.Concepts] = true
			}
		}
		for _, d := range r.Defaults {
			concepts[d.Purpose] = true
		}
		for _, ask := range r.Asks {
			concepts[ask.Needs] = true
		}
		delete(concepts, "")
		for c := range concepts {
			if Grammar().Concept(c) == (scan.Set{}) {
				t.Errorf("%s: no concept %q", r.ID, c)
			}
		}
	}
	checkBlocks(t, list)
	if len(list) < 40 {
		t.Errorf("only %d rules", len(list))
	}
}

// TestFormsAreComplete checks every block of other rules.
func TestFormsAreComplete(t *testing.T) {
	var list []block
	for _, f := range Forms("") {
		list = append(list, block{id: f.ID, name: f.Name, severity: f.Severity, added: f.Added, doc: f.Doc})
		if f.Bad.Show == "" || f.Good.Show == "" || f.ID[0] == 'S' && f.Importer == "" || f.Locked && f.Waivable {
			t.Errorf("%s lacks an example or an importer, or is both locked and waivable", f.ID)
		}
	}
	checkBlocks(t, list)
}

// TestLexicon checks that every file of the lexicon is listed exactly once and contains only texts.
func TestLexicon(t *testing.T) {
	var spec struct {
		Common, Coded string
		Lexicon       []string
		Groups        map[string]string
	}
	read("grammar.toml", &spec)
	if found := len(below("lexicon")); found != len(spec.Lexicon) {
		t.Errorf("grammar.toml names %d of %d files", len(spec.Lexicon), found)
	}
	for _, file := range spec.Lexicon {
		seen := map[string]bool{}
		for _, e := range entries("lexicon/" + file + ".toml") {
			if e.Words == "" || seen[e.Concept] {
				t.Errorf("%s: %s is empty or stands twice", file, e.Concept)
			}
			seen[e.Concept] = true
		}
	}
}

// TestFramesContinue checks that the lines of a frame are joined.
func TestFramesContinue(t *testing.T) {
	var f Frames
	if err := f.UnmarshalText([]byte("# a comment\nalpha|\n    beta ..2\n    gamma\n")); err != nil || strings.Join(f, "\n") != "alpha|beta ..2 gamma" {
		t.Errorf("%q, %v", f, err)
	}
}

func BenchmarkRules(b *testing.B) {
	for b.Loop() {
		blocks[Rule]("rules")
	}
}
