package harness

import (
	"encoding/json"
	"errors"
	"fmt"

	"toolcrib/prompt/toolcall"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// jsonLimits bound the JSON of an answer.
var jsonLimits = jsondoc.Limits{Bytes: MaxAnswer, Depth: 64}

// jsonOnly wants the whole answer to be one JSON value (RFC 8259): no fence, no
// invisible character and no word beside it, so that a program can read it as
// it is.
func (a answer) jsonOnly() string {
	if _, err := jsondoc.Parse([]byte(a.text), jsonLimits); err != nil {
		return "the answer is not one JSON value and nothing else: " + first(err)
	}
	return ""
}

// toolCall wants the answer to be one call in the strict form.
func (a answer) toolCall() string {
	if _, err := toolcall.Parse(a.text); err != nil {
		return err.Error()
	}
	return ""
}

// jsonSchema requires the answer to be a JSON value that fits schema. One code
// fence around it does not matter here; json_only and no_fences check that.
func (a answer) jsonSchema(schema json.RawMessage) (string, error) {
	if len(schema) == 0 {
		return "", errors.New("its value, the schema, is missing")
	}
	s, err := schemaguard.Compile(schema)
	if err != nil {
		return "", fmt.Errorf("the schema is refused: %s", first(err))
	}
	n, err := jsondoc.Parse([]byte(toolcall.Unwrap(a.text)), jsonLimits)
	if err != nil {
		return "the answer is no JSON value: " + first(err), nil
	}
	if err := s.Validate(n); err != nil {
		return "the answer does not fit the schema: " + first(err), nil
	}
	return "", nil
}

// first returns the first of the problems that err lists, and how many there
// are besides.
func first(err error) string {
	var ps jsondoc.Problems
	if !errors.As(err, &ps) || len(ps) == 0 {
		return jsondoc.Printable(err.Error())
	}
	if len(ps) > 1 {
		return fmt.Sprintf("%s (and %d more)", ps[0], len(ps)-1)
	}
	return ps[0].String()
}
