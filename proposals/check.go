package proposals

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// MaxPattern is the longest regular expression of a check in characters.
const MaxPattern = 1_000

// maxMaxChars is the largest value of a max_chars check, beyond every answer.
const maxMaxChars = 10_000_000

// checkTypes lists every kind of check with the type of its value, jsondoc.Null
// for a check without one, and what the value is.
var checkTypes = []struct {
	name  CheckType
	value jsondoc.Kind
	needs string
}{
	{CheckJSONOnly, jsondoc.Null, ""},
	{CheckNoFences, jsondoc.Null, ""},
	{CheckToolCall, jsondoc.Null, ""},
	{CheckJSONSchema, jsondoc.Object, "the schema, an object"},
	{CheckContains, jsondoc.String, "the text to look for"},
	{CheckNotContains, jsondoc.String, "the text to look for"},
	{CheckMatches, jsondoc.String, "the regular expression to look for"},
	{CheckEvidence, jsondoc.Null, ""},
	{CheckNoFakeToolUse, jsondoc.Null, ""},
	{CheckMaxChars, jsondoc.Number, "the largest number of characters"},
}

// CheckTypes lists every kind of check in the order it is documented in.
func CheckTypes() []CheckType {
	names := make([]CheckType, len(checkTypes))
	for i, t := range checkTypes {
		names[i] = t.name
	}
	return names
}

// CheckValues returns the kind of value that a check of type t takes, jsondoc.Null
// for none; ok reports whether t is known.
func CheckValues(t CheckType) (kind jsondoc.Kind, ok bool) {
	for _, known := range checkTypes {
		if known.name == t {
			return known.value, true
		}
	}
	return jsondoc.Null, false
}

// BindJSON reads a check and refuses a value that its type cannot have. A
// value that is missing is left to Problems.
func (c *Check) BindJSON(n *jsondoc.Node, path string) jsondoc.Problems {
	var object struct {
		Type  CheckType       `json:"type,omitempty"`
		Value json.RawMessage `json:"value,omitempty"`
	}
	ps := jsondoc.Bind(n, path, &object)
	*c = Check{Type: object.Type, Value: object.Value}
	value := n.Get("value")
	if value == nil {
		return ps
	}
	message := valueProblem(c.Type, value)
	if value.Kind == jsondoc.Null {
		message = "expected a value, got null; leave the key out instead"
	}
	if message != "" {
		c.Value = nil
		ps.Append(problemAt(value, jsondoc.Join(path, "value"), message)...)
	}
	return ps
}

// valueProblem returns why value is not one that a check of type t can have; ""
// when it is, and when t is not known.
func valueProblem(t CheckType, value *jsondoc.Node) string {
	want, ok := CheckValues(t)
	switch {
	case !ok:
		return ""
	case want == jsondoc.Null:
		return fmt.Sprintf("%s takes no value; leave the key out", t)
	case value.Kind != want:
		return fmt.Sprintf("expected %s for a %s check, got %s", want, t, value.Kind)
	}
	switch t { //nolint:exhaustive // the others are done with their kind
	case CheckContains, CheckNotContains:
		if value.Text == "" {
			return "expected the text to look for, got an empty one"
		}
	case CheckMatches:
		return patternProblem(value.Text)
	case CheckMaxChars:
		i, err := strconv.Atoi(string(jsondoc.Canonical(value)))
		if err != nil || i < 1 || i > maxMaxChars {
			return fmt.Sprintf("expected a whole number of characters from 1 to %d", maxMaxChars)
		}
	}
	return ""
}

// patternProblem returns why s is not a regular expression a check can use. The
// syntax is RE2's, which never takes more than linear time.
func patternProblem(s string) string {
	if s == "" {
		return "expected a regular expression, got an empty text"
	}
	if message := checkLength(s, MaxPattern); message != "" {
		return message
	}
	_, err := regexp.Compile(s)
	if err == nil {
		return ""
	}
	var bad *syntax.Error
	if errors.As(err, &bad) {
		return fmt.Sprintf("expected a regular expression (RE2 syntax): %s: %s", bad.Code, jsondoc.Quote(bad.Expr))
	}
	return "expected a regular expression (RE2 syntax)"
}

// missingValue returns what a check of a known type still needs; "" when it has
// all it takes.
func (c Check) missingValue() string {
	for _, known := range checkTypes {
		if known.name == c.Type && known.needs != "" && len(c.Value) == 0 {
			return fmt.Sprintf("a %s check needs %s", c.Type, known.needs)
		}
	}
	return ""
}

// checkLength reports that s has more than limit characters; "" when it has not.
func checkLength(s string, limit int) string {
	if n := utf8.RuneCountInString(s); n > limit {
		return fmt.Sprintf("has %d characters; at most %d are allowed", n, limit)
	}
	return ""
}
