// This file handles the prompts and instructions of MCP servers.

package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Keys of a server text. A server text is a JSON object in a format of toolcrib. It represents a prompt or the
// instructions of an MCP server. For a prompt, it contains the prompt's entry in the server's list, and the responses
// to prompts/get with placeholders as arguments.
const (
	textPrompt       = "prompt"
	textAnswers      = "answers"
	textInstructions = "instructions"
)

// InstructionsName is the name under which the instructions of a server are stored.
const InstructionsName = "instructions"

// PromptName returns the name under which the given prompt of a server is stored.
func PromptName(prompt string) string { return "prompts/" + prompt }

// Placeholder returns the value that represents an argument in requests for prompts/get and in the responses.
func Placeholder(argument string) string { return "{{" + argument + "}}" }

// PromptAnswer is a response of a server to prompts/get.
type PromptAnswer struct {
	With   []string // names of the arguments in the request; the value of each was its Placeholder
	Result json.RawMessage
}

// NewPrompt returns the server text of a prompt. It contains the unchanged entry of the prompt in the server's list,
// and the parts of the responses that a model reads. The entry must be an object with a name.
func NewPrompt(entry json.RawMessage, answers []PromptAnswer) (json.RawMessage, error) {
	n, err := jsondoc.Parse(entry, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	name := n.Get("name").AsString()
	if name == "" {
		return nil, fmt.Errorf("missing name of the prompt %s", jsondoc.Quote(string(entry)))
	}
	list := jsondoc.NewArray()
	for _, a := range answers {
		read, err := readAnswer(a.Result)
		if err != nil {
			return nil, err
		}
		with := jsondoc.NewArray(lists.Map(a.With, jsondoc.NewString)...)
		list.Items = append(list.Items, jsondoc.NewObject(append([]jsondoc.Member{{Key: "with", Value: with}}, read.Members...)...))
	}
	return fmt.Appendf(nil, `{"name":%s,%q:%s,%q:%s}`, jsondoc.Canonical(jsondoc.NewString(PromptName(name))), textPrompt, entry, textAnswers, jsondoc.Canonical(list)), nil
}

// CheckAnswer returns an error unless result is a valid response to prompts/get.
func CheckAnswer(result []byte) error {
	_, err := readAnswer(result)
	return err
}

// readAnswer returns the parts of a response to prompts/get that a model reads.
func readAnswer(result []byte) (*jsondoc.Node, error) {
	n, err := jsondoc.Parse(result, jsondoc.DefaultLimits)
	if err != nil {
		return nil, err
	}
	messages := n.Get("messages")
	if messages == nil || messages.Kind != jsondoc.Array {
		return nil, fmt.Errorf("the response to prompts/get has no messages")
	}
	read := jsondoc.NewObject()
	if d := n.Get("description"); d != nil {
		read.Set("description", d)
	}
	read.Set("messages", messages)
	return read, nil
}

// NewInstructions returns the server text of a server's instructions.
func NewInstructions(instructions string) json.RawMessage {
	return jsondoc.Canonical(jsondoc.NewObject(
		jsondoc.Member{Key: "name", Value: jsondoc.NewString(InstructionsName)},
		jsondoc.Member{Key: textInstructions, Value: jsondoc.NewString(instructions)},
	))
}

// ServerText is an approved prompt or the approved instructions of a server.
type ServerText struct {
	Entry        json.RawMessage // entry of a prompt in the server's list; nil for instructions
	EntryHash    string          // hash of the entry's canonical form
	Instructions string

	arguments []string
	answers   []*jsondoc.Node
}

// ReadServerText parses a server text that NewPrompt or NewInstructions returned.
func ReadServerText(raw []byte) (ServerText, error) {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return ServerText{}, err
	}
	t := ServerText{Instructions: n.Get(textInstructions).AsString()}
	entry := n.Get(textPrompt)
	if entry == nil {
		return t, nil
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil {
		return ServerText{}, err
	}
	t.Entry, t.EntryHash = parts[textPrompt], registry.HashBytes(jsondoc.Canonical(entry))
	t.arguments = lists.Map(argumentsOf(entry), func(a *jsondoc.Node) string { return a.Get("name").AsString() })
	if answers := n.Get(textAnswers); answers != nil {
		for _, a := range answers.Items {
			a.Remove("with")
			t.answers = append(t.answers, a)
		}
	}
	return t, nil
}

// PromptArguments returns the names of the required and of the optional arguments of a prompt. The argument entry is
// the prompt's entry in the server's list.
func PromptArguments(entry json.RawMessage) (required, optional []string) {
	n, err := jsondoc.Parse(entry, jsondoc.DefaultLimits)
	if err != nil {
		return nil, nil
	}
	for _, a := range argumentsOf(n) {
		if r := a.Get("required"); r != nil && r.Kind == jsondoc.Bool && r.Text == "true" {
			required = append(required, a.Get("name").AsString())
		} else {
			optional = append(optional, a.Get("name").AsString())
		}
	}
	return required, optional
}

// argumentsOf returns the arguments of a prompt. It returns nil if they are malformed, that is, if a name is missing or
// occurs twice.
func argumentsOf(entry *jsondoc.Node) []*jsondoc.Node {
	list := entry.Get("arguments")
	if list == nil || list.Kind != jsondoc.Array {
		return nil
	}
	seen := map[string]bool{}
	for _, a := range list.Items {
		name := a.Get("name").AsString()
		if name == "" || seen[name] {
			return nil
		}
		seen[name] = true
	}
	return list.Items
}

// Covers reports whether result, a response to prompts/get, is equal to an approved response. Before the comparison,
// the placeholders in the approved response are replaced by the values of args, or by "" for missing arguments.
func (t ServerText) Covers(args map[string]string, result []byte) bool {
	read, err := readAnswer(result)
	if err != nil {
		return false
	}
	var pairs []string
	for _, name := range t.arguments {
		pairs = append(pairs, Placeholder(name), args[name])
	}
	fill, got := strings.NewReplacer(pairs...), string(jsondoc.Canonical(read))
	return slices.ContainsFunc(t.answers, func(a *jsondoc.Node) bool { return string(jsondoc.Canonical(filled(a, fill))) == got })
}

// filled returns a copy of n in which fill has replaced the placeholders in all strings.
func filled(n *jsondoc.Node, fill *strings.Replacer) *jsondoc.Node {
	out := *n
	if n.Kind == jsondoc.String {
		out.Text = fill.Replace(n.Text)
	}
	out.Items, out.Members = slices.Clone(n.Items), slices.Clone(n.Members)
	for i := range out.Items {
		out.Items[i] = filled(out.Items[i], fill)
	}
	for i := range out.Members {
		out.Members[i].Value = filled(out.Members[i].Value, fill)
	}
	return &out
}

// Shown returns the item in the form that reviewers and rules expect of a tool. For a prompt of a server, the arguments
// become an input schema and the messages become the value of "prompt". For instructions, the text becomes the value of
// "prompt". Other items are returned unchanged.
func (it Item) Shown() *jsondoc.Node {
	if it.Format != MCPText {
		return it.node
	}
	n := jsondoc.NewObject(jsondoc.Member{Key: "name", Value: jsondoc.NewString(it.Name)})
	if i := it.node.Get(textInstructions); i != nil {
		n.Set("prompt", i)
	}
	rest := jsondoc.NewObject()
	if entry := it.node.Get(textPrompt); entry != nil {
		arguments := argumentsOf(entry)
		for _, m := range entry.Members {
			switch {
			case m.Key == "name":
			case m.Key == "arguments" && len(arguments) > 0:
				n.Set("inputSchema", argumentSchema(arguments))
			case m.Key == "title" || m.Key == "description":
				n.Set(m.Key, m.Value)
			default:
				rest.Set(m.Key, m.Value)
			}
		}
	}
	if answers := it.node.Get(textAnswers); answers != nil && len(answers.Items) > 0 {
		n.Set("prompt", jsondoc.NewString(answersText(answers.Items, n.Get("description").AsString())))
	}
	if len(rest.Members) > 0 {
		n.Set("entry", rest)
	}
	return n
}

// argumentSchema returns the JSON Schema of a prompt's arguments.
func argumentSchema(arguments []*jsondoc.Node) *jsondoc.Node {
	properties, required := jsondoc.NewObject(), jsondoc.NewArray()
	for _, a := range arguments {
		p := jsondoc.NewObject(jsondoc.Member{Key: "type", Value: jsondoc.NewString("string")})
		for _, m := range a.Members {
			switch m.Key {
			case "name":
			case "required":
				if m.Value.Kind == jsondoc.Bool && m.Value.Text == "true" {
					required.Items = append(required.Items, a.Get("name"))
				}
			default:
				p.Set(m.Key, m.Value)
			}
		}
		properties.Set(a.Get("name").AsString(), p)
	}
	s := object("type", jsondoc.NewString("object"), "properties", properties)
	if len(required.Items) > 0 {
		s.Set("required", required)
	}
	return s
}

// answersText formats a server's responses to prompts/get for reviewers and rules. The result contains everything that
// a model reads, except a description that is equal to the given one.
func answersText(answers []*jsondoc.Node, description string) string {
	var parts []string
	for _, a := range answers {
		var lines []string
		if len(answers) > 1 {
			given := "without arguments"
			if with := a.Get("with"); with != nil && len(with.Items) > 0 {
				given = "with " + strings.Join(lists.Map(with.Items, (*jsondoc.Node).AsString), ", ")
			}
			lines = append(lines, "["+given+"]")
		}
		if d := a.Get("description"); d != nil && !isText(d, description) {
			lines = append(lines, "[description] "+cmp.Or(d.AsString(), string(jsondoc.Canonical(d))))
		}
		if messages := a.Get("messages"); messages != nil {
			lines = append(lines, lists.Map(messages.Items, messageText)...)
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n\n")
}

// messageText formats a message of a prompt. A plain text of the user is returned unchanged. A plain text of another
// role is returned together with the role. Any other message is returned as JSON.
func messageText(m *jsondoc.Node) string {
	content, role := m.Get("content"), m.Get("role").AsString()
	plain := content != nil && len(content.Members) == 2 && isText(cmp.Or(content.Get("type"), content), "text") && content.Get("text").AsString() != ""
	switch {
	case !plain || len(m.Members) != 2 || role == "":
		return string(jsondoc.Canonical(m))
	case role == "user":
		return content.Get("text").AsString()
	}
	return "[" + role + "] " + content.Get("text").AsString()
}
