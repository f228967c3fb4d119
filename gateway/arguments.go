package gateway

import (
	"encoding/json"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Limits of arguments. Validating them is bounded by
// schemaguard.MaxWork besides.
const (
	MaxArguments     = 1 << 20 // bytes
	maxArgumentDepth = 64
)

// Behind a guard arguments may be as large as a message: nothing validates them.
const (
	maxGuardedArguments = 64 << 20
	maxGuardedDepth     = 1_000
)

// readArguments parses the arguments of a call: an object, nil for an empty
// one.
func readArguments(raw json.RawMessage, c Caller) (*jsondoc.Node, error) {
	if len(raw) == 0 {
		return jsondoc.NewObject(), nil
	}
	limits := jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth}
	if c.guarded() {
		limits = jsondoc.Limits{Bytes: maxGuardedArguments, Depth: maxGuardedDepth}
	}
	n, err := jsondoc.Parse(raw, limits)
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
	s, err := g.compiled(tool)
	if err != nil || s.input == nil {
		return err
	}
	if err := s.input.Validate(args); err != nil {
		return invalid(err)
	}
	return nil
}

// invalid returns the error CodeArguments with the problems that err lists.
func invalid(err error) error {
	told, details, err := explain(err)
	if err != nil {
		return err
	}
	return &Error{Code: CodeArguments, Message: "The arguments are not valid: " + told + ".", Details: details}
}
