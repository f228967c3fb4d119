// This file defines the content of governed objects, the canonical form of the
// content, and its hash.

package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// Definition is the content of one governed object. Exactly one field is set.
type Definition struct {
	Tool         *Tool
	Agent        *Agent
	List         *List
	Skill        *Folder
	Instructions *Folder
}

// IsZero reports whether d is empty.
func (d Definition) IsZero() bool { return d == Definition{} }

// MarshalJSON writes the content with its keys in their documented order.
func (d Definition) MarshalJSON() ([]byte, error) { return jsondoc.Encode(d.Content()) }

// Kind returns the kind of d.
func (d Definition) Kind() Kind {
	switch {
	case d.Agent != nil:
		return KindAgent
	case d.List != nil:
		return KindList
	case d.Skill != nil:
		return KindSkill
	case d.Instructions != nil:
		return KindInstructions
	}
	return KindTool
}

// Folder returns the folder of a skill or of instructions, or nil for other kinds.
func (d Definition) Folder() *Folder { return cmp.Or(d.Skill, d.Instructions) }

// ID returns the id of the defined object.
func (d Definition) ID() string {
	id, _, _ := d.head()
	return id
}

// Name returns the label of d for people. For skills and instructions, the label is
// their path.
func (d Definition) Name() string {
	_, name, _ := d.head()
	return name
}

// Status returns Active or Deactivated.
func (d Definition) Status() Status {
	if _, _, status := d.head(); status == Deactivated {
		return Deactivated
	}
	return Active
}

// head returns the fields that definitions of every kind have.
func (d Definition) head() (id, name string, status Status) {
	switch {
	case d.Tool != nil:
		return d.Tool.ID, d.Tool.Name, d.Tool.Status
	case d.Agent != nil:
		return d.Agent.ID, d.Agent.Name, d.Agent.Status
	case d.List != nil:
		return d.List.ID, cmp.Or(d.List.Name, d.List.ID), d.List.Status
	}
	if f := d.Folder(); f != nil {
		return f.ID, f.Path, f.Status
	}
	return "", "", ""
}

// WithStatus returns a copy of d with the given status.
func (d Definition) WithStatus(s Status) Definition {
	if s == Active {
		s = "" // the normal form; see normalise
	}
	switch {
	case d.Tool != nil:
		t := *d.Tool
		t.Status = s
		return Definition{Tool: &t}
	case d.Agent != nil:
		a := *d.Agent
		a.Status = s
		return Definition{Agent: &a}
	case d.List != nil:
		l := *d.List
		l.Status = s
		return Definition{List: &l}
	}
	if f := d.Folder(); f != nil {
		changed := *f
		changed.Status = s
		return folderDefinition(d.Kind(), &changed)
	}
	return d
}

// folderDefinition returns f as the definition of a skill or of instructions,
// depending on kind.
func folderDefinition(kind Kind, f *Folder) Definition {
	if kind == KindSkill {
		return Definition{Skill: f}
	}
	return Definition{Instructions: f}
}

// Content returns a pointer to the content of d, such as a *Tool, or nil if d is
// empty.
func (d Definition) Content() any {
	switch {
	case d.Tool != nil:
		return d.Tool
	case d.Agent != nil:
		return d.Agent
	case d.List != nil:
		return d.List
	case d.Folder() != nil:
		return d.Folder()
	}
	return nil
}

// Canonical returns the canonical JSON of d, or nil if d is empty.
func (d Definition) Canonical() []byte {
	if d.IsZero() {
		return nil
	}
	n, err := d.Node()
	if err != nil {
		panic(fmt.Sprintf("registry: a decoded definition does not marshal: %v", err))
	}
	return jsondoc.Canonical(n)
}

// Node returns d as a JSON tree. d must not be empty.
func (d Definition) Node() (*jsondoc.Node, error) {
	if f := d.Folder(); f != nil {
		if n, ok := f.node(); ok {
			return n, nil
		}
	}
	if d.Tool == nil {
		return jsondoc.FromValue(d.Content())
	}
	t, long := *d.Tool, map[string]string{} // replaced by placeholders, because encoding and parsing long texts is slow
	for key, text := range map[string]*string{"prompt": &t.Prompt, "description": &t.Description} {
		if len(*text) > 1<<10 && utf8.ValidString(*text) {
			long[key], *text = *text, "-"
		}
	}
	n, err := jsondoc.FromValue(&t)
	if err != nil {
		return nil, err
	}
	for key, text := range long {
		n.Set(key, jsondoc.NewString(text))
	}
	return n, nil
}

// Hash returns the content hash of d: the SHA-256 of its canonical JSON in
// lower-case hex, or "" if d is empty.
func (d Definition) Hash() string {
	if d.IsZero() {
		return ""
	}
	return HashBytes(d.Canonical())
}

// HashBytes returns the SHA-256 of b in lower-case hex.
func HashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// DecodeDefinition parses a definition of the given kind from canonical or hand-written
// JSON. The error is a jsondoc.Problems with all structural problems, such as unknown
// keys and values of the wrong type. DecodeDefinition does not check whether the
// definition is complete; call Problems on the result.
func DecodeDefinition(kind Kind, data []byte) (Definition, error) {
	n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
	if err != nil {
		return Definition{}, err
	}
	d, ps := BindDefinition(kind, n, jsondoc.Root)
	return d, ps.Err()
}

// BindDefinition converts n, the JSON tree at the given path, to a definition of the
// given kind. It removes values that mean the same as an absent key, such as the status
// "active", an empty list, or a limit of 0. Equivalent definitions therefore have the
// same hash.
func BindDefinition(kind Kind, n *jsondoc.Node, path string) (Definition, jsondoc.Problems) {
	switch kind { //nolint:exhaustive // the code below handles tools
	case KindAgent:
		var a Agent
		ps := jsondoc.Bind(n, path, &a)
		a.normalise()
		return Definition{Agent: &a}, ps
	case KindList:
		var l List
		ps := jsondoc.Bind(n, path, &l)
		l.normalise()
		return Definition{List: &l}, ps
	case KindSkill, KindInstructions:
		var f Folder
		ps := jsondoc.Bind(n, path, &f)
		f.normalise()
		return folderDefinition(kind, &f), ps
	}
	var t Tool
	ps := jsondoc.Bind(n, path, &t)
	t.normalise()
	return Definition{Tool: &t}, ps
}

// Keys returns the keys that definitions of the same kind as d can have, in the
// documented order.
func (d Definition) Keys() []string {
	if d.IsZero() {
		d.Tool = &Tool{}
	}
	return jsondoc.Keys(d.Content())
}

// normalise removes values that have the same meaning as an absent key.
func (t *Tool) normalise() {
	if t.Status == Active {
		t.Status = ""
	}
	dropEmpty(&t.Aliases)
	dropEmpty(&t.Guidance)
	t.Annotations = absent(t.Annotations)
	t.Approval = absent(t.Approval)
	t.Availability = absent(t.Availability)
	t.Limits = absent(t.Limits)
	t.Provider = absent(t.Provider)
	if s := t.Source; s != nil {
		if dropEmpty(&s.Excluded); s.Excluded == nil && s.Type+s.Ref+s.Hash+s.Masked == "" {
			t.Source = nil
		}
	}
	if t.Tag != nil {
		dropEmpty(&t.Tag.ArgGroups)
	}
}

func (a *Agent) normalise() {
	if a.Status == Active {
		a.Status = ""
	}
	dropEmpty(&a.ChannelGuidance)
	dropEmpty(&a.Categories)
	dropEmpty(&a.Features)
	a.SessionOpen = absent(a.SessionOpen)
}

// normalise removes values that have the same meaning as an absent key, and sets the
// id of a list that has only a name.
func (l *List) normalise() {
	if l.Status == Active {
		l.Status = ""
	}
	if l.ID == "" && ValidID(l.Name) {
		l.ID = l.Name
	}
	if l.Name == l.ID {
		l.Name = ""
	}
}

// dropEmpty sets *v to nil if *v is empty. JSON omits nil values.
func dropEmpty[T []string | []Exclusion | map[string]string | map[string]bool | map[string]File](v *T) {
	if len(*v) == 0 {
		*v = nil
	}
}

// absent returns p, or nil if p points to a zero value.
func absent[T comparable](p *T) *T {
	var zero T
	if p != nil && *p == zero {
		return nil
	}
	return p
}

// Values returns the canonical JSON value of each key that is set in t.
func (t Tool) Values() map[string]string {
	n, err := jsondoc.FromValue(t)
	if err != nil {
		panic(fmt.Sprintf("registry: a decoded tool does not marshal: %v", err))
	}
	return lists.Index(n.Members, func(m jsondoc.Member) (string, string) { return m.Key, string(jsondoc.Canonical(m.Value)) })
}

// TextHash returns a hash of the texts of t that agents read. Names are not included,
// and texts that differ only in white space have the same hash. TextHash returns "" if
// t has no text.
func (t Tool) TextHash() string {
	texts := []string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt, t.Description, string(t.InputSchema)}
	for _, channel := range slices.Sorted(maps.Keys(t.Guidance)) {
		texts = append(texts, channel, t.Guidance[channel])
	}
	empty := true
	for i, text := range texts {
		var words []byte
		for word := range strings.FieldsSeq(text) {
			if words == nil {
				words = make([]byte, 0, len(text))
			} else {
				words = append(words, ' ')
			}
			words = append(words, word...)
		}
		texts[i] = string(words)
		empty = empty && texts[i] == ""
	}
	if empty {
		return ""
	}
	b, err := json.Marshal(texts)
	if err != nil {
		panic("registry: texts do not marshal: " + err.Error())
	}
	return HashBytes(b)
}
