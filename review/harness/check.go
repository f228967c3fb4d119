package harness

import (
	"encoding/json"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// answer is the subject of the checks.
type answer struct {
	text  string
	input string // the question
	work  *work  // that may still be done; nil when nobody counts
}

// check returns the reason why a fails the check, "" when it passes. The error is
// the reason why the check cannot be evaluated.
func (a answer) check(c proposals.Check) (reason string, err error) {
	if err := a.work.spend(a.cost(c.Type)); err != nil {
		return "", err
	}
	switch c.Type {
	case proposals.CheckJSONOnly:
		return a.jsonOnly(), nil
	case proposals.CheckNoFences:
		return a.noFences(), nil
	case proposals.CheckToolCall:
		return a.toolCall(), nil
	case proposals.CheckEvidence:
		return a.evidence(), nil
	case proposals.CheckNoFakeToolUse:
		return a.noFakeToolUse(), nil
	case proposals.CheckJSONSchema:
		return a.jsonSchema(c.Value)
	case proposals.CheckMaxChars:
		return with(c.Value, a.maxChars)
	case proposals.CheckContains:
		return with(c.Value, a.contains)
	case proposals.CheckNotContains:
		return with(c.Value, a.notContains)
	case proposals.CheckMatches:
		return with(c.Value, a.matches)
	}
	return "", errors.New("unknown check")
}

// with calls a check with its value.
func with[T string | int](value json.RawMessage, check func(T) (string, error)) (string, error) {
	var v T
	n, err := jsondoc.Parse(value, jsondoc.DefaultLimits)
	if err != nil {
		return "", errors.New("its value is missing or not JSON")
	}
	if ps := jsondoc.Bind(n, jsondoc.Root, &v); len(ps) > 0 {
		return "", fmt.Errorf("its value has the wrong type: %s", ps[0].Message)
	}
	return check(v)
}
