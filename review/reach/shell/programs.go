// This file parses the table of known programs.

package shell

import (
	_ "embed"
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

// trait is a set of ways in which a program uses its arguments.
type trait uint16

const (
	family    trait = 1 << iota // its first argument is a subcommand
	local                       // reads, prints, or arranges files, which is not a fact
	network                     // its arguments name hosts
	fetches                     // prints or stores data that it fetches
	decodes                     // prints data that it decodes
	interpret                   // runs its input, a file, or an argument
	shells                      // runs shell commands
	wraps                       // runs the command in its arguments
	raises                      // runs the command with more rights
	ambiguous                   // an English word, so the name alone does not identify the program
)

// traits maps the names of traits in programs.tsv.
var traits = map[string]trait{
	"family": family, "local": local, "network": network, "fetches": fetches, "decodes": decodes, "interpret": interpret, "shells": shells,
	"wraps": wraps, "raises": raises, "ambiguous": ambiguous,
}

//go:embed programs.tsv
var programs string

// table contains the rows of programs.tsv by name.
type table struct {
	programs  map[string]trait
	names     fact.Filter     // names of programs
	installer map[string]bool // commands that install packages
	registry  map[string]bool // options that select another package registry
	secrets   []string        // commands that print credentials
	writers   []string        // commands that change files that other programs follow
	senders   [][]string      // commands that store files at a host
	handlers  map[string]bool // commands that handle files without printing their content
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
