package gateway

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"toolcrib/internal/plaintext"
	"toolcrib/registry/jsondoc"
)

// Limits of a call context.
const (
	MaxCallContext  = 64 << 10 // bytes of all of it
	maxContextDepth = 32
	maxUserMessage  = 16_000 // characters
	maxContextID    = 200    // characters of an id
)

// CallContext is the caller's account of a call besides its arguments: why it
// is made, and where it belongs. Nothing of it is checked. The eval gate and the
// hub get it as the caller's word, next to what toolcrib itself knows.
type CallContext struct {
	UserMessage    string          `json:"user_message,omitempty"`    // that led to the call
	ChatID         string          `json:"chat_id,omitempty"`         //
	ConversationID string          `json:"conversation_id,omitempty"` //
	MissionID      string          `json:"mission_id,omitempty"`      //
	Confidence     json.RawMessage `json:"confidence,omitempty"`      // of the model: a number from 0 to 1
	Context        json.RawMessage `json:"context,omitempty"`         // any object
}

// ReadCallContext reads a call context from the node at path, strictly.
func ReadCallContext(n *jsondoc.Node, path string) (CallContext, error) {
	var c CallContext
	ps := jsondoc.Bind(n, path, &c)
	if len(ps) == 0 {
		ps = c.problems(path)
	}
	return c, ps.Err()
}

// ParseCallContext reads a call context from JSON; nil and "" are an empty one.
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

// problems returns every value that is too large or of the wrong form.
func (c CallContext) problems(path string) jsondoc.Problems {
	var ps jsondoc.Problems
	add := func(key, message string) { ps.Append(jsondoc.Problem{Path: jsondoc.Join(path, key), Message: message}) }
	for _, text := range []struct {
		key, value string
		most       int
	}{
		{"user_message", c.UserMessage, maxUserMessage},
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
		const depth = maxContextDepth - 1 // it is one level down
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

// Encode returns the canonical form of c, as ParseCallContext reads it; nil when c
// is empty.
func (c CallContext) Encode() json.RawMessage {
	b, err := jsondoc.Marshal(c)
	if err != nil || string(b) == "{}" {
		return nil // what cannot be written was refused by problems
	}
	return b
}
