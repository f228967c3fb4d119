package shipped_test

import (
	"bytes"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/mdfile"
	"toolcrib/registry/shipped"
)

func everything() []registry.Definition {
	return slices.Concat(shipped.Core(), shipped.Assistant(), shipped.Agents(), shipped.Lists())
}

// inMarkdown formats a definition for mdfile.DecodeDefinition.
func inMarkdown(tb testing.TB, d registry.Definition) []byte {
	tb.Helper()
	doc, err := jsondoc.Parse(d.Canonical(), jsondoc.DefaultLimits)
	if err != nil {
		tb.Fatal(err)
	}
	sections := mdfile.ExtractSections(d.Kind(), doc)
	text, err := mdfile.Format(mdfile.File{Front: doc, Sections: sections}, mdfile.DefinitionTitles(d.Kind()))
	if err != nil {
		tb.Fatalf("%s: %v", d.ID(), err)
	}
	return text
}

func TestCanonicalRoundTrip(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, d := range everything() {
		back, err := registry.DecodeDefinition(d.Kind(), d.Canonical())
		if err != nil || !bytes.Equal(back.Canonical(), d.Canonical()) {
			t.Errorf("%s as JSON: %v", d.ID(), err)
		}
		back, err = mdfile.DecodeDefinition(d.Kind(), inMarkdown(t, d))
		if err != nil || back.Hash() != d.Hash() {
			t.Errorf("%s as Markdown: %v", d.ID(), err)
		}
	}
}

var word = regexp.MustCompile(`[a-z0-9_]+`)

func TestNoTextMentionsARetiredName(t *testing.T) {
	for _, d := range everything() {
		for _, w := range word.FindAllString(string(d.Canonical()), -1) {
			if _, ok := shipped.Retired(w); ok {
				t.Errorf("%s mentions %s", d.ID(), w)
			}
		}
	}
}

// TestEveryToolMentionedExists checks words that have the form of an id.
func TestEveryToolMentionedExists(t *testing.T) {
	shortrun.OneGoroutine(t)
	known := tools()
	id := regexp.MustCompile(`\b(get|create|update|delete|search|set|link)_[a-z_]+\b|\b[a-z]+(_[a-z]+)*_(checker|reader|locator|router|analyzer|validator|summarizer|mapper|editor|simulator|architect)\b`)
	for _, d := range everything() {
		for _, name := range id.FindAllString(string(d.Canonical()), -1) {
			argument := d.Tool != nil && strings.Contains(string(d.Tool.InputSchema), `"`+name+`":`)
			if known[name] == nil && !argument {
				t.Errorf("%s mentions %s, which is not shipped", d.ID(), name)
			}
		}
	}
}

func TestTextsAreClean(t *testing.T) {
	err := fs.WalkDir(os.DirFS("data"), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile("data/" + path)
		if err != nil {
			return err
		}
		if i := strings.IndexFunc(string(b), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s has an unprintable character at byte %d", path, i)
		}
		if strings.Contains(string(b), " \n") || strings.Contains(string(b), "```") || !strings.HasSuffix(string(b), "\n") {
			t.Errorf("%s has trailing blanks, a fence or no final line end", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCoreToolsAreDistinct computes how much two prompts have in common: the
// Jaccard index of their runs of four words.
func TestCoreToolsAreDistinct(t *testing.T) {
	core := shipped.Core()
	runs := make([]map[string]bool, len(core))
	for i, d := range core {
		words := word.FindAllString(strings.ToLower(d.Tool.UsageNotes+" "+d.Tool.Goals+" "+d.Tool.Guardrails+" "+d.Tool.Prompt), -1)
		runs[i] = map[string]bool{}
		for j := range len(words) - 3 {
			runs[i][strings.Join(words[j:j+4], " ")] = true
		}
	}
	for i := range core {
		for j := range i {
			shared := 0
			for run := range runs[i] {
				if runs[j][run] {
					shared++
				}
			}
			if part := float64(shared) / float64(len(runs[i])+len(runs[j])-shared); part > 0.03 {
				t.Errorf("%s and %s share %.0f %% of their text", core[i].ID(), core[j].ID(), 100*part)
			}
		}
	}
}
