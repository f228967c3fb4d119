package command

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// Describe gives c, and the commands below it, the help that texts holds for them in
// help/NAME.txt, where NAME has the words of the command with "-" between them:
// help/calls-approve.txt for toolcrib calls approve. Such a file is
//
//	Approve a waiting call and run it
//
//	Run a waiting call with the arguments that calls show prints; …
//
//	Examples:
//
//	  toolcrib calls approve 0199f3
//
// The first line stands in lists of commands, the text after it on top of the command's
// own help, as it is broken here. A command without such a file is a mistake in the
// program.
func Describe(c *cobra.Command, texts fs.FS) {
	name := "help/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".txt"
	text, err := fs.ReadFile(texts, name)
	if err != nil {
		panic(fmt.Sprintf("cli: no help for %s: %v", c.CommandPath(), err))
	}
	about, examples, found := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n\nExamples:\n\n")
	short, long, hasLong := strings.Cut(about, "\n\n")
	if !found || !hasLong {
		panic("cli: " + name + " has not the form of a help text")
	}
	c.Short, c.Long, c.Example = short, long, examples
	for _, sub := range c.Commands() {
		Describe(sub, texts)
	}
}
