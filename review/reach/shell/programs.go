package shell

import (
	_ "embed"
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

// trait is a way in which a program uses its arguments.
type trait uint16

const (
	family    trait = 1 << iota // its first argument is a command of its own
	local                       // reads, prints or arranges files: no fact by itself
	network                     // its arguments name hosts
	fetches                     // prints or stores what it fetches
	decodes                     // prints what it decodes
	interpret                   // runs its input, a file, or an argument
	shells                      // runs shell commands
	wraps                       // runs the command in its arguments
	raises                      // runs it with more rights
	ambiguous                   // an English word: not a program by its name alone
)

// traits are the names of traits in the table of programs.
var traits = map[string]trait{
	"family": family, "local": local, "network": network, "fetches": fetches, "decodes": decodes, "interpret": interpret, "shells": shells,
	"wraps": wraps, "raises": raises, "ambiguous": ambiguous,
}

//go:embed programs.tsv
var programs string

// table holds the rows of programs by name.
type table struct {
	programs  map[string]trait
	names     fact.Filter     // of programs
	installer map[string]bool // commands that take packages
	registry  map[string]bool // options that name another place they come from
	secrets   []string        // commands that print credentials
	writers   []string        // commands that change what others obey
}

var tables = sync.OnceValue(func() *table {
	t := &table{programs: map[string]trait{}, installer: map[string]bool{}, registry: map[string]bool{}}
	for what, names := range fact.Rows(programs) {
		switch what {
		case "installs":
			for command := range strings.SplitSeq(names, ",") {
				t.installer[command] = true
			}
		case "registry":
			for option := range strings.FieldsSeq(names) {
				t.registry[option] = true
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
