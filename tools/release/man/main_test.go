package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/cli"
)

// TestManual writes a page for every command, twice the same, in which an indented
// table keeps its lines and no mark of Markdown is lost.
func TestManual(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := run([]string{dir, "1790000000"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range append(descendants(cli.Commands()), cli.Commands()) {
		if c.Name() == "help" {
			continue // it is about the others
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		one, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if two, err := os.ReadFile(filepath.Join(second, name)); err != nil || string(two) != string(one) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), man, "-l", filepath.Join(first, "toolcrib-export.1"))
	cmd.Env = append(os.Environ(), "MANWIDTH=120", "LC_ALL=C", "MANPAGER=cat", "MAN_KEEP_FORMATTING=")
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("%v: %s", err, text) // a man without -l
	}
	for _, want := range []string{"\n         openai      an array of OpenAI functions with the action tools\n", "toolcrib-export - Write the live definitions", "--as-of"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"a_b *c* [y] <z>\n":               "a\\_b \\*c\\* \\[y\\] &lt;z>\n",
		"List:\n  one  1\n  two  2\nEnd.": "List:\n\n      one  1\n      two  2\n\nEnd.",
	} {
		if got := asMarkdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
