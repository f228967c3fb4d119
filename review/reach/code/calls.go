package code

import (
	_ "embed"
	"strings"
	"sync"

	"toolcrib/review/reach/fact"
)

// effect is the purpose of a call, as the table of calls names it.
type effect string

const (
	none        effect = ""
	sends       effect = "sends"       // to an address, or fetches from it
	runsShell   effect = "runsShell"   // its text is a shell command
	runsArgs    effect = "runsArgs"    // its strings are the words of a command
	evaluates   effect = "evaluates"   // its text is code
	decodes     effect = "decodes"     // returns what a text encodes
	writes      effect = "writes"      // a file
	deletes     effect = "deletes"     // a folder
	weakens     effect = "weakens"     // skips a check or widens permissions
	skips       effect = "skips"       // a test
	environment effect = "environment" // the environment as a whole
	credentials effect = "credentials" // a store of them
)

//go:embed calls.tsv
var calls string

type callTable struct {
	exact, method map[string]effect
	module        map[string]effect // names that end in ".*"
	longest       int               // length of the longest module, in bytes
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

// quiet are members of modules that call nothing.
var quiet = map[string]bool{"exceptions": true, "RequestException": true, "HTTPError": true, "Response": true, "ConnectionError": true, "Timeout": true, "isAxiosError": true, "AxiosError": true, "codes": true, "packages": true}

// effectOf returns the effect of a call of name, a path with dots.
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
		if len(module) > t.longest { // a lookup reads its whole key
			i := strings.LastIndexByte(module[:t.longest+1], '.')
			if i < 0 {
				break
			}
			module = module[:i]
		}
		if e, ok := t.module[module]; ok && !quiet[last] && !strings.HasSuffix(last, "Error") {
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
