// Package texts reads the prompts and the instructions of an MCP server, so that they
// can be approved before a model reads them.
package texts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Errors that an Ask wraps for what a server answers.
var (
	ErrRefused  = errors.New("the server answers with an error")
	ErrNoMethod = errors.New("the server does not have the method")
)

// Ask sends a request to the server and returns the result as it came. params is an
// object.
type Ask func(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error)

// Limits of what is asked for.
const (
	// MaxPrompts limits the prompts of a server.
	MaxPrompts = 1_000
	// mostOptional is how many optional arguments are left out in every combination. A
	// prompt with more is asked for with all of them and with none.
	mostOptional = 3
)

// errEndless reports a list of prompts that does not end.
var errEndless = errors.New("its list of prompts does not end")

// Reader reads the texts of one server, again and again.
type Reader struct {
	Ask Ask
	// read are the texts of prompts by their entry in the list.
	read map[string]json.RawMessage
}

// Read returns the texts of the server's prompts and of its instructions, "" for none,
// as registry/wire reads them. A prompt whose entry is as before is not asked for
// again, unless again is set.
func (r *Reader) Read(ctx context.Context, instructions string, again bool) ([]json.RawMessage, error) {
	entries, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	if again {
		r.read = nil
	}
	all, read, named := []json.RawMessage{}, map[string]json.RawMessage{}, map[string]bool{}
	if instructions != "" {
		all = append(all, wire.NewInstructions(instructions))
	}
	for _, entry := range entries {
		name := nameOf(entry)
		if name == "" || named[name] {
			continue // nobody can ask for it
		}
		named[name] = true
		text, known := r.read[string(entry)]
		if !known {
			if text, err = r.prompt(ctx, name, entry); err != nil {
				return nil, err
			}
		}
		read[string(entry)] = text
		all = append(all, text)
	}
	r.read = read
	return all, nil
}

// list returns the server's list of prompts, page after page.
func (r *Reader) list(ctx context.Context) ([]json.RawMessage, error) {
	var entries []json.RawMessage
	seen := map[string]bool{}
	for params := jsondoc.NewObject(); ; {
		result, err := r.Ask(ctx, "prompts/list", params)
		if errors.Is(err, ErrNoMethod) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		n, err := jsondoc.Parse(result, jsondoc.DefaultLimits)
		if err != nil {
			return nil, err
		}
		list := n.Get("prompts")
		if list == nil || list.Kind != jsondoc.Array {
			return nil, errors.New("its answer to prompts/list has no list of prompts")
		}
		var members map[string]json.RawMessage // a struct would take a key in capitals, too
		var page []json.RawMessage
		if err := json.Unmarshal(result, &members); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(members["prompts"], &page); err != nil {
			return nil, err
		}
		entries = append(entries, page...)
		next := n.Get("nextCursor")
		if next == nil || next.Kind != jsondoc.String || next.Text == "" {
			return entries, nil
		}
		if seen[next.Text] || len(entries) > MaxPrompts || len(seen) == MaxPrompts {
			return nil, errEndless
		}
		seen[next.Text] = true
		params = jsondoc.NewObject(jsondoc.Member{Key: "cursor", Value: next})
	}
}

// prompt asks for a prompt of the list with placeholders as arguments: with all of them,
// and without the optional ones. What the server refuses to answer is left out: nothing
// that it answers to others is approved then.
func (r *Reader) prompt(ctx context.Context, name string, entry json.RawMessage) (json.RawMessage, error) {
	required, optional := wire.PromptArguments(entry)
	var answers []wire.PromptAnswer
	for _, with := range combinations(optional) {
		with = slices.Concat(required, with)
		arguments := jsondoc.NewObject()
		for _, argument := range with {
			arguments.Set(argument, jsondoc.NewString(wire.Placeholder(argument)))
		}
		params := jsondoc.NewObject(jsondoc.Member{Key: "name", Value: jsondoc.NewString(name)})
		if len(with) > 0 {
			params.Set("arguments", arguments)
		}
		result, err := r.Ask(ctx, "prompts/get", params)
		if errors.Is(err, ErrRefused) || errors.Is(err, ErrNoMethod) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if wire.CheckAnswer(result) == nil {
			answers = append(answers, wire.PromptAnswer{With: with, Result: result})
		}
	}
	return wire.NewPrompt(entry, answers)
}

// nameOf returns the name of a prompt in the list, "" for none.
func nameOf(entry json.RawMessage) string {
	n, err := jsondoc.Parse(entry, jsondoc.DefaultLimits)
	if err != nil || n.Get("name") == nil || n.Get("name").Kind != jsondoc.String {
		return ""
	}
	return n.Get("name").Text
}

// combinations returns which optional arguments to give: all of them first.
func combinations(optional []string) [][]string {
	switch n := len(optional); {
	case n == 0:
		return [][]string{nil}
	case n > mostOptional:
		return [][]string{optional, nil}
	}
	var all [][]string
	for leave := range 1 << len(optional) {
		var with []string
		for i, name := range optional {
			if leave>>i&1 == 0 {
				with = append(with, name)
			}
		}
		all = append(all, with)
	}
	return all
}
