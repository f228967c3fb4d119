// This file derives facts from the keys of settings.

package reach

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/registry/jsondoc"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/literal"
	"toolcrib/review/reach/prose"
	"toolcrib/review/reach/shell"
)

// meaning determines how the value of a key is read. keys.tsv assigns a meaning to each key.
type meaning string

const (
	plain    meaning = ""
	tools    meaning = "tools"    // tools that need no permission
	mode     meaning = "mode"     // permission mode
	hooks    meaning = "hooks"    // hooks that the client runs
	command  meaning = "command"  // a shell command
	scripts  meaning = "scripts"  // an object that maps names to shell commands
	packages meaning = "packages" // an object that maps packages to versions
	image    meaning = "image"    // a container image
	sentence meaning = "sentence" // prose
	address  meaning = "address"  // the address of a recipient
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

// tree adds the facts of n, which is the parsed document d. front reports whether n is front
// matter. In front matter, the key "tools" also grants permissions.
func tree(d fact.Doc, n *jsondoc.Node, front bool) {
	t := settings{Doc: d, front: front}
	t.node(n, "", plain, 0)
	t.disclosed()
}

type settings struct {
	fact.Doc
	front   bool
	sends   bool         // a setting contains the address of a recipient
	private []disclosure // settings that include private data
}

// disclosure is a setting that discloses private data, such as include_personal=true.
type disclosure struct {
	fact.Doc
	text string
}

// disclosed adds a fact for each setting that includes private data, if the document also names a
// recipient.
func (t *settings) disclosed() {
	for _, p := range t.private {
		if t.sends {
			p.Add(0, fact.Secret, fact.Private, p.text)
		}
	}
}

// Words in the names of settings. privateData lists the special kinds of data in articles 4, 9, and
// 10 of the GDPR, and data about payments. disclosing lists verbs for passing data on. protecting
// lists the measures in article 32 of the GDPR. recipients lists nouns for a recipient.
var (
	privateData = strings.Fields("pii personal sensitive financial health medical payment payments biometric genetic salary")
	disclosing  = strings.Fields("include includes collect collects export exports send sends forward capture upload share sync extract copy log track")
	protecting  = strings.Fields("anonymize anonymise anonymization anonymisation anonymized pseudonymize pseudonymization redact redaction consent")
	recipients  = strings.Fields("endpoint url uri target destination webhook host server sink collector")
)

// discloses adds the setting with the given key to t.private if it discloses private data. It sets
// t.sends if the setting specifies a recipient on the Internet. d is the value of the setting.
func (t *settings) discloses(d fact.Doc, key string) {
	if len(key) > 64 || len(d.Text) > 512 {
		return
	}
	words := strings.FieldsFunc(splitCase(key), func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' })
	has := func(set []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(set, w) })
	}
	switch value := strings.ToLower(d.Text); {
	case len(words) == 0:
	case value == "true" && (has(privateData) && has(disclosing) || has(protecting) && has([]string{"skip", "disable", "no"})), value == "false" && has(protecting) && !has([]string{"skip", "disable", "no"}):
		t.private = append(t.private, disclosure{d, key + "=" + value})
	case slices.Contains(recipients, words[len(words)-1]):
		_, rest, ok := strings.Cut(value, "://")
		host := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz0123456789.-"))]
		t.sends = t.sends || ok && literal.Outside(host)
	}
}

// splitCase returns name in lower case, with a space before each word that begins with a capital.
func splitCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// maxLevels is the maximum depth of the values that are read. Deeper values are ignored.
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
			if below == plain && m.Value.Kind == jsondoc.String {
				below = hooks
			}
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
	t.discloses(d, key)
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
		if !shell.Inline(d) {
			literal.Scan(d, literal.Data, fact.Literal)
		}
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

// Listed splits a list of tools at commas, white space, brackets, braces, and quotation marks. It
// does not split within parentheses.
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

// pairs adds the facts of settings that are read line by line, as pairs of a key and a value. It is
// used for TOML, INI, and similar formats, and for JSON and YAML that cannot be parsed.
func pairs(d fact.Doc) {
	t := settings{Doc: d}
	for line := range d.Lines() {
		line = line.Part(len(line.Text)-len(strings.TrimLeft(line.Text, " \t-")), len(line.Text))
		body := strings.TrimRight(line.Text, "\r\n")
		if strings.HasPrefix(body, "#") || strings.HasPrefix(body, ";") || strings.HasPrefix(body, "//") {
			prose.Comment(line)
			continue
		}
		i := strings.IndexAny(body, ":=")
		if i <= 0 || strings.ContainsAny(strings.TrimRight(body[:i], " "), " /{") {
			literal.Scan(line, literal.Data, fact.Literal)
			continue
		}
		key := strings.Trim(body[:i], " \"'")
		from := i + 1 + len(body[i+1:]) - len(strings.TrimLeft(body[i+1:], " \"'"))
		to := len(strings.TrimRight(body, " \"',"))
		if from < to {
			t.value(line.Part(from, to), key, meanings()[key])
		}
	}
	t.disclosed()
}
