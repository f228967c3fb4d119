package gateway

import (
	"encoding/json"
	"errors"
	"fmt"

	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// toolSchemas are the schemas of a tool, ready to validate with; nil for what
// it does not say.
type toolSchemas struct {
	input, output *schemaguard.Schema
}

// compiled returns the compiled schemas of a tool. A tool whose schemas cannot be
// used is refused before anything runs, because neither its arguments nor its
// results could be checked.
func (g *Gateway) compiled(tool registry.Live) (*toolSchemas, error) {
	if s, ok := g.schemas.get(tool.ContentHash); ok {
		return s, nil
	}
	t, s := tool.Definition.Tool, &toolSchemas{}
	var err error
	if len(t.InputSchema) > 0 {
		if s.input, err = schemaguard.Compile(t.InputSchema); err != nil {
			return nil, &Error{Code: CodeArguments, Message: fmt.Sprintf("The input schema of %s cannot be used, so the tool cannot be called: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
	}
	if len(t.OutputSchema) > 0 {
		if s.output, err = schemaguard.Compile(t.OutputSchema); err != nil {
			return nil, &Error{Code: CodeResult, Message: fmt.Sprintf("The output schema of %s cannot be used, so no result could be validated; nothing was called: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
	}
	g.schemas.put(tool.ContentHash, s)
	return s, nil
}

// conforms validates the structured part of a result by the output schema of its
// tool. A tool with such a schema has to return that part (Model Context Protocol,
// server/tools, "Output Schema"); for a hub and the built-in tools it is the whole
// result.
func (g *Gateway) conforms(tool registry.Live, structured json.RawMessage) error {
	s, err := g.compiled(tool)
	if err != nil || s.output == nil {
		return err
	}
	var wrong error = jsondoc.Problems{{Path: jsondoc.Root, Message: "the structured result that the schema requires is missing"}}
	if len(structured) > 0 {
		var n *jsondoc.Node
		n, wrong = jsondoc.Parse(structured, jsondoc.Limits{Bytes: MaxOutput, Depth: jsondoc.DefaultLimits.Depth})
		if wrong == nil {
			wrong = s.output.Validate(n)
		}
	}
	if wrong == nil {
		return nil
	}
	told, details, err := explain(wrong)
	if err != nil {
		return err
	}
	return &Error{
		Code:    CodeResult,
		Message: fmt.Sprintf("%s ran, but its result does not fit the approved output schema and is withheld: %s. Do not repeat the call; it may act twice.", tool.Subject, told),
		Details: details,
	}
}

// Limits of the error about an invalid value. A message may quote the value, whose
// length the sender chooses.
const (
	maxTold     = 5   // problems in the message
	maxDetailed = 50  // in the details
	maxQuoted   = 300 // characters of one message
)

type detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// explain describes the problems of a value: the first ones in the message, more
// of them in the details.
// them in the details.
func explain(wrong error) (told string, details json.RawMessage, err error) {
	var ps jsondoc.Problems
	if !errors.As(wrong, &ps) {
		ps.Add(jsondoc.Root, "%s", jsondoc.Printable(wrong.Error()))
	}
	list := make([]detail, 0, min(len(ps), maxDetailed))
	for i, p := range ps[:min(len(ps), maxDetailed)] {
		p.Path, p.Message = plaintext.Clip(p.Path, maxQuoted), plaintext.Clip(p.Message, maxQuoted)
		list = append(list, detail{Path: p.Path, Message: p.Message})
		switch {
		case i == 0:
			told = p.String()
		case i < maxTold:
			told += "; " + p.String()
		case i == maxTold:
			told += fmt.Sprintf("; and %d more", len(ps)-maxTold)
		}
	}
	details, err = json.Marshal(map[string]any{"problems": list})
	return told, details, err
}
