// Package texts reads the lists, prompts, and instructions of an MCP server without changing their text. Users can then
// review the texts before a model receives them.
package texts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// The errors that an Ask returns wrap these errors.
var (
	ErrRefused  = errors.New("the server returned an error")
	ErrNoMethod = errors.New("the server does not support the method")
)

// Ask sends a request to the server and returns the result unchanged. params is a JSON object.
type Ask func(ctx context.Context, method string, params *jsondoc.Node) (json.RawMessage, error)

// Limits of requests.
const (
	// MaxPrompts is the maximum number of prompts of a server.
	MaxPrompts = 1_000
	maxPages   = 1_000 // maximum number of pages of a list
	// mostOptional limits the requests for a prompt. If a prompt has at most mostOptional optional arguments, the
	// prompt is requested with each combination of these arguments. Otherwise, it is requested twice: with all and with
	// none of these arguments.
	mostOptional = 3
)

// Reader reads the texts of a server. It caches the texts of prompts.
type Reader struct {
	Ask Ask
	// read contains the texts of prompts, keyed by their entries in the list.
	read map[string]json.RawMessage
}

// Read returns the texts of the server's prompts and the given instructions, in the format of registry/wire. It omits
// empty instructions. Unless refresh is true, Read does not request a prompt again if the entry of the prompt has not
// changed since the last call.
func (r *Reader) Read(ctx context.Context, instructions string, refresh bool) ([]json.RawMessage, error) {
	entries, _, err := List(ctx, r.Ask, "prompts", MaxPrompts, 64<<20)
	if err != nil && !errors.Is(err, ErrNoMethod) {
		return nil, err
	}
	if refresh {
		r.read = nil
	}
	all, read, named := []json.RawMessage{}, map[string]json.RawMessage{}, map[string]bool{}
	if instructions != "" {
		all = append(all, wire.NewInstructions(instructions))
	}
	for _, entry := range entries {
		item, err := wire.ReadItem(wire.MCP, entry)
		name := item.Name
		if err != nil || name == "" || named[name] {
			continue // a prompt with this entry cannot be requested
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

// ErrEndless indicates a list that exceeds a limit.
var ErrEndless = errors.New("the list is too long")

// List reads all pages of a list and returns the entries unchanged. key is the name of the list: "tools" or "prompts".
// List returns ErrEndless if the pages contain more than maxEntries entries or maxBytes bytes. repeats is true if List
// stopped because a page contained the cursor of an earlier page.
func List(ctx context.Context, ask Ask, key string, maxEntries, maxBytes int) (entries []json.RawMessage, repeats bool, err error) {
	seen, size := map[string]bool{}, 0
	for params := jsondoc.NewObject(); ; {
		result, err := ask(ctx, key+"/list", params)
		if err != nil {
			return nil, false, err
		}
		page, next, err := page(result, key)
		entries, size = append(entries, page...), size+len(result)
		switch {
		case err != nil:
			return nil, false, err
		case len(entries) > maxEntries, size > maxBytes, next != "" && len(seen) == maxPages:
			return nil, false, fmt.Errorf("%w: %d entries, %d bytes, %d pages", ErrEndless, len(entries), size, len(seen)+1)
		case next == "" || seen[next]:
			return entries, next != "", nil
		}
		seen[next] = true
		params = jsondoc.NewObject(jsondoc.Member{Key: "cursor", Value: jsondoc.NewString(next)})
	}
}

// page returns the unchanged entries of a page, including invalid entries. On the last page, nextCursor is "".
func page(result json.RawMessage, key string) (entries []json.RawMessage, nextCursor string, err error) {
	n, err := jsondoc.Parse(result, jsondoc.Limits{Bytes: len(result), Depth: jsondoc.DefaultLimits.Depth})
	if list, _, _, ok := wire.ParseLenient(result, key); err != nil && ok {
		n, err = list, nil
	}
	if err != nil {
		return nil, "", err
	}
	if list := n.Get(key); list == nil || list.Kind != jsondoc.Array {
		return nil, "", errors.New("the response has no list of " + key)
	}
	var members map[string]json.RawMessage // decoding to a struct would also accept keys in another case
	if err := json.Unmarshal(result, &members); err != nil {
		return nil, "", err
	}
	err = json.Unmarshal(members[key], &entries)
	return entries, n.Get("nextCursor").AsString(), err
}

// prompt requests a prompt with placeholders as arguments, once for each result of combinations. It omits combinations
// that the server refuses; the user then cannot approve responses to these combinations.
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

// combinations returns the combinations of optional arguments to request, beginning with
// the combination of all arguments.
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
