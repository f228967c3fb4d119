// This file derives facts from the keys of settings.

package reach

import (
	_ "embed"
	"strings"
	"sync"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/prose"
	"toolcrib/review/reach/shell"
)

// meaning is the purpose of the value of a key, as listed in keys.tsv.
type meaning string

const (
	plain    meaning = ""
	tools    meaning = "tools"    // tools that need no permission
	mode     meaning = "mode"     // permission mode
	hooks    meaning = "hooks"    // hooks that the client runs
	command  meaning = "command"  // a shell command
	scripts  meaning = "scripts"  // shell commands by name
	packages meaning = "packages" // package versions by name
	image    meaning = "image"    // a package
	sentence meaning = "sentence" // prose
	address  meaning = "address"  // an address that something is sent to
	names    meaning = "names"    // names of other skills, agents, or servers
	ignored  meaning = "ignored"  // an identifier of the document
)

//go:embed keys.tsv
var keys string

var meanings = sync.OnceValue(func() map[string]meaning {
	m := map[string]meaning{}
	for what, names := range fact.Rows(keys) {
		for name := range strings.FieldsSeq(names) {
			m[name] = meaning(what)
		}
	}
	return m
})

// tree adds the facts of a parsed document according to its keys. front is true for front matter,
// in which the key "tools" also grants permissions.
func tree(d fact.Doc, n *jsondoc.Node, front bool) {
	t := settings{Doc: d, front: front}
	t.node(n, "", plain, 0)
}

type settings struct {
	fact.Doc
	front bool
}

// maxLevels is the maximum depth to which a document is read.
const maxLevels = 100

func (t *settings) node(n *jsondoc.Node, key string, as meaning, level int) {
	if n == nil || level > maxLevels {
		return
	}
	switch n.Kind {
	case jsondoc.Array:
		for _, item := range n.Items {
			t.node(item, key, as, level+1)
		}
	case jsondoc.Object:
		t.object(n, as, level)
	case jsondoc.String, jsondoc.Bool, jsondoc.Number:
		t.value(t.Pinned(n.Pos, n.Text), key, as)
	case jsondoc.Null:
	}
}

func (t *settings) object(n *jsondoc.Node, as meaning, level int) {
	if run, args := n.Get("command"), n.Get("args"); run != nil && args != nil && run.Kind == jsondoc.String {
		words := strings.Fields(run.Text)
		for _, a := range args.Items {
			words = append(words, a.Text)
		}
		shell.Args(t.Pinned(run.Pos, run.Text), words)
	}
	for _, m := range n.Members {
		below := meanings()[m.Key]
		switch {
		case as == packages:
			if m.Value.Kind == jsondoc.String {
				t.Pinned(m.Pos, m.Key).AddKey(0, fact.Run, fact.Package, "npm "+m.Key+" "+m.Value.Text, fact.Package+"\x00npm "+m.Key)
				if strings.Contains(m.Value.Text, "://") || strings.HasPrefix(m.Value.Text, "git") {
					literal.Scan(t.Pinned(m.Value.Pos, m.Value.Text), literal.Data, fact.Package)
				}
				continue
			}
		case as == scripts:
			below = command
		case as == names:
			t.Pinned(m.Pos, m.Key).Add(0, fact.Other, "name", m.Key)
		case as == hooks && level < 4:
			t.Pinned(m.Pos, m.Key).Add(0, fact.Rights, "hooks", m.Key)
		case m.Key == "tools" && t.front, m.Key == "allow" && m.Value.Kind == jsondoc.Array:
			below = tools
		}
		t.node(m.Value, m.Key, below, level+1)
	}
}

// value adds the facts of d, which is the value of key.
func (t *settings) value(d fact.Doc, key string, as meaning) {
	text := d.Text
	if literal.Setting(key, text) {
		d.Add(0, fact.Rights, fact.Literal, key+"="+text)
		return
	}
	literal.Variable(d, 0, key)
	switch as {
	case tools:
		for _, tool := range Listed(text) {
			d.Add(0, fact.Rights, fact.Granted, tool)
		}
	case mode:
		if text != "default" && text != "plan" && text != "true" {
			d.Add(0, fact.Rights, key, text)
		}
	case hooks:
	case command, scripts:
		shell.Read(d, nil)
	case image:
		if !strings.ContainsAny(text, " \n") && strings.ContainsAny(text, "/:@") {
			d.Add(0, fact.Run, fact.Package, key+" "+text)
		}
	case sentence:
		markdown(d)
	case address:
		literal.Scan(d, literal.Data, key)
	case names:
		for _, name := range Listed(text) {
			d.Add(0, fact.Other, "name", name)
		}
	case ignored:
	case plain, packages:
		literal.Scan(d, literal.Data, fact.Literal)
	}
}

// Listed splits a list of tools at commas and white space outside parentheses.
func Listed(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (r == ',' || r == ' ' || r == '\n' || r == '[' || r == ']' || r == '"' || r == '{' || r == '}')
	})
}

// pairs adds the facts of settings that are read line by line as pairs of a key and a value: TOML,
// INI, and YAML that cannot be parsed.
func pairs(d fact.Doc) {
	t := settings{Doc: d}
	at := 0
	for text := range strings.Lines(d.Text) {
		begin := at
		at += len(text)
		body := strings.TrimLeft(text, " \t-")
		begin += len(text) - len(body)
		body = strings.TrimRight(body, "\r\n")
		if strings.HasPrefix(body, "#") || strings.HasPrefix(body, ";") || strings.HasPrefix(body, "//") {
			prose.Comment(d.Part(begin, at))
			continue
		}
		i := strings.IndexAny(body, ":=")
		if i <= 0 || strings.ContainsAny(strings.TrimRight(body[:i], " "), " /{") {
			literal.Scan(d.Part(begin, at), literal.Data, fact.Literal)
			continue
		}
		key := strings.Trim(body[:i], " \"'")
		from := i + 1 + len(body[i+1:]) - len(strings.TrimLeft(body[i+1:], " \"'"))
		to := len(strings.TrimRight(body, " \"',"))
		if from < to {
			t.value(d.Part(begin+from, begin+to), key, meanings()[key])
		}
	}
}
