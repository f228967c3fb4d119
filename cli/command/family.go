package command

import (
	"io/fs"
	"reflect"

	"github.com/spf13/cobra"
)

// Family is a folder of commands: what the table of commands takes of it.
type Family struct {
	Commands []Entry
	// Help holds the help of the commands; see Describe.
	Help fs.FS
	// Documents returns the type of each document that the commands print, by its kind.
	Documents func() map[string]reflect.Type
}

// Entry is a command in the table.
type Entry struct {
	Group string // of the help text
	New   func(*App) *cobra.Command
	// Creates is set for a command that makes the database when there is none. All
	// others only open one that is there.
	Creates bool
}

// The parts of the help text of the program, by what commands are for.
const (
	GroupProposals = "review"
	GroupRegistry  = "registry"
	GroupRunTime   = "runtime"
	GroupOther     = "other"
)

// Groups returns the parts of the help text with their titles.
func Groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: GroupProposals, Title: "Proposals:"},
		{ID: GroupRegistry, Title: "Registry and history:"},
		{ID: GroupRunTime, Title: "At run time:"},
		{ID: GroupOther, Title: "Other:"},
	}
}

// AddTo adds the commands of a family to those of the program.
func (f Family) AddTo(root *cobra.Command, a *App) {
	for _, e := range f.Commands {
		c := e.New(a)
		Describe(c, f.Help)
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

// takeNothing has c, and the commands below it, take no arguments that do not say what
// they take.
func takeNothing(c *cobra.Command) {
	if c.Args == nil {
		c.Args = Exact(0, "no arguments")
	}
	for _, sub := range c.Commands() {
		takeNothing(sub)
	}
}
