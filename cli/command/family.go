// This file groups the commands into families, and reads their help from files.

package command

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// Family is a group of commands that a single package implements.
type Family struct {
	Commands []Entry
	// Documents maps each kind of document that the commands print to a value of its type.
	Documents map[string]any
}

// WithDefault returns a command with list and subcommands as its subcommands. If the user specifies no subcommand, the
// command runs list.
func WithDefault(name string, list *cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Args: OnlySubcommands, RunE: list.RunE}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(append([]*cobra.Command{list}, subcommands...)...)
	return cmd
}

// Entry is a command of a family.
type Entry struct {
	Group string // group in the help text
	New   func(*App) *cobra.Command
	// Creates permits the command to create the database. Other commands require an existing database.
	Creates bool
}

// Groups of commands in the help text.
const (
	GroupProposals = "review"
	GroupRegistry  = "registry"
	GroupRunTime   = "runtime"
	GroupOther     = "other"
)

// Groups returns the groups of commands with their titles.
func Groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: GroupProposals, Title: "Proposals:"},
		{ID: GroupRegistry, Title: "Registry and history:"},
		{ID: GroupRunTime, Title: "At run time:"},
		{ID: GroupOther, Title: "Other:"},
	}
}

// AddTo adds the commands of f to root. The help of the commands is read from texts; see Describe.
func (f Family) AddTo(root *cobra.Command, a *App, texts fs.FS) {
	for _, e := range f.Commands {
		c := e.New(a)
		Describe(c, texts)
		c.GroupID = e.Group
		if e.Creates {
			run := c.RunE
			c.RunE = func(cmd *cobra.Command, args []string) error {
				a.Creates = true
				return run(cmd, args)
			}
		}
		takeNothing(c)
		root.AddCommand(c)
	}
}

// takeNothing makes c and its subcommands reject all arguments. It does not change commands whose Args field is set.
func takeNothing(c *cobra.Command) {
	if c.Args == nil {
		c.Args = ExactArgs(0, "no arguments")
	}
	for _, sub := range c.Commands() {
		takeNothing(sub)
	}
}

// Describe sets the help of c and its subcommands. For each command, it reads a file in texts. For example,
// help/calls-approve.txt contains the help of "toolcrib calls approve". A file has this form:
//
//	Approve a waiting call and run it
//
//	Run a waiting call with the arguments that calls show prints; …
//
//	Examples:
//
//	  toolcrib calls approve 0199f3
//
// The first line appears in lists of commands. The rest is the help of the command, with unchanged line breaks. Describe
// panics if a file is missing.
func Describe(c *cobra.Command, texts fs.FS) {
	name := "help/" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ".txt"
	text, err := fs.ReadFile(texts, name)
	if err != nil {
		panic(fmt.Sprintf("cli: no help for %s: %v", c.CommandPath(), err))
	}
	about, examples, found := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n\nExamples:\n\n")
	short, long, hasLong := strings.Cut(about, "\n\n")
	if !found || !hasLong {
		panic("cli: " + name + " is not a help text")
	}
	c.Short, c.Long, c.Example = short, long, examples
	for _, sub := range c.Commands() {
		Describe(sub, texts)
	}
}
