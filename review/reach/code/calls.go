// This file maps calls to their effects.

package code

import (
	_ "embed"
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

// effect classifies a call, for example as a call that runs a command. calls.tsv lists the calls
// with each effect.
type effect string

const (
	none        effect = ""
	sends       effect = "sends"       // sends to an address or fetches from it
	connects    effect = "connects"    // like sends, but opens a connection, from which later statements may read
	runsShell   effect = "runsShell"   // runs its string argument as a shell command
	runsArgs    effect = "runsArgs"    // runs a command; each string argument is a word of the command
	evaluates   effect = "evaluates"   // runs its string argument as code
	decodes     effect = "decodes"     // decodes a text
	writes      effect = "writes"      // writes a file
	deletes     effect = "deletes"     // deletes a folder
	redirects   effect = "redirects"   // replaces the standard input or output
	weakens     effect = "weakens"     // skips a check or widens permissions
	skips       effect = "skips"       // skips a test
	environment effect = "environment" // reads the whole environment
	credentials effect = "credentials" // reads a credential store
)

//go:embed calls.tsv
var calls string

type callTable struct {
	exact, method map[string]effect
	module        map[string]effect // by name of a module, which the table lists as "name.*"
	longest       int               // length of the longest module name in bytes
}

var table = sync.OnceValue(func() callTable {
	t := callTable{exact: map[string]effect{}, method: map[string]effect{}, module: map[string]effect{}}
	for what, names := range fact.Rows(calls) {
		for name := range strings.FieldsSeq(names) {
			switch e := effect(what); {
			case strings.HasSuffix(name, ".*"):
				t.module[strings.TrimSuffix(name, ".*")] = e
				t.longest = max(t.longest, len(name)-len(".*"))
			case name[0] == '.':
				t.method[name[1:]] = e
			default:
				t.exact[name] = e
			}
		}
	}
	return t
})

// harmlessMembers contains names without an effect. A member with such a name has no effect even if
// calls.tsv lists its module.
var harmlessMembers = map[string]bool{"exceptions": true, "RequestException": true, "HTTPError": true, "Response": true, "ConnectionError": true, "Timeout": true, "isAxiosError": true, "AxiosError": true, "codes": true, "packages": true}

// effectOf returns the effect of a call in a program. name is the name of the called function,
// which may contain dots.
func effectOf(name, lang string) effect {
	t := table()
	if e, ok := t.exact[name]; ok {
		return e
	}
	if e, ok := t.exact[lang+":"+name]; ok {
		return e
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return none
	}
	last := name[dot+1:]
	for module := name[:dot]; ; {
		if len(module) > t.longest { // limits the cost: a map lookup hashes the whole key
			i := strings.LastIndexByte(module[:t.longest+1], '.')
			if i < 0 {
				break
			}
			module = module[:i]
		}
		if e, ok := t.module[module]; ok && !harmlessMembers[last] && !strings.HasSuffix(last, "Error") {
			return e
		}
		i := strings.LastIndexByte(module, '.')
		if i < 0 {
			break
		}
		module = module[:i]
	}
	return t.method[last]
}
