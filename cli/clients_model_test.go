//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// clientModel replaces the model of a client, on a loopback address. It implements the Messages API of Anthropic, the
// Responses and Chat Completions APIs of OpenAI, and the API of Gemini. It records the tools that a client offers,
// requests the calls in order, and then ends the turn.
type clientModel struct {
	*httptest.Server
	calls []modelCall

	mu       sync.Mutex
	offered  map[string]string // definitions of tools by name
	bodies   []string          // bodies of the requests for an answer
	strays   []string          // other requests, and hosts that the client requested from its proxy
	rejected []string
}

// modelCall is a call of the tool that has a name with this suffix.
type modelCall struct{ suffix, args string }

// offeredTool is a tool as a client offers it to its model. The Responses API groups the
// tools of a server in a namespace.
type offeredTool struct {
	Type, Name, Namespace string
	Tools                 []json.RawMessage
	Function              struct{ Name string }
	Declarations          []json.RawMessage `json:"functionDeclarations"`
}

func newClientModel(t *testing.T, calls ...modelCall) *clientModel {
	t.Helper()
	m := &clientModel{calls: calls, offered: map[string]string{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.CloseClientConnections)
	t.Cleanup(m.Close)
	return m
}

// ServeHTTP responds to a request of a client. It is also the client's proxy, and rejects and records all requests to
// other hosts.
func (m *clientModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	path := r.URL.Path
	var answer func(*stream, *offeredTool, string)
	switch {
	case strings.HasSuffix(path, "/messages"):
		answer = (*stream).messages
	case strings.HasSuffix(path, "/responses"):
		answer = (*stream).responses
	case strings.HasSuffix(path, "/chat/completions"):
		answer = (*stream).chat
	case strings.Contains(path, "enerateContent"):
		answer = (*stream).gemini
	}
	if err != nil || r.Method != http.MethodPost || answer == nil || r.URL.Host != "" {
		m.mu.Lock()
		m.strays = append(m.strays, r.Method+" "+r.Host+path)
		m.mu.Unlock()
		http.Error(w, `{"error":{"message":"not offered here"}}`, http.StatusNotFound)
		return
	}
	tool, args := m.next(body)
	var asked struct{ Stream bool }
	_ = json.Unmarshal(body, &asked) // next has rejected invalid JSON
	s := &stream{w: w, whole: !asked.Stream && !strings.Contains(path, "streamGenerateContent")}
	if !s.whole {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	answer(s, tool, args)
}

// next records a request and returns the tool to call, or nil to end the turn.
func (m *clientModel) next(body []byte) (*offeredTool, string) {
	var request struct{ Tools []json.RawMessage }
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, string(body))
	if err := json.Unmarshal(body, &request); err != nil {
		m.rejected = append(m.rejected, err.Error())
		return nil, ""
	}
	done := 0
	for _, result := range []string{`"type":"tool_result"`, `"type":"function_call_output"`, `"role":"tool"`, `"functionResponse":`} {
		done += bytes.Count(compact(body), []byte(result))
	}
	var found *offeredTool
	var visit func(raw json.RawMessage, namespace string)
	visit = func(raw json.RawMessage, namespace string) {
		var tool offeredTool
		if err := json.Unmarshal(raw, &tool); err != nil {
			m.rejected = append(m.rejected, err.Error())
			return
		}
		tool.Name, tool.Namespace = tool.Name+tool.Function.Name, namespace
		for _, below := range append(tool.Tools, tool.Declarations...) {
			visit(below, tool.Name)
		}
		if tool.Tools != nil || tool.Declarations != nil {
			return
		}
		m.offered[namespace+tool.Name] = string(compact(raw))
		if done < len(m.calls) && strings.HasSuffix(tool.Name, m.calls[done].suffix) {
			found = &tool
		}
	}
	for _, raw := range request.Tools {
		visit(raw, "")
	}
	if found == nil {
		return nil, ""
	}
	return found, m.calls[done].args
}

// compact returns JSON without spaces and with sorted keys.
func compact(text []byte) []byte {
	var doc any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return text
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(doc) != nil {
		return text
	}
	return bytes.TrimSpace(out.Bytes())
}

// stream writes a response, as an event stream unless the client requested otherwise.
type stream struct {
	w     http.ResponseWriter
	whole bool
}

// event writes an event. It ignores errors, because the client may have exited.
func (s *stream) event(name string, data any) {
	text, _ := json.Marshal(data) // cannot fail for these objects
	switch {
	case s.whole:
		_, _ = s.w.Write(text)
	case name != "":
		_, _ = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", name, text)
	default:
		_, _ = fmt.Fprintf(s.w, "data: %s\n\n", text)
	}
}

const finalText = "All calls are done."

// messages follows https://platform.claude.com/docs/en/build-with-claude/streaming.
func (s *stream) messages(tool *offeredTool, args string) {
	content, delta, reason := object{"type": "text", "text": finalText}, object{"type": "text_delta", "text": finalText}, "end_turn"
	empty := object{"type": "text", "text": ""}
	if tool != nil {
		content, reason = object{"type": "tool_use", "id": "toolu_" + tool.Name, "name": tool.Name, "input": json.RawMessage(args)}, "tool_use"
		empty = object{"type": "tool_use", "id": "toolu_" + tool.Name, "name": tool.Name, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": args}
	}
	message := object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []any{content},
		"stop_reason": reason, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1},
	}
	if s.whole {
		s.event("", message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	s.event("message_start", object{"type": "message_start", "message": message})
	s.event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": empty})
	s.event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	s.event("content_block_stop", object{"type": "content_block_stop", "index": 0})
	s.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	s.event("message_stop", object{"type": "message_stop"})
}

// responses follows https://platform.openai.com/docs/api-reference/responses-streaming.
func (s *stream) responses(tool *offeredTool, args string) {
	item := object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": []any{object{"type": "output_text", "text": finalText, "annotations": []any{}}}}
	if tool != nil {
		item = object{"type": "function_call", "id": "fc_1", "call_id": "call_" + tool.Name, "name": tool.Name, "arguments": args, "status": "completed"}
		if tool.Namespace != "" {
			item["namespace"] = tool.Namespace
		}
	}
	response := object{"id": "resp_1", "object": "response", "status": "completed", "output": []any{item}, "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}
	if s.whole {
		s.event("", response)
		return
	}
	s.event("response.created", object{"type": "response.created", "response": object{"id": "resp_1"}})
	s.event("response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
	s.event("response.completed", object{"type": "response.completed", "response": response})
}

// chat follows https://platform.openai.com/docs/api-reference/chat-streaming.
func (s *stream) chat(tool *offeredTool, args string) {
	message, reason := object{"role": "assistant", "content": finalText}, "stop"
	if tool != nil {
		reason = "tool_calls"
		message = object{"role": "assistant", "content": nil, "tool_calls": []any{object{
			"index": 0, "id": "call_" + tool.Name, "type": "function", "function": object{"name": tool.Name, "arguments": args},
		}}}
	}
	chunk := func(kind, field string, message object, reason any) object {
		return object{
			"id": "chat_1", "object": kind, "created": 1, "model": "local", "choices": []any{object{"index": 0, field: message, "finish_reason": reason}},
			"usage": object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
		}
	}
	if s.whole {
		s.event("", chunk("chat.completion", "message", message, reason))
		return
	}
	s.event("", chunk("chat.completion.chunk", "delta", message, nil))
	s.event("", chunk("chat.completion.chunk", "delta", object{}, reason))
	_, _ = io.WriteString(s.w, "data: [DONE]\n\n")
}

// gemini follows https://ai.google.dev/api/generate-content.
func (s *stream) gemini(tool *offeredTool, args string) {
	part := object{"text": finalText}
	if tool != nil {
		part = object{"functionCall": object{"name": tool.Name, "args": json.RawMessage(args)}}
	}
	s.event("", object{
		"candidates":    []any{object{"index": 0, "content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
}
