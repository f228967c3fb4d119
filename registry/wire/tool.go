// This file converts items to tools, handles lists that contain invalid entries, and computes pins without excluded
// parts.

package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// noDescription replaces a missing description. A model needs a description to choose a tool, and the text also shows
// reviewers that the description is missing.
const noDescription = "(No description was given.)"

// ApplyTo returns a copy of t with the values of the item. ApplyTo clears fields of the format that the item lacks,
// except the name. It does not change fields that the format does not have. The caller sets the id, the provider, the
// source, and the status.
func (it Item) ApplyTo(t registry.Tool) registry.Tool {
	switch it.Format {
	case V0:
		var p registry.V0Prompt
		_ = jsondoc.Bind(it.node, jsondoc.Root, &p) // Problems reports mismatches
		said := p.Tool()
		t.Kind, t.Name, t.Archetype, t.Scope = said.Kind, said.Name, said.Archetype, said.Scope
		t.UsageNotes, t.Goals, t.Guardrails, t.Prompt = said.UsageNotes, said.Goals, said.Guardrails, said.Prompt
	case MCP:
		t.Kind = registry.ActionTool
		t.Name = label(cmp.Or(it.node.Get("title").AsString(), it.node.Get("annotations").Get("title").AsString(), t.Name, it.Name))
		t.Description = description(it.node)
		t.InputSchema, t.OutputSchema = schema(it.node.Get("inputSchema")), schema(it.node.Get("outputSchema"))
		t.Annotations = it.hints(t.Annotations)
		if len(t.InputSchema) == 0 {
			t.InputSchema = []byte("{}")
		}
	case MCPText:
		n := it.Shown()
		t.Kind = registry.ServerText
		t.Name = label(cmp.Or(n.Get("title").AsString(), it.Name))
		t.Description, t.Prompt = n.Get("description").AsString(), n.Get("prompt").AsString()
		t.InputSchema = schema(n.Get("inputSchema"))
	case OpenAI, Anthropic:
		t.Kind = registry.ActionTool
		t.Name = label(cmp.Or(t.Name, it.Name))
		t.Description = description(it.body())
		t.InputSchema = schema(cmp.Or(it.body().Get("parameters"), it.body().Get("input_schema")))
		if len(t.InputSchema) == 0 {
			t.InputSchema = []byte("{}")
		}
	case Toolcrib, Names:
	}
	return t
}

func description(n *jsondoc.Node) string {
	if s := n.Get("description").AsString(); strings.TrimSpace(s) != "" {
		return s
	}
	return noDescription
}

// label shortens s to registry.MaxName characters.
func label(s string) string {
	if utf8.RuneCountInString(s) <= registry.MaxName {
		return s
	}
	return string([]rune(s)[:registry.MaxName-1]) + "…"
}

// schema returns the canonical form of n, or nil if n is missing or null.
func schema(n *jsondoc.Node) []byte {
	if n == nil || n.Kind == jsondoc.Null {
		return nil
	}
	return jsondoc.Canonical(n)
}

// hintKeys returns the keys of boolean MCP annotations.
func hintKeys() []string {
	return []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
}

func hintField(a *registry.Annotations, key string) **bool {
	switch key {
	case "readOnlyHint":
		return &a.ReadOnly
	case "destructiveHint":
		return &a.Destructive
	case "idempotentHint":
		return &a.Idempotent
	}
	return &a.OpenWorld
}

// hints returns a copy of base with the hints of the item. If the item lacks a hint, the hint is unset in the result,
// because the default depends on the client.
func (it Item) hints(base *registry.Annotations) *registry.Annotations {
	a := *cmp.Or(base, &registry.Annotations{})
	for _, key := range hintKeys() {
		n := it.node.Get("annotations").Get(key)
		*hintField(&a, key) = nil
		if n != nil && n.Kind == jsondoc.Bool {
			v := n.Text == "true"
			*hintField(&a, key) = &v
		}
	}
	if a == (registry.Annotations{}) {
		return nil
	}
	return &a
}

// Problems returns the reasons why the item cannot be read in its format, or nil. Reasons are values of the wrong type,
// and header names that the protocol forbids. Unknown keys are allowed.
func (it Item) Problems() jsondoc.Problems {
	var ps jsondoc.Problems
	if it.Format == V0 {
		return jsondoc.Bind(it.node, jsondoc.Root, new(registry.V0Prompt))
	}
	body := it.body()
	if it.Format == MCPText {
		body = it.Shown()
	}
	for _, want := range []struct {
		key  string
		kind jsondoc.Kind
	}{
		{"description", jsondoc.String},
		{"title", jsondoc.String},
		{"inputSchema", jsondoc.Object},
		{"outputSchema", jsondoc.Object},
		{"input_schema", jsondoc.Object},
		{"parameters", jsondoc.Object},
		{"annotations", jsondoc.Object},
	} {
		if n := body.Get(want.key); n != nil && n.Kind != want.kind && n.Kind != jsondoc.Null {
			ps.Append(jsondoc.Problem{Path: want.key, Pos: n.Pos, Message: "expected " + want.kind.String() + ", got " + n.Kind.String()})
		}
	}
	if it.Format == MCP {
		h := headers{seen: map[string]string{}}
		h.schema(body.Get("inputSchema"), "inputSchema", true)
		ps.Append(h.found...)
	}
	return ps
}

// Rest returns the canonical JSON of the parts of the item that ApplyTo does not copy. A change of these parts does not
// change a text that a model reads, but it changes the approved tool. The times of a v0 prompt are not included.
func (it Item) Rest(t registry.Tool) string {
	if it.Format == MCPText { // a definition contains all responses as one text
		return string(jsondoc.Canonical(it.node))
	}
	rest := it.Unread(it.ApplyTo(t))
	if it.Format == V0 {
		rest.Remove("createdAt")
		rest.Remove("updatedAt")
	}
	return string(jsondoc.Canonical(rest))
}

// lenient contains the options for reading the structure of JSON that has invalid strings or duplicate names.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// entryLimits are the limits of an entry of a list. The depth is two levels less than the limit of a document, because
// the list and its document contain the entry.
var entryLimits = jsondoc.Limits{Bytes: jsondoc.DefaultLimits.Bytes, Depth: jsondoc.DefaultLimits.Depth - 2}

// refused checks the JSON of an entry that starts at the given position. If the JSON is not valid, refused returns the
// reason to skip the entry, and true. For example, the entry can contain an unpaired surrogate, a duplicate key, or too
// many levels.
func refused(entry []byte, path string, start jsondoc.Pos) (Skipped, bool) {
	_, err := jsondoc.Parse(entry, entryLimits)
	var ps jsondoc.Problems
	if !errors.As(err, &ps) {
		return Skipped{}, false
	}
	for i, p := range ps {
		if p.Pos.Line == 1 {
			ps[i].Pos.Column += start.Column - 1
		}
		ps[i].Pos.Line += start.Line - 1
	}
	s := Skipped{Reason: "cannot be read", Detail: jsondoc.Printable(ps.Error())}
	if at, err := memberAt(entry, "name"); err == nil && entry[at[0]] == '"' {
		if name, err := jsontext.AppendUnquote(nil, entry[at[0]:at[1]]); err == nil {
			s.Name = string(name)
		}
	}
	if s.Name == "" {
		s.Reason = path + " " + s.Reason
	}
	return s, true
}

// Readable returns the tools that are valid JSON. For each other tool, it returns a Skipped with the reason.
func Readable(tools []json.RawMessage) (kept []json.RawMessage, skipped []Skipped) {
	for i, raw := range tools {
		if s, odd := refused(raw, jsondoc.Index("tools", i), jsondoc.Pos{Line: 1, Column: 1}); odd {
			skipped = append(skipped, s)
		} else {
			kept = append(kept, raw)
		}
	}
	return kept, skipped
}

// listedTypes contains the types of the members of a tool, according to Tool in MCP's schema.ts. A member can be
// absent. In a path, "*" represents any member or element.
var listedTypes = []struct {
	path string
	kind jsondoc.Kind
}{
	{"inputSchema", jsondoc.Object},
	{"inputSchema.properties", jsondoc.Object},
	{"inputSchema.properties.*", jsondoc.Object},
	{"inputSchema.required", jsondoc.Array},
	{"inputSchema.required.*", jsondoc.String},
	{"outputSchema", jsondoc.Object},
	{"outputSchema.properties", jsondoc.Object},
	{"outputSchema.properties.*", jsondoc.Object},
	{"outputSchema.required", jsondoc.Array},
	{"outputSchema.required.*", jsondoc.String},
	{"title", jsondoc.String},
	{"description", jsondoc.String},
	{"annotations", jsondoc.Object},
	{"annotations.title", jsondoc.String},
	{"annotations.readOnlyHint", jsondoc.Bool},
	{"annotations.destructiveHint", jsondoc.Bool},
	{"annotations.idempotentHint", jsondoc.Bool},
	{"annotations.openWorldHint", jsondoc.Bool},
	{"icons", jsondoc.Array},
	{"icons.*", jsondoc.Object},
	{"execution", jsondoc.Object},
	{"_meta", jsondoc.Object},
}

// ListProblem returns a description of the part of an MCP tool that makes clients refuse the whole list of the server,
// or "". An example is `its "title", which is not a string`. The TypeScript SDK 1.32 refuses a list if any value has a
// type that MCP does not permit, including null.
func ListProblem(raw json.RawMessage) string {
	item, err := ReadItem(MCP, raw)
	if err != nil {
		return "an entry that cannot be read"
	}
	for _, want := range listedTypes {
		found := []*jsondoc.Node{item.node}
		for element := range strings.SplitSeq(want.path, ".") {
			var next []*jsondoc.Node
			for _, n := range found {
				switch {
				case element != "*":
					next = append(next, n.Get(element))
				case n != nil && n.Kind == jsondoc.Object:
					next = append(next, lists.Map(n.Members, func(m jsondoc.Member) *jsondoc.Node { return m.Value })...)
				case n != nil:
					next = append(next, n.Items...)
				}
			}
			found = slices.DeleteFunc(next, func(n *jsondoc.Node) bool { return n == nil })
		}
		if slices.ContainsFunc(found, func(n *jsondoc.Node) bool { return n.Kind != want.kind }) {
			return fmt.Sprintf("its %q, which is not %s", want.path, want.kind)
		}
	}
	for _, key := range []string{"inputSchema", "outputSchema"} {
		if schema := item.node.Get(key); (schema != nil || key == "inputSchema") && schema.Get("type").AsString() != "object" {
			return fmt.Sprintf(`its %s without "type": "object"`, key)
		}
	}
	return ""
}

// ParseLenient parses a document in which the list at path can contain invalid entries. In the results n and text, the
// number 0 replaces each invalid entry, and all other parts keep their line and column. The result odd maps the index
// of each invalid entry to the reason. ParseLenient returns ok=false if the document is invalid outside of the entries.
func ParseLenient(data []byte, path ...string) (n *jsondoc.Node, text []byte, odd map[int]Skipped, ok bool) {
	at, err := entriesAt(data, path)
	if err != nil {
		return nil, nil, nil, false
	}
	odd, end, pos := map[int]Skipped{}, 0, jsondoc.Pos{Line: 1, Column: 1}
	for i, e := range at {
		pos = pos.After(data[end:e[0]])
		s, is := refused(data[e[0]:e[1]], jsondoc.Index(strings.Join(path, "."), i), pos)
		text = append(text, data[end:e[0]]...)
		entry := data[e[0]:e[1]]
		if is {
			odd[i] = s
			text = append(text, '0')
			text = append(text, bytes.Map(func(r rune) rune {
				if r == '\n' {
					return r
				}
				return ' '
			}, entry[1:])...)
		} else {
			text = append(text, entry...)
		}
		pos, end = pos.After(entry), e[1]
	}
	text = append(text, data[end:]...)
	n, err = jsondoc.Parse(text, jsondoc.Limits{Bytes: max(len(data), jsondoc.DefaultLimits.Bytes), Depth: entryLimits.Depth + 1 + len(path)})
	return n, text, odd, err == nil
}

// entriesAt returns the byte ranges of the elements of the list at path.
func entriesAt(data []byte, path []string) (ranges [][2]int, err error) {
	in := [2]int{0, len(data)}
	for _, key := range path {
		member, err := memberAt(data[in[0]:in[1]], key)
		if err != nil {
			return nil, err
		}
		in = [2]int{in[0] + member[0], in[0] + member[1]}
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(data[in[0]:in[1]]), lenient...)
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != '[' {
		return nil, cmp.Or(err, errNoList)
	}
	for kind := d.PeekKind(); kind != ']'; kind = d.PeekKind() {
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		end := in[0] + int(d.InputOffset())
		ranges = append(ranges, [2]int{end - len(value), end})
	}
	_, err = d.ReadToken()
	return ranges, err
}

var errNoList = errors.New("not a list")

// memberAt returns the byte range of the value of key in an object. If the key occurs several times, the last value is
// used.
func memberAt(object []byte, key string) (at [2]int, err error) {
	err = jsondoc.Members(object, func(name string, value []byte, offset int) error {
		if name == key {
			at = [2]int{offset, offset + len(value)}
		}
		return nil
	})
	if err == nil && at == [2]int{} {
		err = errNoList
	}
	return at, err
}

// ServerList is the complete tool list of an MCP server, as received.
type ServerList struct {
	Server       json.RawMessage // serverInfo in the server's response, or nil
	Protocol     string          // revision of the protocol, or "" if unknown
	Capabilities json.RawMessage // capabilities that the client declared, or nil
	Tools        []json.RawMessage
	Texts        []json.RawMessage // server texts, or nil if they are not reviewed
	Skipped      []Skipped         // entries that are not valid JSON
}

// Document returns the list as a JSON document that Decode accepts.
func (l ServerList) Document() []byte {
	var doc bytes.Buffer
	doc.WriteByte('{')
	add := func(key string, value []byte) {
		if len(value) > 0 {
			fmt.Fprintf(&doc, `"%s":%s,`, key, value)
		}
	}
	add("serverInfo", l.Server)
	add("clientCapabilities", l.Capabilities)
	if l.Protocol != "" {
		add("protocolVersion", jsondoc.Canonical(jsondoc.NewString(l.Protocol)))
	}
	if l.Texts != nil {
		add("texts", Array(l.Texts))
	}
	if len(l.Skipped) > 0 {
		list := lists.Map(l.Skipped, func(s Skipped) *jsondoc.Node {
			return object("name", jsondoc.NewString(s.Name), "reason", jsondoc.NewString(s.Reason), "detail", jsondoc.NewString(s.Detail))
		})
		add(unreadKey, jsondoc.Canonical(jsondoc.NewArray(list...)))
	}
	fmt.Fprintf(&doc, `"tools":%s}`, Array(l.Tools))
	return doc.Bytes()
}

// Array returns a JSON array of values. The bytes of the values are not changed.
func Array(values []json.RawMessage) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// RepeatedPage reports that a server sent the same page of its list twice.
var RepeatedPage = Skipped{Reason: "the list contains the same page twice, so later pages were not read"}

// ListedItem is an Item with its hash.
type ListedItem struct {
	Item
	Sum string // result of Item.Hash
}

// ByName returns the given MCP tools by name. If several tools have the same name, the first is returned.
func ByName(tools []json.RawMessage) map[string]ListedItem {
	all := make(map[string]ListedItem, len(tools))
	for _, raw := range tools {
		item, err := ReadItem(MCP, raw)
		if _, again := all[item.Name]; err == nil && !again {
			all[item.Name] = ListedItem{item, item.Hash()}
		}
	}
	return all
}

// mask replaces an excluded text. Accepted JSON never contains this character.
const mask = "\x00"

// Part is a text in the JSON of a tool that an exclusion matches.
type Part struct {
	registry.Exclusion
	From, To int    // range in the text of the field, in characters
	Text     string // untrusted
}

// String describes the part and its location for people.
func (p Part) String() string {
	if p.Pattern == "" {
		return fmt.Sprintf("%s, now %s", p.Path, jsondoc.Quote(p.Text))
	}
	return fmt.Sprintf("characters %d–%d of %s, now %s (%s)", p.From+1, p.To, p.Path, jsondoc.Quote(p.Text), p.Exclusion)
}

// Pin returns the hash of the item's JSON without the excluded parts. It is equal to Source.Pin of the approved JSON if
// only excluded parts differ.
func (it Item) Pin(excluded []registry.Exclusion) string {
	if len(excluded) == 0 {
		return it.Hash()
	}
	n, _ := it.masked(excluded)
	return registry.HashBytes(jsondoc.Canonical(n))
}

// Excluded returns the texts in the item that the given exclusions match.
func (it Item) Excluded(excluded []registry.Exclusion) []Part {
	_, parts := it.masked(excluded)
	return parts
}

// Exclude returns a copy of s, the item's source, with the given exclusions.
func (it Item) Exclude(s *registry.Source, excluded []registry.Exclusion) *registry.Source {
	out := *s
	out.Excluded, out.Masked = excluded, ""
	if len(excluded) > 0 {
		out.Masked = it.Pin(excluded)
	}
	return &out
}

// masked returns the item's JSON with a mask in place of each excluded text, and these texts. Adjacent matches count as
// one text; otherwise, many short matches could exclude a long text.
func (it Item) masked(excluded []registry.Exclusion) (n *jsondoc.Node, parts []Part) {
	n, err := jsondoc.Parse(it.Raw, jsondoc.DefaultLimits)
	if err != nil {
		return it.node, nil
	}
	for _, e := range excluded {
		at := n.Find(e.Path)
		if at == nil {
			continue
		}
		if e.Pattern == "" {
			text := at.Text
			if at.Kind != jsondoc.String {
				text = string(jsondoc.Canonical(at))
			}
			if length := utf8.RuneCountInString(text); length <= registry.MaxExcluded {
				parts = append(parts, Part{e, 0, length, text})
				*at = *jsondoc.NewString(mask)
			}
			continue
		}
		re, err := regexp.Compile(e.Pattern)
		if err != nil || at.Kind != jsondoc.String {
			continue
		}
		var out strings.Builder
		end := 0
		for all := re.FindAllStringIndex(at.Text, -1); len(all) > 0; {
			from, to := all[0][0], all[0][1]
			for all = all[1:]; len(all) > 0 && all[0][0] == to; all = all[1:] {
				to = all[0][1]
			}
			text := at.Text[from:to]
			if length := utf8.RuneCountInString(text); length > 0 && length <= registry.MaxExcluded {
				start := utf8.RuneCountInString(at.Text[:from])
				parts = append(parts, Part{e, start, start + length, text})
				out.WriteString(at.Text[end:from] + mask)
				end = to
			}
		}
		at.Text = out.String() + at.Text[end:]
	}
	return n, parts
}

// Suggestion proposes to exclude a part in which two lists of a server differ.
type Suggestion struct {
	Path    string `json:"path"`
	Pattern string `json:"pattern,omitempty"` // "" to exclude the whole field
	From    int    `json:"from"`              // range in the field of the newer list, in characters
	To      int    `json:"to"`
}

// Suggest returns exclusions that give two snapshots of a tool the same pin. It returns nil if the snapshots are equal,
// or if the exclusion of short texts does not make the pins equal.
func Suggest(before, after []byte) []Suggestion {
	old, err := ReadItem(MCP, before)
	it, err2 := ReadItem(MCP, after)
	if err != nil || err2 != nil {
		return nil
	}
	var found []Suggestion
	var excluded []registry.Exclusion
	it.node.Walk(func(n *jsondoc.Node, path func() string) bool {
		if n.Kind == jsondoc.Object || n.Kind == jsondoc.Array {
			return true
		}
		was := old.node.Find(path())
		if was == nil || was.Text == n.Text && was.Kind == n.Kind {
			return true
		}
		s := Suggestion{Path: path(), To: utf8.RuneCountInString(n.Text)}
		if n.Kind == jsondoc.String && was.Kind == jsondoc.String && !strings.HasPrefix(s.Path, "_meta") {
			s.narrow(was.Text, n.Text)
		}
		found, excluded = append(found, s), append(excluded, registry.Exclusion{Path: s.Path, Pattern: s.Pattern})
		return true
	})
	source := registry.Source{Type: registry.SourceMCP, Ref: "x#x", Hash: it.Hash(), Excluded: excluded, Masked: it.Hash()}
	if len(found) == 0 || old.Pin(excluded) != it.Pin(excluded) || source.Problems() != nil {
		return nil
	}
	return found
}

// narrow sets the range and the pattern of s to the words in which oldText and newText differ. The pattern matches
// similar words. It starts with the text before these words and therefore does not match similar words elsewhere.
func (s *Suggestion) narrow(oldText, newText string) {
	a, b := []rune(oldText), []rune(newText)
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	end := 0
	for end < min(len(a), len(b))-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	inWord := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_:+.", r)
	}
	for from > 0 && inWord(b[from-1]) {
		from--
	}
	for end > 0 && inWord(b[len(b)-end]) {
		end--
	}
	for len(b)-end > from && strings.ContainsRune(":.+", b[len(b)-end-1]) { // punctuation that ends a sentence
		end++
	}
	s.From, s.To = from, len(b)-end
	words, class := string(a[from:max(from, len(a)-end)])+string(b[from:len(b)-end]), ""
	for _, class = range []string{"0-9", "0-9-", "0-9a-f-", "0-9TZ:.+-", "0-9A-Za-z_:.+-"} {
		if regexp.MustCompile("^[" + class + "]*$").MatchString(words) {
			break
		}
	}
	s.Pattern = regexp.QuoteMeta(string(b[max(0, from-20):from])) + "[" + class + "]+"
}
