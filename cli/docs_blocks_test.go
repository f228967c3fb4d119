package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/cli/output"
)

// block is a part of a document that a reader copies: a fenced block, or text indented by four spaces outside of lists.
type block struct {
	where string // file and line
	lang  string // language after the fence, or "" for an indented block
	lines []string
}

// pages returns the pages with commands for users.
func pages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	return append([]string{"../README.md"}, files...)
}

func blocksOf(t *testing.T, file string) []block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []block
	var open *block
	fenced, blank := false, true
	for i, line := range strings.Split(string(text), "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		code, indented := strings.CutPrefix(line, "    ")
		switch {
		case fence && fenced:
			fenced, open = false, nil
		case fence:
			found = append(found, block{where: fileLine(file, i), lang: lang})
			fenced, open = true, &found[len(found)-1]
		case fenced:
			open.lines = append(open.lines, line)
		case indented && open != nil:
			open.lines = append(open.lines, code)
		case indented && blank:
			found = append(found, block{where: fileLine(file, i), lines: []string{code}})
			open = &found[len(found)-1]
		case line != "":
			open = nil
		case open != nil:
			open.lines = append(open.lines, "")
		}
		blank = line == ""
	}
	return found
}

func fileLine(file string, line int) string { return filepath.Base(file) + ":" + output.Itoa(line+1) }

// kind returns the type of a block: "sh" for commands, "toml", "json", "yaml", or "text".
func (b block) kind() string {
	if b.lang != "" {
		return b.lang
	}
	first := b.lines[0]
	if strings.Contains(first, "…") {
		return "text"
	}
	switch word, _, _ := strings.Cut(strings.TrimPrefix(first, "$ "), " "); {
	case strings.HasPrefix(first, "$ "), word == "toolcrib", word == "go", word == "cat":
		return "sh"
	case strings.HasPrefix(first, "["), strings.HasPrefix(first, "#"), strings.Contains(first, " = "):
		return "toml"
	case strings.HasPrefix(first, "{"):
		return "json"
	}
	return "text"
}

// step is an input in a document with its documented output.
type documentedStep struct {
	typed string
	shown []string
}

// steps splits a block of shell commands. If the block has prompts, each prompt starts a step, and the following lines
// are its output. Otherwise, each line is a step, except for here-documents and for lines that use the status of the
// previous line.
func (b block) steps() []documentedStep {
	if strings.HasPrefix(b.lines[0], "$ ") {
		var steps []documentedStep
		for _, line := range b.lines {
			if typed, ok := strings.CutPrefix(line, "$ "); ok {
				steps = append(steps, documentedStep{typed: typed})
			} else if line != "" {
				last := &steps[len(steps)-1]
				last.shown = append(last.shown, line)
			}
		}
		return steps
	}
	whole := strings.Join(b.lines, "\n")
	if strings.Contains(whole, "<<'") || strings.Contains(whole, "$?") {
		return []documentedStep{{typed: whole}}
	}
	var steps []documentedStep
	for _, line := range b.lines {
		if line != "" {
			steps = append(steps, documentedStep{typed: line})
		}
	}
	return steps
}
