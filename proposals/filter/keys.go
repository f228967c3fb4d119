package filter

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// key is a word before a colon.
type key struct {
	expects    string // what its values are, for messages
	mayBeEmpty bool
	atoms      func(value string) ([]Atom, error)
}

var keys = map[string]key{
	"state":  {expects: stateList(), atoms: states},
	"type":   {expects: list(proposals.Types()), atoms: types},
	"author": {expects: "a name, user:NAME, agent:NAME, chief:NAME, agent: for any agent, or system", atoms: authors},
	"user":   {expects: "a name", mayBeEmpty: true, atoms: byKind(proposals.User)},
	"chief":  {expects: "a name", mayBeEmpty: true, atoms: byKind(proposals.Chief)},
	"agent":  {expects: "the name of an agent", mayBeEmpty: true, atoms: agents},
	"tool":   {expects: "an id, or a layer and an id", mayBeEmpty: true, atoms: onKind(registry.KindTool)},
	"list":   {expects: "an id, or a layer and an id", mayBeEmpty: true, atoms: onKind(registry.KindList)},
	"set":    {expects: "the name of a change set", atoms: func(v string) ([]Atom, error) { return []Atom{{Set, v}}, nil }},
	"layer":  {expects: layerNames, atoms: layers},
	"waits":  {expects: "the name of a user", atoms: waits},
	"rule":   {expects: "the id of a rule, such as S104", atoms: ruleIDs},
}

// Keys returns the words that a colon follows, sorted.
func Keys() []string { return slices.Sorted(maps.Keys(keys)) }

// flags are the words that mean more than their text.
var flags = map[string]Property{"stale": Stale, "blocked": Blocked}

// Flags returns the words that stand for a property, sorted.
func Flags() []string { return slices.Sorted(maps.Keys(flags)) }

func list[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + ", or " + texts[len(texts)-1]
}

// Groups of states.
const (
	open   = "open"
	closed = "closed"
)

func stateList() string { return list(append(proposals.States(), open, closed)) }

func states(value string) ([]Atom, error) {
	name := proposals.State(strings.ReplaceAll(strings.ToLower(value), "-", "_"))
	var found []Atom
	for _, s := range proposals.States() {
		if s == name || name == open && s.Open() || name == closed && !s.Open() {
			found = append(found, Atom{State, string(s)})
		}
	}
	if found == nil {
		return nil, fmt.Errorf("there is no state %q; write %s", value, stateList())
	}
	return found, nil
}

func types(value string) ([]Atom, error) {
	if t := proposals.Type(strings.ToLower(value)); slices.Contains(proposals.Types(), t) {
		return []Atom{{Type, string(t)}}, nil
	}
	return nil, fmt.Errorf("there is no type %q; write %s", value, list(proposals.Types()))
}

// authors reads the author of a proposal: an actor, a kind of actor, or a name
// that any kind of actor may have.
func authors(value string) ([]Atom, error) {
	kind, name, hasKind := strings.Cut(value, ":")
	if !hasKind {
		named := []Atom{{Author, "user:" + value}, {Author, "agent:" + value}, {Author, "chief:" + value}}
		if value == string(proposals.System) { // it has no name, and a user may be called so
			named = append(named, Atom{Author, value})
		}
		return named, nil
	}
	switch proposals.ActorKind(kind) {
	case proposals.User, proposals.Agent, proposals.Chief:
		return byKind(proposals.ActorKind(kind))(name)
	case proposals.System:
	}
	return nil, fmt.Errorf("there is no kind of actor %q; write user:, agent:, or chief: before the name", kind+":")
}

func byKind(kind proposals.ActorKind) func(string) ([]Atom, error) {
	return func(name string) ([]Atom, error) {
		if name == "" {
			return []Atom{{AuthorKind, string(kind) + ":"}}, nil
		}
		return []Atom{{Author, string(kind) + ":" + name}}, nil
	}
}

// agents reads "agent:", with which the names of authors and of subjects begin.
func agents(value string) ([]Atom, error) {
	by, _ := byKind(proposals.Agent)(value)
	on, err := onKind(registry.KindAgent)(value)
	return append(by, on...), err
}

func onKind(kind registry.Kind) func(string) ([]Atom, error) {
	return func(value string) ([]Atom, error) {
		switch {
		case value == "":
			return []Atom{{Kind, string(kind)}}, nil
		case strings.Contains(value, "/"):
			return []Atom{{Subject, string(kind) + ":" + value}}, nil
		}
		return []Atom{{SubjectID, string(kind) + ":" + value}}, nil
	}
}

// waits reads the user whose approval is missing.
func waits(value string) ([]Atom, error) {
	kind, name, hasKind := strings.Cut(value, ":")
	if !hasKind {
		kind, name = string(proposals.User), value
	}
	if kind != string(proposals.User) || name == "" {
		return nil, fmt.Errorf("%q approves nothing; write the name of a user", value)
	}
	return []Atom{{Waits, kind + ":" + name}}, nil
}

const layerNames = "global, user, project, or project/NAME"

func layers(value string) ([]Atom, error) {
	if name := strings.TrimSuffix(value, "/"); name == "project" {
		return []Atom{{Layer, "project/"}}, nil
	}
	l, err := registry.ParseLayer(value)
	if err != nil {
		return nil, fmt.Errorf("there is no layer %q; write %s", value, layerNames)
	}
	return []Atom{{Layer, string(l)}}, nil
}

// ruleID is how rules are named: by the letter of their family and a number.
var ruleID = regexp.MustCompile(`^[A-Z][0-9]{3}$`)

func ruleIDs(value string) ([]Atom, error) {
	id := strings.ToUpper(value)
	if !ruleID.MatchString(id) {
		return nil, fmt.Errorf("%q is not the id of a rule; write a letter and three digits, such as S104", value)
	}
	return []Atom{{Rule, id}}, nil
}

// idPrefix matches the beginning of an id: enough that it is not a word.
var idPrefix = regexp.MustCompile(`^[0-9a-f]{6,8}(-[0-9a-f]{0,4}){0,3}(-[0-9a-f]{0,12})?$`)

// plain reads a word without a key: a number, a flag, or a text, which may also
// be a number, the beginning of an id, or a rule.
func (p *parser) plain(t *Term, start int, word string) error {
	if is, ok := flags[word]; ok {
		t.Any = []Atom{{Is: is}}
		return nil
	}
	if digits, marked := strings.CutPrefix(word, "#"); marked {
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || digits[0] < '1' {
			return p.errorAt(start, `a number follows "#", such as #17; quote %q to look for the text`, word)
		}
		t.Any = []Atom{{Number, digits}}
		return nil
	}
	t.Any = []Atom{{Text, word}}
	if n, err := strconv.Atoi(word); err == nil && n > 0 && word[0] >= '1' && word[0] <= '9' {
		t.Any = append(t.Any, Atom{Number, word})
	}
	if id := strings.ToLower(word); idPrefix.MatchString(id) && strings.ContainsAny(id, "0123456789") {
		t.Any = append(t.Any, Atom{ID, id})
	}
	if id := strings.ToUpper(word); ruleID.MatchString(id) {
		t.Any = append(t.Any, Atom{Rule, id})
	}
	return nil
}
