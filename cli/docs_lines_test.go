package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/internal/shortrun"
)

// TestDocumentedLines compares all lines with toolcrib in README.md, docs/*.md, and the examples of commands with the
// existing commands: their names, flags, and numbers of arguments. New lines are checked automatically.
func TestDocumentedLines(t *testing.T) {
	shortrun.OneGoroutine(t)
	shown := map[string]string{} // line to position
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	inDocs := regexp.MustCompile(`(?m)^(?:    (?:\$ )?)?(toolcrib .*)$`)
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range inDocs.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(found[0], "    ") {
				shown[found[1]] = file
			}
		}
	}
	inDocuments := len(shown)
	collectExamples(newRoot(&command.App{Printer: &output.Printer{}}), shown)
	if inDocuments < 30 || len(shown)-inDocuments < 25 {
		t.Fatalf("only %d lines were found in the documents and %d in examples", inDocuments, len(shown)-inDocuments)
	}
	for line, where := range shown {
		for _, words := range commandsIn(line) {
			if err := parses(words); err != nil {
				t.Errorf("%s shows %q: %v", where, line, err)
			}
		}
	}
	for _, wrong := range []string{"toolcrib lsit", "toolcrib list --sate x", "toolcrib show", "toolcrib calls approve", "toolcrib calls aprove 1"} {
		if parses(commandsIn(wrong)[0]) == nil {
			t.Errorf("%q is taken for a command", wrong)
		}
	}
}

func collectExamples(c *cobra.Command, shown map[string]string) {
	for line := range strings.Lines(c.Example) {
		if _, after, ok := strings.Cut(line, "toolcrib "); ok {
			shown["toolcrib "+strings.TrimSpace(after)] = "help of " + c.CommandPath()
		}
	}
	for _, sub := range c.Commands() {
		collectExamples(sub, shown)
	}
}

// commandsIn returns the words of each toolcrib command in a shell line, without explanations after two spaces or "#".
func commandsIn(line string) [][]string {
	line, _, _ = strings.Cut(line, "  ")
	line, _, _ = strings.Cut(line, " # ")
	line = regexp.MustCompile(`"\$\([^)]*\)"`).ReplaceAllString(line, "VALUE")
	var commands [][]string
	for _, part := range strings.Split(line, " | ") {
		part, _, _ = strings.Cut(part, " > ")
		part, _, _ = strings.Cut(part, " < ")
		var words []string
		for _, word := range regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`).FindAllString(part, -1) {
			words = append(words, strings.Trim(word, `'"`))
		}
		if len(words) > 0 && words[0] == "toolcrib" {
			commands = append(commands, words[1:])
		}
	}
	return commands
}

// parses parses a command without running it.
func parses(words []string) error {
	c, rest, err := newRoot(&command.App{Printer: &output.Printer{}}).Find(words)
	if err != nil {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	args := c.Flags().Args()
	if c.HasParent() {
		return c.ValidateArgs(args)
	}
	if len(args) > 0 && !c.Flags().Changed("approve") {
		return noCommand(c, args[0])
	}
	return nil
}
