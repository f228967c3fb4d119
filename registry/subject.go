package registry

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// Kind is the kind of a subject.
type Kind string

// The governed kinds.
const (
	KindTool         Kind = "tool"
	KindAgent        Kind = "agent"
	KindList         Kind = "list"  // an allow-list
	KindSkill        Kind = "skill" // a folder with a SKILL.md
	KindInstructions Kind = "instructions"
)

// SubjectKinds returns all kinds. Searches for an id try the kinds in this order.
func SubjectKinds() []Kind {
	return []Kind{KindTool, KindAgent, KindList, KindSkill, KindInstructions}
}

// InFiles reports whether definitions of kind k exist as files that agents read.
func (k Kind) InFiles() bool { return k == KindSkill || k == KindInstructions }

// Layer is the scope of a definition: LayerGlobal, LayerUser, or "project/<name>". The
// user layer overrides the global layer, and project layers override both.
type Layer string

// The layers that exist in every database. Project layers have names.
const (
	LayerGlobal Layer = "global"
	LayerUser   Layer = "user"
)

const projectPrefix = "project/"

// ProjectLayer returns the layer of the project with the given name.
func ProjectLayer(name string) Layer { return Layer(projectPrefix + name) }

// Project returns the name of the project of l, or "" for the global and the user
// layer.
func (l Layer) Project() string {
	if name, ok := strings.CutPrefix(string(l), projectPrefix); ok {
		return name
	}
	return ""
}

// Rank returns 0 for the global layer, 1 for the user layer, and 2 for project layers.
// Layers with a higher rank override layers with a lower rank.
func (l Layer) Rank() int {
	switch l {
	case LayerGlobal:
		return 0
	case LayerUser:
		return 1
	}
	return 2
}

// View returns the layers that are merged for a user who works in l, weakest first.
func (l Layer) View() []Layer {
	switch l {
	case LayerGlobal:
		return []Layer{LayerGlobal}
	case LayerUser:
		return []Layer{LayerGlobal, LayerUser}
	}
	return []Layer{LayerGlobal, LayerUser, l}
}

// Subject identifies the object of a proposal: a tool, an agent, an allow-list, a
// skill, or instructions in a layer. Its text form is "<kind>:<layer>/<id>", such as
// "tool:user/scene_pacer", "agent:project/novel/assistant", or "skill:user/pdf".
type Subject struct {
	Kind  Kind
	Layer Layer
	ID    string
}

// MaxIDLength is the maximum length of ids, project names, and other names with the
// form of an id, in characters.
const MaxIDLength = 64

// ErrSubject indicates a malformed subject or layer.
var ErrSubject = errors.New("not a subject")

// ValidID reports whether id is well-formed: lower-case words of ASCII letters and
// digits joined by "_", starting with a letter, with at most MaxIDLength characters.
func ValidID(id string) bool {
	return consistsOf(id, lower, lower+digits+"_") && !strings.HasSuffix(id, "_") && !strings.Contains(id, "__")
}

// ParseLayer parses "global", "user", or "project/<name>".
func ParseLayer(s string) (Layer, error) {
	l := Layer(s)
	if l == LayerGlobal || l == LayerUser || consistsOf(l.Project(), lower+upper+digits, lower+upper+digits+"_.-") {
		return l, nil
	}
	return "", fmt.Errorf("%w: unknown layer %s; use global, user, or project/<name> (names consist of letters, digits, \"_\", \".\", and \"-\")", ErrSubject, jsondoc.Quote(s))
}

// ParseSubject parses "<kind>:<layer>/<id>".
func ParseSubject(s string) (Subject, error) {
	kind, rest, ok := strings.Cut(s, ":")
	slash := strings.LastIndexByte(rest, '/')
	if !ok || slash < 0 {
		return Subject{}, fmt.Errorf("%w: %s; expected <kind>:<layer>/<id>, such as tool:user/scene_pacer; the kinds are tool, agent, list, skill, and instructions", ErrSubject, jsondoc.Quote(s))
	}
	if !slices.Contains(SubjectKinds(), Kind(kind)) {
		return Subject{}, fmt.Errorf("%w: %s has the unknown kind %s; use tool, agent, list, skill, or instructions", ErrSubject, jsondoc.Quote(s), jsondoc.Quote(kind))
	}
	layer, err := ParseLayer(rest[:slash])
	if err != nil {
		return Subject{}, err
	}
	id := rest[slash+1:]
	if !ValidID(id) {
		return Subject{}, fmt.Errorf("%w: %s is not a valid id; ids consist of lower-case letters and digits in words joined by \"_\" and have at most %d characters", ErrSubject, jsondoc.Quote(id), MaxIDLength)
	}
	return Subject{Kind: Kind(kind), Layer: layer, ID: id}, nil
}

// String returns s in the format of ParseSubject, or "" for the zero value.
func (s Subject) String() string {
	if s == (Subject{}) {
		return ""
	}
	return string(s.Kind) + ":" + string(s.Layer) + "/" + s.ID
}

// MarshalText implements encoding.TextMarshaler.
func (s Subject) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Subject) UnmarshalText(text []byte) error {
	v, err := ParseSubject(string(text))
	if err != nil {
		return err
	}
	*s = v
	return nil
}

// BindJSON implements jsondoc.Binder.
func (s *Subject) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	var text string
	if ps := jsondoc.Bind(n, path, &text); len(ps) > 0 {
		return ps
	}

	if err := s.UnmarshalText([]byte(text)); err != nil {
		return jsondoc.Problems{{Path: path, Pos: n.Pos, Message: err.Error()}}
	}
	return nil
}

// OtherNames returns the names of a tool apart from its id: its aliases, its name in
// prompts and exports, its name at the provider, and the prefix of its tag. For other
// kinds, it returns nil.
func (d Definition) OtherNames() []string {
	t := d.Tool
	if t == nil {
		return nil
	}
	names := append(slices.Clone(t.Aliases), t.WireName(), t.OriginName())
	if t.Provider != nil {
		names = append(names, t.Provider.Name)
	}
	if t.Tag != nil {
		names = append(names, t.Tag.Prefix)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || name == t.ID })
}

// Names are checked by loops because regular expressions would have to be compiled each
// time the program starts.

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// consistsOf reports whether s starts with a character in initial, contains only
// characters in allowed, and has 1 to MaxIDLength characters.
func consistsOf(s, initial, allowed string) bool {
	return s != "" && len(s) <= MaxIDLength &&
		strings.IndexByte(initial, s[0]) >= 0 && strings.Trim(s, allowed) == ""
}
