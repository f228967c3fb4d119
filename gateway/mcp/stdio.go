// This file implements the transport over standard input and output.

package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// messageReader reads lines from a client and passes the valid messages to the SDK, one per line. It responds to
// invalid messages, because the SDK would end the session at an invalid line; a model could then end the server with
// deeply nested arguments. messageReader splits batches, which revision 2025-03-26 permits, into separate messages.
type messageReader struct {
	lines *bufio.Reader
	out   *responseWriter // writer for the responses to invalid messages; each response is a single Write
	rest  []byte
	last  time.Duration // time limit for the responses to open requests after the input has ended
}

// Read implements io.Reader.
func (b *messageReader) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		line, err := b.line()
		var answered error
		b.rest, answered = b.messages(line)
		switch {
		case answered != nil:
			return 0, answered
		case err != nil && !errors.Is(err, errLong) && len(b.rest) == 0:
			b.out.await(b.last)
			return 0, err
		case errors.Is(err, errLong):
			if err := b.refuse(nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("a message must not exceed %d MiB", maxMessage>>20)}); err != nil {
				return 0, err
			}
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

var errLong = errors.New("the line exceeds the limit")

// line reads a line. If the line is longer than maxMessage, it discards the line and returns errLong.
func (b *messageReader) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := b.lines.ReadSlice('\n')
		long = long || len(line)+len(part) > maxMessage
		if long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && long:
			return nil, errLong
		default:
			return line, err
		}
	}
}

// messages returns the valid messages in a line, each followed by a line feed. It responds to the invalid messages.
func (b *messageReader) messages(line []byte) ([]byte, error) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return nil, nil
	}
	parts := []json.RawMessage{text}
	if text[0] == '[' && (json.Unmarshal(text, &parts) != nil || len(parts) == 0) {
		return nil, b.refuse(nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the batch is empty or cannot be parsed"})
	}
	var all []byte
	for _, part := range parts {
		if refused, id := checkMessage(part); refused != nil {
			if err := b.refuse(id, refused); err != nil {
				return nil, err
			}
			continue
		}
		if message, err := jsonrpc.DecodeMessage(part); err == nil {
			if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
				b.out.mu.Lock()
				if b.out.unanswered == nil {
					b.out.unanswered = map[string]int{}
				}
				b.out.unanswered[fmt.Sprint(request.ID.Raw())]++
				b.out.mu.Unlock()
			}
		}
		all = append(append(all, part...), '\n')
	}
	return all, nil
}

// refuse responds to the message with the given id with an error.
func (b *messageReader) refuse(id json.RawMessage, why *jsonrpc.Error) error {
	_, err := b.out.Write(refusal(id, why))
	return err
}

// responseWriter writes messages to the client and counts the unanswered requests. It is safe for concurrent use. At
// the end of the input, the SDK cancels all calls, but a program that writes its requests and then closes the pipe
// still expects responses. Therefore, messageReader calls await before it reports the end of the input.
type responseWriter struct {
	mu          sync.Mutex
	to          io.Writer
	unanswered  map[string]int // number of unanswered requests by id
	allAnswered chan struct{}  // closed when no request is unanswered; nil if no goroutine is waiting
}

// Write implements io.Writer.
func (s *responseWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.to.Write(p)
	if id := responseID(p); id != "" && s.unanswered[id] > 0 {
		if s.unanswered[id]--; s.unanswered[id] == 0 {
			delete(s.unanswered, id)
		}
	}
	if s.allAnswered != nil && len(s.unanswered) == 0 {
		close(s.allAnswered)
		s.allAnswered = nil
	}
	return n, err
}

// await waits until all requests have been answered, or until limit has elapsed.
func (s *responseWriter) await(limit time.Duration) {
	s.mu.Lock()
	var done chan struct{}
	if len(s.unanswered) > 0 {
		done = make(chan struct{})
		s.allAnswered = done
	}
	s.mu.Unlock()
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// responseID returns the id of a response, or "" for other messages. It reads only the beginning of the message. In a
// response of the SDK, this is {"jsonrpc":"2.0","id":ID,"result" or {"jsonrpc":"2.0","id":ID,"error".
func responseID(message []byte) string {
	in := json.NewDecoder(bytes.NewReader(message))
	in.UseNumber()
	var head [6]json.Token
	for i := range head {
		token, err := in.Token()
		if err != nil {
			return ""
		}
		head[i] = token
	}
	if head[3] != "id" || head[5] != "result" && head[5] != "error" {
		return ""
	}
	return fmt.Sprint(head[4])
}

// Close implements io.Closer.
func (s *responseWriter) Close() error { return nil }

// checkMessage checks a message before the SDK receives it. refused is the error to send to the client, or nil if the
// message is acceptable. id is the encoded id of the message, or nil if the id is missing or cannot be parsed. Without
// these checks, the SDK would ignore a second message in text, round large numeric ids, and mention Go types in errors
// about params.
func checkMessage(text []byte) (refused *jsonrpc.Error, id json.RawMessage) {
	refuse := func(code int64, format string, args ...any) *jsonrpc.Error {
		return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	}
	if _, err := jsonrpc.DecodeMessage(text); err != nil || !json.Valid(text) {
		return refuse(jsonrpc.CodeParseError, "cannot parse the message"), nil
	}
	var message map[string]json.RawMessage
	if err := json.Unmarshal(text, &message); err != nil {
		return refuse(jsonrpc.CodeInvalidRequest, "a message must be an object"), nil
	}
	id = message["id"]
	var number json.Number
	if len(id) > 0 && id[0] != '"' && json.Unmarshal(id, &number) == nil {
		if n, err := number.Int64(); err != nil || n > maxID || n < -maxID {
			return refuse(jsonrpc.CodeInvalidRequest, "a numeric id must be an integer of at most 2^53; use a string for other ids"), id
		}
	}
	var method string
	if json.Unmarshal(message["method"], &method) != nil || method == "" || len(message["params"]) == 0 {
		return nil, id
	}
	params, known := map[string]any{
		"initialize": &sdk.InitializeParams{}, "ping": &sdk.PingParams{},
		"tools/list": &sdk.ListToolsParams{}, "tools/call": &sdk.CallToolParamsRaw{},
		"prompts/list": &sdk.ListPromptsParams{}, "prompts/get": &sdk.GetPromptParams{},
		"resources/list": &sdk.ListResourcesParams{}, "resources/read": &sdk.ReadResourceParams{},
	}[method]
	if !known {
		return nil, id
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(message["params"], params); errors.As(err, &wrong) {
		field := strings.TrimPrefix("params."+wrong.Field, "params..")
		return refuse(jsonrpc.CodeInvalidParams, "%s of %s cannot be a JSON %s", strings.TrimSuffix(field, "."), method, wrong.Value), id
	}
	return nil, id
}

// refusal returns an error response to the message with the given encoded id, as a single line. An empty id is encoded
// as null.
func refusal(id json.RawMessage, why *jsonrpc.Error) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	message, err := json.Marshal(why.Message)
	if err != nil {
		message = []byte(`""`) // cannot happen
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, why.Code, message)
}

// maxID is the maximum absolute value of a numeric id. Some JSON parsers round larger numbers.
const maxID = 1 << 53
