// This file parses and validates the arguments and the call context of a call, and limits their size.

package gateway

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

// Limits of arguments. schemaguard.MaxWork also limits the cost of their validation.
const (
	MaxArguments     = 1 << 20 // bytes
	maxArgumentDepth = 64
)

// readArguments parses the arguments of a call, which must be an object. If raw is empty, the result is an empty
// object. The size limit for guarded calls is larger, because the gateway does not validate their arguments against a
// schema.
func readArguments(raw json.RawMessage, c Caller) (*jsondoc.Node, error) {
	if len(raw) == 0 {
		return jsondoc.NewObject(), nil
	}
	limits := jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth}
	if c.isGuarded() {
		limits = jsondoc.Limits{Bytes: 64 << 20, Depth: 1_000}
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

// validate validates the arguments of a call against the input schema of the tool. A tool without a schema accepts any
// object.
func (c *schemas) validate(tool registry.Live, args *jsondoc.Node) error {
	s, err := c.compiled(tool)
	if err != nil || s.input == nil {
		return err
	}
	if err := s.input.Validate(args); err != nil {
		return invalid(err)
	}
	return nil
}

// invalid returns an *Error with CodeArguments that describes the problems in err.
func invalid(err error) error {
	told, details, err := explain(err)
	if err != nil {
		return err
	}
	return &Error{Code: CodeArguments, Message: "The arguments are not valid: " + told + ".", Details: details}
}

// Limits of a call context.
const (
	MaxCallContext  = 64 << 10 // total size in bytes
	maxContextDepth = 32
	maxContextID    = 200 // length of an id in characters
)

// CallContext is the caller's description of the reason for a call and of the conversation. It is not verified.
// Requests to the eval gate and to a hub contain the call context in a separate field.
type CallContext struct {
	UserMessage    string          `json:"user_message,omitempty"`    // message of the user that led to the call
	ChatID         string          `json:"chat_id,omitempty"`         //
	ConversationID string          `json:"conversation_id,omitempty"` //
	MissionID      string          `json:"mission_id,omitempty"`      //
	Confidence     json.RawMessage `json:"confidence,omitempty"`      // the model's confidence in the call, a number from 0 to 1
	Context        json.RawMessage `json:"context,omitempty"`         // additional data: any JSON object
}

// ReadCallContext converts n to a call context. It returns an error if n has unknown or invalid fields. The paths of
// the fields in the error begin with path.
func ReadCallContext(n *jsondoc.Node, path string) (CallContext, error) {
	var c CallContext
	ps := jsondoc.Bind(n, path, &c)
	if len(ps) == 0 {
		ps = c.problems(path)
	}
	return c, ps.Err()
}

// ParseCallContext parses the JSON of a call context. If raw is empty, it returns an empty call context.
func ParseCallContext(raw json.RawMessage) (CallContext, error) {
	if len(raw) == 0 {
		return CallContext{}, nil
	}
	n, err := jsondoc.Parse(raw, jsondoc.Limits{Bytes: MaxCallContext, Depth: maxContextDepth})
	if err != nil {
		return CallContext{}, err
	}
	return ReadCallContext(n, jsondoc.Root)
}

// problems returns a problem for each field of c that is too large or has the wrong form. The paths in the problems
// begin with path.
func (c CallContext) problems(path string) jsondoc.Problems {
	var ps jsondoc.Problems
	add := func(key, message string) { ps.Append(jsondoc.Problem{Path: jsondoc.Join(path, key), Message: message}) }
	for _, text := range []struct {
		key, value string
		most       int
	}{
		{"user_message", c.UserMessage, 16_000},
		{"chat_id", c.ChatID, maxContextID},
		{"conversation_id", c.ConversationID, maxContextID},
		{"mission_id", c.MissionID, maxContextID},
	} {
		if n := utf8.RuneCountInString(text.value); n > text.most {
			add(text.key, "expected at most "+strconv.Itoa(text.most)+" characters, got "+strconv.Itoa(n))
		}
		if problem := plaintext.Problem(text.value); problem != "" {
			add(text.key, problem)
		}
	}
	if len(c.Confidence) > 0 {
		if f, err := strconv.ParseFloat(string(c.Confidence), 64); err != nil || f < 0 || f > 1 {
			add("confidence", "expected a number from 0 to 1")
		}
	}
	if len(c.Context) > 0 {
		const depth = maxContextDepth - 1 // the call context itself is one level
		n, err := jsondoc.Parse(c.Context, jsondoc.Limits{Bytes: MaxCallContext, Depth: depth})
		if err != nil || n.Kind != jsondoc.Object {
			add("context", "expected an object of at most "+strconv.Itoa(MaxCallContext)+" bytes and "+strconv.Itoa(depth)+" levels")
		}
	}
	if size := len(c.Encode()); size > MaxCallContext {
		ps.Append(jsondoc.Problem{Path: path, Message: "expected at most " + strconv.Itoa(MaxCallContext) + " bytes, got " + strconv.Itoa(size)})
	}
	return ps
}

// Encode returns the canonical JSON of c, which ParseCallContext can parse. It returns nil if c is empty.
func (c CallContext) Encode() json.RawMessage {
	b, err := jsondoc.Marshal(c)
	if err != nil || string(b) == "{}" {
		return nil // cannot happen, because problems rejects values that cannot be encoded
	}
	return b
}

// MaxCallerText is the maximum length of each name in a Caller, in characters. The names serve as keys in the call log
// and in the assistant's data.
const MaxCallerText = 200

// Check returns review.ErrText if a name in c is too long or contains characters that cannot be stored.
func (c Caller) Check() error {
	for _, text := range []struct{ what, value string }{
		{"agent", c.Agent},
		{"user", c.User},
		{"customer", c.Customer},
		{"layer", string(c.Layer)},
		{"actor", c.Actor.Name},
	} {
		if err := checkText(text.what, text.value); err != nil {
			return err
		}
	}
	return nil
}

func checkText(what, value string) error {
	if n := utf8.RuneCountInString(value); n > MaxCallerText {
		return fmt.Errorf("%w: the name of the %s has %d characters; the limit is %d", review.ErrText, what, n, MaxCallerText)
	}
	if problem := plaintext.Problem(value); problem != "" {
		return fmt.Errorf("%w: the name of the %s %s", review.ErrText, what, problem)
	}
	return nil
}

// CheckReason returns review.ErrText if the reason is too long or contains characters that cannot be stored.
func CheckReason(reason string) error {
	if n := utf8.RuneCountInString(reason); n > MaxReason {
		return fmt.Errorf("%w: the reason has %d characters; the limit is %d", review.ErrText, n, MaxReason)
	}
	if problem := plaintext.Problem(reason); problem != "" {
		return fmt.Errorf("%w: the reason %s", review.ErrText, problem)
	}
	return nil
}

// forLog converts an untrusted text for the call log. It truncates the text to maxChars characters and escapes invalid
// characters.
func forLog(text string, maxChars int) string {
	text = plaintext.Cut(text, maxChars)
	if plaintext.Problem(text) != "" {
		text = plaintext.Cut(visible.Line(text), maxChars)
	}
	return text
}

// propertyTypes returns the types that a schema permits for each property, keyed by the name of the property. It omits
// properties without a type.
func propertyTypes(schema json.RawMessage) map[string][]string {
	types := map[string][]string{}
	n, err := jsondoc.Parse(schema, jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth})
	if err != nil {
		return types
	}
	properties := n.Get("properties")
	if properties == nil || properties.Kind != jsondoc.Object {
		return types
	}
	for _, m := range properties.Members {
		switch t := m.Value.Get("type"); {
		case t == nil:
		case t.Kind == jsondoc.String:
			types[m.Key] = []string{t.Text}
		case t.Kind == jsondoc.Array:
			for _, item := range t.Items {
				types[m.Key] = append(types[m.Key], item.Text)
			}
		}
	}
	return types
}

// typedValue converts a text from a tag line to a JSON value. The result has one of the given types if a conversion is
// possible. It is a string if no conversion is possible, or if types is empty or contains "string".
func typedValue(text string, types []string) *jsondoc.Node {
	if len(types) == 0 || slices.Contains(types, "string") {
		return jsondoc.NewString(text)
	}
	n, err := jsondoc.Parse([]byte(text), jsondoc.Limits{Bytes: MaxArguments, Depth: maxArgumentDepth})
	if err != nil {
		return jsondoc.NewString(text)
	}
	wanted := map[jsondoc.Kind][]string{
		jsondoc.Number: {"number", "integer"}, jsondoc.Bool: {"boolean"}, jsondoc.Array: {"array"}, jsondoc.Object: {"object"}, jsondoc.Null: {"null"},
	}
	for _, name := range wanted[n.Kind] {
		if slices.Contains(types, name) {
			return n
		}
	}
	return jsondoc.NewString(text)
}
