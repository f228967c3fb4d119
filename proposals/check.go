// This file validates the values of checks in test cases.

package proposals

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// MaxPattern is the maximum length of a check's regular expression, in characters.
const MaxPattern = 1_000

// maxMaxChars is the maximum value of a max_chars check.
const maxMaxChars = 10_000_000

type checkType struct {
	name  CheckType
	value jsondoc.Kind // required kind of the value; jsondoc.Null if the check has no value
	needs string       // description of the value for messages
}

var checkTypes = []checkType{
	{CheckJSONOnly, jsondoc.Null, ""},
	{CheckNoFences, jsondoc.Null, ""},
	{CheckToolCall, jsondoc.Null, ""},
	{CheckJSONSchema, jsondoc.Object, "a schema object"},
	{CheckContains, jsondoc.String, "the text to look for"},
	{CheckNotContains, jsondoc.String, "the text to look for"},
	{CheckMatches, jsondoc.String, "the regular expression to look for"},
	{CheckEvidence, jsondoc.Null, ""},
	{CheckNoFakeToolUse, jsondoc.Null, ""},
	{CheckMaxChars, jsondoc.Number, "the maximum number of characters"},
}

// CheckTypes returns all kinds of checks in the order of the documentation.
func CheckTypes() []CheckType {
	return lists.Map(checkTypes, func(t checkType) CheckType { return t.name })
}

// BindJSON implements jsondoc.Binder. It reports invalid values. Draft.Problems reports
// missing values.
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
		message = "expected a value, got null; omit the key instead"
	}
	if message != "" {
		c.Value = nil
		ps.Append(problemAt(value, jsondoc.Join(path, "value"), message)...)
	}
	return ps
}

// valueProblem returns the reason why value is invalid for a check of type t. It returns
// "" if value is valid or t is unknown.
func valueProblem(t CheckType, value *jsondoc.Node) string {
	i := slices.IndexFunc(checkTypes, func(known checkType) bool { return known.name == t })
	if i < 0 {
		return ""
	}
	want := checkTypes[i].value
	switch {
	case want == jsondoc.Null:
		return fmt.Sprintf("a %s check does not have a value; omit the key", t)
	case value.Kind != want:
		return fmt.Sprintf("expected %s for a %s check, got %s", want, t, value.Kind)
	}
	switch t { //nolint:exhaustive // other values need no further checks
	case CheckContains, CheckNotContains:
		if value.Text == "" {
			return "expected the text to look for, got an empty text"
		}
	case CheckMatches: // Go's RE2 syntax, which matches in linear time
		if value.Text == "" {
			return "expected a regular expression, got an empty text"
		}
		if message := checkLength(value.Text, MaxPattern); message != "" {
			return message
		}
		if _, err := regexp.Compile(value.Text); err != nil {
			if bad, ok := errors.AsType[*syntax.Error](err); ok {
				return fmt.Sprintf("expected a regular expression (RE2 syntax): %s: %s", bad.Code, jsondoc.Quote(bad.Expr))
			}
			return "expected a regular expression (RE2 syntax)"
		}
	case CheckMaxChars:
		i, err := strconv.Atoi(string(jsondoc.Canonical(value)))
		if err != nil || i < 1 || i > maxMaxChars {
			return fmt.Sprintf("expected a whole number from 1 to %d", maxMaxChars)
		}
	}
	return ""
}

// checkLength returns a message if s has more than limit characters, and "" otherwise.
func checkLength(s string, limit int) string {
	if n := utf8.RuneCountInString(s); n > limit {
		return fmt.Sprintf("must not exceed %[2]d characters (got %[1]d)", n, limit)
	}
	return ""
}
