// This file defines the terms of the filter language that find proposals by their facts.

package facts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// Term is a term of the filter language. It consists of a key and a value, as in
// "state:draft".
type Term struct {
	Key        string
	Sample     string // example of a value, for help
	Means      string // description of the proposals that the term finds, for help
	Expects    string // description of the permitted values, for errors
	MayBeEmpty bool   // the value may be omitted, and the term then matches any value
	Read       func(value string) ([]Atom, error)
	Known      []string                            // fixed values, in the order of suggestions
	Of         func(p proposals.Proposal) []string // values that find the given proposal
}

// Flag is a term of the filter language that consists of a single word, such as "stale".
type Flag struct {
	Word  string
	Is    Property
	Means string // description of the proposals that the flag finds, for help
}

// Atom is a condition on one property of a proposal.
type Atom struct {
	Is    Property
	Value string
}

// Property is a property of a proposal that an Atom compares with its Value.
type Property int

// The properties. Unless noted otherwise, the complete values are compared.
const (
	Text       Property = iota // substring of the subject, the title, the author, or the change set, ignoring case
	Number                     // number of the issue
	ID                         // prefix of the proposal's id
	State                      // a proposals.State
	Type                       // a proposals.Type
	Author                     // an actor, such as "user:mara"
	AuthorKind                 // "user:", "agent:", or "chief:"
	Subject                    // such as "tool:user/pacer"
	SubjectID                  // kind and id of the subject in any layer, such as "tool:pacer"
	Kind                       // kind of the subject, such as "tool"
	Layer                      // "global", "user", or a project such as "project/novel"; "project/" for all projects
	Set                        // name of a change set
	Rule                       // rule of a finding in the newest assessment
	Stale                      // has no value
	Blocked                    // has no value
	Unread                     // has no value
	Waits                      // user who must still approve, such as "user:mara"
)

// The following functions return the terms of each fact.
func stateTerms() []Term {
	known := append(words(proposals.States()), open, closed)
	return []Term{{Key: "state", Sample: "draft", Means: "in that state; open and closed match several states", Expects: listed(known), Read: states, Known: known}}
}

func typeTerms() []Term {
	known := words(proposals.Types())
	return []Term{{Key: "type", Sample: "modify", Means: "of that type", Expects: listed(known), Read: types, Known: known}}
}

func authorTerms() []Term {
	return []Term{
		{
			Key: "author", Sample: "mara", Means: "by that user, agent or chief (any agent: author:agent:)", Expects: "a name, user:NAME, agent:NAME, chief:NAME, agent: for any agent, or system", Read: authors,
			Of: func(p proposals.Proposal) []string { return []string{p.Author.String()} },
		},
		{Key: "user", Sample: "mara", Means: "by that user", Expects: "a name", MayBeEmpty: true, Read: byKind(proposals.User), Of: named(proposals.User)},
		{Key: "chief", Sample: "desk", Means: "by that chief", Expects: "a name", MayBeEmpty: true, Read: byKind(proposals.Chief), Of: named(proposals.Chief)},
		{Key: "agent", Sample: "scout", Means: "by that agent, or changing that agent", Expects: "the name of an agent", MayBeEmpty: true, Read: agents, Of: func(p proposals.Proposal) []string {
			return append(named(proposals.Agent)(p), idOf(registry.KindAgent)(p)...)
		}},
	}
}

func subjectTerms() []Term {
	const ids = "an id, or a layer and an id"
	return []Term{
		{Key: "tool", Sample: "pacer", Means: "on that tool (in a layer: tool:user/pacer; any tool: tool:)", Expects: ids, MayBeEmpty: true, Read: onKind(registry.KindTool), Of: idOf(registry.KindTool)},
		{Key: "list", Sample: "authoring", Means: "on that allow-list", Expects: ids, MayBeEmpty: true, Read: onKind(registry.KindList), Of: idOf(registry.KindList)},
		{Key: "skill", Sample: "pdf", Means: "on that skill", Expects: ids, MayBeEmpty: true, Read: onKind(registry.KindSkill), Of: idOf(registry.KindSkill)},
		{Key: "instructions", Sample: "agents", Means: "on that instruction file", Expects: ids, MayBeEmpty: true, Read: onKind(registry.KindInstructions), Of: idOf(registry.KindInstructions)},
		{
			Key: "layer", Sample: "project", Means: "on that layer: global, user, project or project/NAME", Expects: layerNames, Read: layers, Known: []string{"global", "project", "user"},
			Of: func(p proposals.Proposal) []string { return []string{string(p.Subject.Layer)} },
		},
	}
}

func setTerms() []Term {
	return []Term{{
		Key: "set", Sample: "NAME", Means: "in that change set", Expects: "the name of a change set", Read: func(v string) ([]Atom, error) { return []Atom{{Set, v}}, nil },
		Of: func(p proposals.Proposal) []string { return []string{p.ChangeSet} },
	}}
}

func approvalTerms() []Term {
	return []Term{{Key: "waits", Sample: "mara", Means: "waiting for that user's approval (see toolcrib policy)", Expects: "the name of a user", Read: waits, Of: named(proposals.User)}}
}

func findingTerms() []Term {
	reach := []string{"out", "link", "secret", "write", "rights", "run", "file", "user", "other"}
	return []Term{{Key: "reach", Sample: "out", Means: "adding facts of that kind; see toolcrib reach --help", Expects: "one of " + listed(reach), Known: reach, Read: func(v string) ([]Atom, error) {
		if !slices.Contains(reach, v) {
			return nil, fmt.Errorf("unknown kind of fact %q: use %s", v, listed(reach))
		}
		return []Atom{{Rule, "reach:" + v}}, nil
	}}, {Key: "rule", Sample: "S104", Means: "with a finding of that rule", Expects: "the id of a rule, such as S104", Read: ruleIDs}}
}

func words[T ~string](all []T) []string {
	return lists.Map(all, func(w T) string { return string(w) })
}

func listed(words []string) string {
	return strings.Join(words[:len(words)-1], ", ") + ", or " + words[len(words)-1]
}

// named returns a function that returns the name of a proposal's author if the author is of the given kind.
func named(kind proposals.ActorKind) func(proposals.Proposal) []string {
	return func(p proposals.Proposal) []string {
		if p.Author.Kind != kind {
			return nil
		}
		return []string{p.Author.Name}
	}
}

// idOf returns a function that returns the id of a proposal's subject if the subject is of the given kind.
func idOf(kind registry.Kind) func(proposals.Proposal) []string {
	return func(p proposals.Proposal) []string {
		if p.Subject.Kind != kind {
			return nil
		}
		return []string{p.Subject.ID}
	}
}

// Values of "state:" that match several states.
const (
	open   = "open"
	closed = "closed"
)

func states(value string) ([]Atom, error) {
	name := proposals.State(strings.ReplaceAll(strings.ToLower(value), "-", "_"))
	var found []Atom
	for _, s := range proposals.States() {
		if s == name || name == open && s.Open() || name == closed && !s.Open() {
			found = append(found, Atom{State, string(s)})
		}
	}
	if found == nil {
		return nil, fmt.Errorf("unknown state %q: use %s", value, listed(append(words(proposals.States()), open, closed)))
	}
	return found, nil
}

func types(value string) ([]Atom, error) {
	if t := proposals.Type(strings.ToLower(value)); slices.Contains(proposals.Types(), t) {
		return []Atom{{Type, string(t)}}, nil
	}
	return nil, fmt.Errorf("unknown type %q: use %s", value, listed(words(proposals.Types())))
}

// authors parses the value of "author:". The value is an actor, a kind of actor, or a name
// without a kind, which matches users, agents, and chiefs.
func authors(value string) ([]Atom, error) {
	kind, name, hasKind := strings.Cut(value, ":")
	if !hasKind {
		named := []Atom{{Author, "user:" + value}, {Author, "agent:" + value}, {Author, "chief:" + value}}
		if value == string(proposals.System) { // the system actor has no name, but a user can have the name "system"
			named = append(named, Atom{Author, value})
		}
		return named, nil
	}
	switch proposals.ActorKind(kind) {
	case proposals.User, proposals.Agent, proposals.Chief:
		return byKind(proposals.ActorKind(kind))(name)
	case proposals.System:
	}
	return nil, fmt.Errorf("unknown kind of actor %q: use user:, agent:, or chief: before the name", kind+":")
}

func byKind(kind proposals.ActorKind) func(string) ([]Atom, error) {
	return func(name string) ([]Atom, error) {
		if name == "" {
			return []Atom{{AuthorKind, string(kind) + ":"}}, nil
		}
		return []Atom{{Author, string(kind) + ":" + name}}, nil
	}
}

// agents parses the value of "agent:", which matches authors as well as subjects.
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

// waits parses the value of "waits:", which is a user who must still approve.
func waits(value string) ([]Atom, error) {
	kind, name, hasKind := strings.Cut(value, ":")
	if !hasKind {
		kind, name = string(proposals.User), value
	}
	if kind != string(proposals.User) || name == "" {
		return nil, fmt.Errorf("%q cannot approve: use the name of a user", value)
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
		return nil, fmt.Errorf("unknown layer %q: use %s", value, layerNames)
	}
	return []Atom{{Layer, string(l)}}, nil
}

// ruleID matches the id of a rule, which is a letter and three digits. The letter denotes the family of the rule.
var ruleID = regexp.MustCompile(`^[A-Z][0-9]{3}$`)

// IsRule reports whether text has the form of a rule id.
func IsRule(text string) bool { return ruleID.MatchString(text) }

func ruleIDs(value string) ([]Atom, error) {
	id := strings.ToUpper(value)
	if !IsRule(id) {
		return nil, fmt.Errorf("%q is not the id of a rule: use a letter and three digits, such as S104", value)
	}
	return []Atom{{Rule, id}}, nil
}
