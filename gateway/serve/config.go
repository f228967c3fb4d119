package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// docConfig is all that an application needs to run an agent, but for the channel
// and its prompt: they follow it in the same object.
type docConfig struct {
	Agent          string          `json:"agent"`
	Format         Format          `json:"format"`
	CatalogHash    string          `json:"catalog_hash"`
	EnabledActions []string        `json:"enabled_actions"` // the names by which tools are called
	Tools          json.RawMessage `json:"tools"`
	// Deferred counts the tools that are not offered at once: the agent finds them
	// with search_tools, over MCP.
	Deferred int `json:"deferred"`
	// LeftOut names the values that the format has no place for.
	LeftOut []string `json:"left_out,omitempty"`
}

// agentConfig is GET /v1/agents/{id}/config.
func (s *Server) agentConfig(q *request) error {
	if err := q.own(); err != nil {
		return err
	}
	channel, format := q.text("channel", prompt.Web), Format(q.text("format", string(wire.Toolcrib)))
	if !registry.ValidChannel(channel) {
		return problem(http.StatusBadRequest, "usage", "channel is "+quote(channel)+"; a channel is a name such as web or telegram")
	}
	if !slices.Contains([]Format{wire.OpenAI, wire.Anthropic, wire.MCP, wire.Toolcrib}, format) {
		return problem(http.StatusBadRequest, "usage", "format is "+quote(string(format))+"; write openai, anthropic, mcp or toolcrib")
	}
	caller, err := q.forUser(q.text("user", ""))
	if err != nil {
		return err
	}
	v, err := s.view(q)
	if err != nil {
		return err
	}
	if unchanged(q, v.hash) {
		return nil
	}
	now := prompt.Context{Now: s.config.Now()}
	if err := s.config.Catalog.Known(q.r.Context(), caller, &now); err != nil {
		return err
	}
	head, err := s.configHead(q.r.Context(), v, format)
	if err != nil {
		return err
	}
	tail, err := configTail(v, channel, now)
	if err == nil {
		write(q.w, http.StatusOK, head, tail)
	}
	return err
}

// own refuses requests about another agent than the token's.
func (q *request) own() error {
	if id := q.r.PathValue("id"); id != q.caller.Agent {
		return problem(http.StatusForbidden, "not_allowed", "the token is of the agent "+quote(q.caller.Agent)+", and reads and calls only as itself")
	}
	return nil
}

// configTail returns the rest of the answer: the channel and its prompt.
func configTail(v *view, channel string, now prompt.Context) ([]byte, error) {
	key := renderedFor{channel, now.Zone, now.MemoryNotes, now.UserInstructions}
	if tail := v.rendered.get(key, now.Now); tail != nil {
		return tail, nil
	}
	text, err := encode(map[string]string{"channel": channel, "prompt": v.prompts.With(now).Render(channel).Text})
	if err != nil {
		return nil, err
	}
	tail := bytes.TrimPrefix(text, []byte("{"))
	v.rendered.put(key, now.Now, tail)
	return tail, nil
}

// configHead returns the part that all channels and users share: the answer up
// to the comma before the channel.
func (s *Server) configHead(ctx context.Context, v *view, f Format) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if head, ok := v.heads[f]; ok {
		return head, nil
	}
	head, err := s.newConfigHead(ctx, v, f)
	if err == nil {
		v.heads[f] = head
	}
	return head, err
}

func (s *Server) newConfigHead(ctx context.Context, v *view, f Format) ([]byte, error) {
	tools, deferred := v.loaded.offered()
	doc := docConfig{
		Agent: v.loaded.Agent.Live.Subject.ID, Format: f, CatalogHash: v.hash, Deferred: deferred, EnabledActions: []string{},
	}
	for _, d := range tools {
		if t := d.Live.Definition.Tool; t.Kind == registry.ActionTool {
			doc.EnabledActions = append(doc.EnabledActions, t.WireName())
		}
	}
	var err error
	if f == wire.Toolcrib {
		doc.Tools, err = json.Marshal(append([]Definition{}, tools...))
	} else {
		doc.Tools, doc.LeftOut, err = s.config.Catalog.Encode(ctx, tools, f)
	}
	if err != nil {
		return nil, err
	}
	text, err := encode(doc)
	if err != nil {
		return nil, err
	}
	return append(bytes.TrimSuffix(bytes.TrimSpace(text), []byte("}")), ','), nil
}

// rendered are the prompts that were rendered last, as configTail returns them. The time that a prompt tells
// has minutes, so within one the same context gives the same bytes.
type rendered struct {
	mu     sync.Mutex
	minute time.Time
	size   int
	bodies map[renderedFor][]byte
}

// renderedFor has the values that a prompt depends on, besides the minute.
type renderedFor struct {
	channel, zone, notes, instructions string
}

// maxRendered bounds the bytes of the prompts that are kept.
const maxRendered = 8 << 20

func (r *rendered) get(key renderedFor, at time.Time) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.minute.Equal(at.Truncate(time.Minute)) {
		return nil
	}
	return r.bodies[key]
}

func (r *rendered) put(key renderedFor, at time.Time, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	minute := at.Truncate(time.Minute)
	if !r.minute.Equal(minute) || r.size+len(body) > maxRendered || r.bodies == nil {
		r.minute, r.size, r.bodies = minute, 0, map[renderedFor][]byte{}
	}
	r.size += len(body) - len(r.bodies[key])
	r.bodies[key] = body
}
