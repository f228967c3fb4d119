package gateway

import (
	"encoding/json"
	"errors"
	"fmt"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// What arguments may be at most. Validating them is bounded by
// schemaguard.MaxWork besides.
const (
	MaxArguments     = 1 << 20 // bytes
	maxArgumentDepth = 64
	maxTold          = 5 // problems in one message
)

// readArguments parses the arguments of a call: an object, nil for an empty
// one.
func readArguments(raw json.RawMessage) (*jsondoc.Node, error) {
	if len(raw) == 0 {
		return jsondoc.NewObject(), nil
	}
	n, err := jsondoc.Parse(raw, jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth})
	if err != nil {
		return nil, invalid(err)
	}
	if n.Kind != jsondoc.Object {
		return nil, invalid(jsondoc.Problems{{Path: jsondoc.Root, Message: "expected an object, got " + n.Kind.String()}})
	}
	return n, nil
}

// fit checks arguments against the schema of a tool. A tool without one takes
// any object.
func (g *Gateway) fit(tool registry.Live, args *jsondoc.Node) error {
	raw := tool.Definition.Tool.InputSchema
	if len(raw) == 0 {
		return nil
	}
	schema, ok := g.schemas.get(tool.ContentHash)
	if !ok {
		var err error
		if schema, err = schemaguard.Compile(raw); err != nil {
			return &Error{Code: CodeArguments, Message: fmt.Sprintf("The input schema of %s can not be used, so nothing can be called with it: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
		g.schemas.put(tool.ContentHash, schema)
	}
	if err := schema.Validate(args); err != nil {
		return invalid(err)
	}
	return nil
}

type detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// invalid says what is wrong with arguments: the first problems in words, all
// of them in the details.
func invalid(err error) error {
	var ps jsondoc.Problems
	if !errors.As(err, &ps) {
		ps.Add(jsondoc.Root, "%s", jsondoc.Printable(err.Error()))
	}
	message := "The arguments are not valid"
	details := make([]detail, len(ps))
	for i, p := range ps {
		details[i] = detail{Path: p.Path, Message: p.Message}
		switch {
		case i == 0:
			message += ": " + p.String()
		case i < maxTold:
			message += "; " + p.String()
		case i == maxTold:
			message += fmt.Sprintf("; and %d more", len(ps)-maxTold)
		}
	}
	b, err := json.Marshal(map[string]any{"problems": details})
	if err != nil {
		return err
	}
	return &Error{Code: CodeArguments, Message: message + ".", Details: b}
}
