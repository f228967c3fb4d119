package cli

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/internal/shortrun"
)

// commands returns all commands, including help, which cobra adds at run time.
func commands() []*cobra.Command {
	root := newRoot(&command.App{Printer: &output.Printer{}})
	root.InitDefaultHelpCmd()
	var all []*cobra.Command
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		all = append(all, c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return all
}

// TestEveryCommandHasDescriptionAndExample checks that each command has a detailed description and an example.
func TestEveryCommandHasDescriptionAndExample(t *testing.T) {
	for _, c := range commands() {
		if len(c.Long) < 2*len(c.Short) || len(c.Long) < 100 {
			t.Errorf("%s: its long text says no more than its short one: %q", c.CommandPath(), c.Long)
		}
		for line := range strings.Lines(c.Long) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 85 {
				t.Errorf("%s: a line of %d characters: %s", c.CommandPath(), n, line)
			}
		}
		lines := exampleLines(c)
		if len(lines) == 0 {
			t.Errorf("%s has no example", c.CommandPath())
		}
		shows := c.CommandPath() + " "
		if c.Name() == "approve" && c.Parent() == c.Root() {
			shows = "toolcrib " // as --approve, too
		}
		for _, line := range lines {
			if c.Name() != "revise" && !strings.Contains(line+" ", shows) && !strings.HasPrefix(lines[0], shows) {
				t.Errorf("%s: %q is not an example of it", c.CommandPath(), line)
			}
		}
	}
}

func exampleLines(c *cobra.Command) []string {
	var lines []string
	for line := range strings.Lines(c.Example) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestExamplesAsTyped runs the examples of all commands in order, in a copy of a database with objects of all kinds.
// The n-th line uses the n-th object that its id can stand for.
func TestExamplesAsTyped(t *testing.T) {
	shortrun.OneGoroutine(t)
	needsPrograms(t, "sh")
	s, skipped, ids := newScene(t), notRun(), stands()
	for i, c := range commands() {
		if i%shortrun.Every(9) != 0 {
			continue
		}
		t.Run(c.CommandPath(), func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			s.enter(r)
			r.installPrograms()
			if c.Name() == "wrap" || c.Name() == "unwrap" {
				r.hasClients(c.Name() == "unwrap")
			}
			if c.CommandPath() == "toolcrib lint" {
				for _, file := range []string{".claude/skills/pace/SKILL.md", ".cursor/rules/tone.mdc", "AGENTS.md"} {
					r.write(file, "Say what changed, and why.\n")
				}
			}
			if c.CommandPath() == "toolcrib reach" || c.CommandPath() == "toolcrib restore" || c.CommandPath() == "toolcrib blame" {
				r.write("AGENTS.md", "Say what changed, and why.\n")
				r.must(`mkdir -p "$HOME/.claude/skills/pdf/scripts" && echo "Read the file." > "$HOME/.claude/skills/pdf/SKILL.md" && echo "print()" > "$HOME/.claude/skills/pdf/scripts/read.py"`)
				r.must("toolcrib import --files")
				r.must("toolcrib --project novel import --files .")
				r.must("toolcrib list --filter skill: | toolcrib approve - --unseen")
				r.must("toolcrib list --filter instructions: | toolcrib approve - --unseen")
			}
			if c.CommandPath() == "toolcrib calls policy" {
				r.hasClients(false)
				r.must("toolcrib init --yes && toolcrib show set:memory && toolcrib approve set:memory")
			}
			if name := c.Name(); name == "sign" || name == "signers" || c.Parent() != nil && c.Parent().Name() == "signers" {
				r.hasKeys(name, s.ids["waiting"][0])
			}
			kind := ids[c.CommandPath()]
			if kind == "" {
				kind = "waiting"
			}
			for i, line := range exampleLines(c) {
				if _, skip := skipped[uncommented(line)]; skip {
					continue
				}
				meant := s.ids[kind]
				if done := r.types(examplePrefix.ReplaceAllString(line, meant[i%len(meant)])); done.status != command.ExitOK && (c.CommandPath() != "toolcrib status" || done.status != command.ExitFindings) { // a call is waiting
					t.Errorf("%s: exit status %d\n%s%s", line, done.status, done.stdout, done.stderr)
				}
			}
		})
	}
}

// TestUntypedExampleLinesExist checks that each line that is not run still exists.
func TestUntypedExampleLinesExist(t *testing.T) {
	shown := map[string]bool{}
	for _, file := range pages(t) {
		for _, b := range blocksOf(t, file) {
			if b.kind() == "sh" {
				for _, step := range b.steps() {
					shown[uncommented(step.typed)] = true
				}
			}
		}
	}
	for _, c := range commands() {
		for _, line := range exampleLines(c) {
			shown[uncommented(line)] = true
		}
	}
	for line, reason := range notRun() {
		if !shown[line] || reason == "" {
			t.Errorf("%q is shown nowhere, or left out without a reason", line)
		}
	}
}

// TestEveryHelpFileHasCommand fails for a help file of a command that does not exist.
func TestEveryHelpFileHasCommand(t *testing.T) {
	known := map[string]bool{}
	for _, c := range commands() {
		known["help/"+strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "toolcrib "), " ", "-")+".txt"] = true
	}
	files, err := fs.Glob(help, "help/*")
	if err != nil || len(files) == 0 {
		t.Errorf("no help: %v", err)
	}
	for _, file := range files {
		if !known[file] {
			t.Errorf("%s is the help of no command", file)
		}
	}
}
