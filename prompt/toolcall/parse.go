// This file parses the tool call in the answer of a model.

package toolcall

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"toolcrib/internal/commonmark"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// Limits of an answer.
const (
	MaxAnswer = 1 << 20 // bytes
	maxDepth  = 64
)

// Call is a call of a tool by a model.
type Call struct {
	Tool  string
	Args  *jsondoc.Node // an object
	Nonce string
}

// Parse parses the tool call in answer. The error wraps ErrInvalidFormat, ErrMultiple, ErrUnknownTool, ErrInvalidArgs,
// or ErrNonceInvalid. If several of these errors apply, the error wraps the first in this order. Parse does not know
// which tools exist: the caller must call Verify and check the arguments against the schema of the tool.
func Parse(answer string) (Call, error) {
	if len(answer) > MaxAnswer {
		return Call{}, refuse(ErrInvalidFormat, "the answer is larger than %[2]d bytes (got %[1]d)", len(answer), MaxAnswer)
	}
	body := Unwrap(answer)
	if body == "" {
		return Call{}, refuse(ErrInvalidFormat, "the answer is empty; expected one JSON object")
	}
	n, err := jsondoc.Parse([]byte(body), limits)
	switch {
	case err != nil && several(body):
		return Call{}, refuse(ErrMultiple, "the answer has several objects; make one call per answer")
	case err != nil:
		return Call{}, refuse(ErrInvalidFormat, "expected one JSON object and nothing else: %s", firstProblem(err))
	case n.Kind == jsondoc.Array && len(n.Items) > 1 && !slices.ContainsFunc(n.Items, noObject):
		return Call{}, refuse(ErrMultiple, "the answer is a list of %d objects; make one call per answer", len(n.Items))
	case n.Kind != jsondoc.Object:
		return Call{}, refuse(ErrInvalidFormat, "the answer is %s; expected one JSON object", n.Kind)
	}
	for _, m := range n.Members {
		switch m.Key {
		case "tool", "args", "nonce":
		default:
			return Call{}, refuse(ErrInvalidFormat, "the object has the unknown key %s; use only tool, args and nonce", jsondoc.Quote(m.Key))
		}
	}
	call := Call{Args: n.Get("args")}
	switch tool := n.Get("tool"); {
	case tool == nil:
		return Call{}, refuse(ErrInvalidFormat, "missing key tool")
	case tool.Kind != jsondoc.String:
		return Call{}, refuse(ErrInvalidFormat, "tool is %s; expected a string", tool.Kind)
	case tool.Text == "":
		return Call{}, refuse(ErrUnknownTool, "unknown tool %s", jsondoc.Quote(tool.Text))
	default:
		call.Tool = tool.Text
	}
	switch {
	case call.Args == nil:
		return Call{}, refuse(ErrInvalidArgs, "missing key args; use {} for no arguments")
	case call.Args.Kind != jsondoc.Object:
		return Call{}, refuse(ErrInvalidArgs, "args is %s; expected an object", call.Args.Kind)
	}
	switch nonce := n.Get("nonce"); {
	case nonce == nil:
		return Call{}, refuse(ErrNonceInvalid, "missing key nonce")
	case nonce.Kind != jsondoc.String:
		return Call{}, refuse(ErrNonceInvalid, "nonce is %s; expected a string", nonce.Kind)
	case nonce.Text == "" || len(nonce.Text) > 256: // the limit in docs/applications.md
		return Call{}, refuse(ErrNonceInvalid, "nonce is empty or too long")
	default:
		call.Nonce = nonce.Text
	}
	return call, nil
}

// Verify checks that the tool exists and that c contains the nonce of the current turn. The error wraps ErrUnknownTool
// or ErrNonceInvalid.
func (c Call) Verify(exists func(tool string) bool, nonce string) error {
	if !exists(c.Tool) {
		return refuse(ErrUnknownTool, "unknown tool %s", jsondoc.Quote(c.Tool))
	}
	if subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(nonce)) != 1 {
		return refuse(ErrNonceInvalid, "the nonce does not belong to this turn")
	}
	return nil
}

func refuse(code error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", code, fmt.Sprintf(format, args...))
}

var limits = jsondoc.Limits{Bytes: MaxAnswer, Depth: maxDepth}

// firstProblem describes the first problem in err.
func firstProblem(err error) string {
	if ps, ok := errors.AsType[jsondoc.Problems](err); ok && len(ps) > 0 {
		return ps[0].String()
	}
	return err.Error()
}

// several reports whether body consists of several JSON objects. They may follow each other directly, be separated by
// commas, or be in separate code fences.
func several(body string) bool {
	var b strings.Builder
	for line := range strings.Lines(body) {
		if commonmark.Fence(strings.TrimSpace(line)) == "" {
			b.WriteString(line)
		}
	}
	text := b.String()
	for _, text := range []string{text, "[" + text + "]"} {
		nodes, err := jsondoc.ParseStream([]byte(text), limits)
		if err == nil && len(nodes) > 1 && !slices.ContainsFunc(nodes, noObject) {
			return true
		}
	}
	return false
}

// Unwrap returns answer without a code fence around the whole answer, and without white space and invisible characters
// at the beginning and the end.
func Unwrap(answer string) string {
	answer = trim(answer)
	first, rest, _ := strings.Cut(answer, "\n")
	fence := commonmark.Fence(first)
	if fence == "" {
		return answer
	}
	at := 0
	for line := range strings.Lines(rest) {
		if commonmark.Closes(strings.TrimSpace(line), fence) {
			if at+len(line) < len(rest) {
				return answer
			}
			return trim(rest[:at])
		}
		at += len(line)
	}
	return answer
}
func noObject(n *jsondoc.Node) bool { return n.Kind != jsondoc.Object }

func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || visible.Hidden(r) })
}

// Errors of tool calls. Their texts are the error codes of the protocol. Parse and Verify wrap them in errors with a
// description that is safe to show to users and to the model.
var (
	// ErrInvalidFormat indicates that the answer does not consist of a single call object.
	ErrInvalidFormat = errors.New("tool_call_invalid_format")
	// ErrMultiple indicates that the answer contains several objects.
	ErrMultiple = errors.New("tool_call_multiple")
	// ErrUnknownTool indicates that the tool does not exist.
	ErrUnknownTool = errors.New("tool_call_unknown_tool")
	// ErrInvalidArgs indicates that the arguments are not an object or do not match the schema of the tool.
	ErrInvalidArgs = errors.New("tool_call_invalid_args")
	// ErrNonceInvalid indicates that the nonce is missing, is not valid, or is not the nonce of the turn.
	ErrNonceInvalid = errors.New("tool_call_nonce_invalid")
)

// Code returns the error code of the protocol that err wraps, or "" if err wraps none.
func Code(err error) string {
	for _, code := range []error{ErrInvalidFormat, ErrMultiple, ErrUnknownTool, ErrInvalidArgs, ErrNonceInvalid} {
		if errors.Is(err, code) {
			return code.Error()
		}
	}
	return ""
}
