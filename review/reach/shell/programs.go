// This file parses the table of known programs.

package shell

import (
	_ "embed"
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

// trait is a set of properties of a program, which determine how its arguments are read.
type trait uint16

const (
	family    trait = 1 << iota // the first argument is a subcommand
	local                       // only reads, prints, or arranges files, so running the program is not a fact
	network                     // the arguments name hosts
	fetches                     // fetches data and prints or stores it
	decodes                     // decodes data and prints the result
	interpret                   // runs its standard input, a file, or an argument as code
	shells                      // runs shell commands
	wraps                       // runs the command in its arguments
	raises                      // runs the command in its arguments with more rights
	ambiguous                   // the name is also an English word, so the name alone does not identify the program
)

// traits contains the traits, indexed by their names in programs.tsv.
var traits = map[string]trait{
	"family": family, "local": local, "network": network, "fetches": fetches, "decodes": decodes, "interpret": interpret, "shells": shells,
	"wraps": wraps, "raises": raises, "ambiguous": ambiguous,
}

//go:embed programs.tsv
var programs string

// table contains the content of programs.tsv, indexed by the names of programs, commands, and
// options.
type table struct {
	programs  map[string]trait
	names     fact.Filter     // names of programs
	installer map[string]bool // commands that install packages
	registry  map[string]bool // options that select another package registry
	secrets   []string        // commands that print credentials
	writers   []string        // commands that change files that other programs obey
	senders   [][]string      // commands that copy files to a remote host, split into words
	handlers  map[string]bool // commands that use files without printing their content
	inspects  map[string]bool // commands that only show local state
}

var tables = sync.OnceValue(func() *table {
	t := &table{programs: map[string]trait{}, installer: map[string]bool{}, registry: map[string]bool{}, handlers: map[string]bool{}, inspects: map[string]bool{}}
	for what, names := range fact.Rows(programs) {
		switch what {
		case "installs", "handles", "inspects":
			commands := map[string]map[string]bool{"installs": t.installer, "handles": t.handlers, "inspects": t.inspects}[what]
			for command := range strings.SplitSeq(names, ",") {
				commands[command] = true
			}
		case "registry":
			for option := range strings.FieldsSeq(names) {
				t.registry[option] = true
			}
		case "sends":
			for command := range strings.SplitSeq(names, ",") {
				t.senders = append(t.senders, strings.Fields(command))
			}
		case "prints":
			t.secrets = append(t.secrets, strings.Split(names, ",")...)
		case "obeyed":
			t.writers = append(t.writers, names)
		default:
			var all trait
			for name := range strings.FieldsSeq(what) {
				all |= traits[name]
			}
			for name := range strings.FieldsSeq(names) {
				t.programs[name] = all
				t.names.Add(name)
			}
		}
	}
	return t
})
