// This file caches the agents' views of the registry, and implements the GET /v1/catalog and GET /v1/tools endpoints.

package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Format is a format of tools for an application.
type Format = wire.Format

// Definition is a live definition with its version.
type Definition struct {
	Subject     string          `json:"subject"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	Hash        string          `json:"hash"` // The hash of the version, which seals its history
	Locked      bool            `json:"locked"`
	Deferred    bool            `json:"deferred"` // Whether the prompt omits the tool, which the agent must then discover
	Definition  json.RawMessage `json:"definition"`

	Live      registry.Live `json:"-"`
	CreatedAt time.Time     `json:"-"` // decision time of the first version
	UpdatedAt time.Time     `json:"-"` // decision time of this version
}

// Loaded contains the definitions of an agent that an application loads.
type Loaded struct {
	Agent Definition   // profile of the agent
	Lists []Definition // the agent's allow-list; empty if the agent does not have one
	Tools []Definition // in the order of their ids
	// Warnings contains a warning for each tool in the allow-list that is missing in the registry.
	Warnings []string
}

// hash returns a hash over the subjects, versions, and content hashes of all definitions.
func (l Loaded) hash() string {
	var b strings.Builder
	for _, d := range slices.Concat([]Definition{l.Agent}, l.Lists, l.Tools) {
		fmt.Fprintf(&b, "%s %d %s\n", d.Subject, d.Version, d.ContentHash)
	}
	return registry.HashBytes([]byte(b.String()))
}

// view contains the definitions and prompts of an agent in a state of the registry.
type view struct {
	state   int64 // state of the registry
	hash    string
	loaded  Loaded
	prompts *prompt.Renderer

	mu    sync.Mutex
	heads map[Format][]byte // results of configHead
}

// viewKey identifies an agent's view, regardless of the state of the registry.
type viewKey struct {
	agent string
	layer registry.Layer
	where registry.Context
}

// views caches the newest views of a few agents.
type views struct {
	mu    sync.Mutex
	slots map[viewKey]*viewSlot
}

// viewSlot contains the newest view for a key. The lock is held while a newer view is loaded; concurrent requests
// therefore wait for this view instead of loading it, too.
type viewSlot struct {
	mu   sync.Mutex
	view *view
}

func (v *views) slot(c gateway.Caller) *viewSlot {
	key := viewKey{c.Agent, c.Layer, c.Where}
	v.mu.Lock()
	defer v.mu.Unlock()
	if s, ok := v.slots[key]; ok {
		return s
	}
	if len(v.slots) >= 16 || v.slots == nil {
		v.slots = map[viewKey]*viewSlot{}
	}
	s := &viewSlot{}
	v.slots[key] = s
	return s
}

// view returns the view of the agent that makes the request, in the state q.state or a later state. If the state
// changes while view loads the definitions, view tries again a few times.
func (s *Server) view(q *request) (*view, error) {
	slot := s.views.slot(q.caller)
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.view != nil && slot.view.state >= q.state {
		return slot.view, nil
	}
	ctx, state := q.r.Context(), q.state
	for range 5 {
		loaded, err := s.config.Catalog.Load(ctx, q.caller, time.Time{})
		if err != nil {
			return nil, err
		}
		in, err := s.config.Catalog.PromptInput(ctx, q.caller)
		if err != nil {
			return nil, err
		}
		_, after, err := s.config.Log.Head(ctx)
		if err != nil {
			return nil, err
		}
		if after == state {
			for _, w := range loaded.Warnings {
				s.config.Logger.Warn(w+"; the entry is skipped", "agent", q.caller.Agent)
			}
			slot.view = &view{state: state, hash: loaded.hash(), loaded: loaded, prompts: prompt.NewRenderer(in), heads: map[Format][]byte{}}
			return slot.view, nil
		}
		state = after
	}
	return nil, problem(http.StatusServiceUnavailable, "busy", "the registry is changing too often; try again")
}

// notModified sets the entity tag of the response to hash. If the client already has the version with this tag,
// notModified responds with status 304 and returns true. Tags are weak, because they identify definitions rather than
// bytes.
func notModified(q *request, hash string) bool {
	tag := `W/"` + hash + `"`
	h := q.w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Authorization")
	for given := range strings.SplitSeq(q.r.Header.Get("If-None-Match"), ",") {
		if given = strings.TrimSpace(given); given == "*" || strings.TrimPrefix(given, "W/") == `"`+hash+`"` {
			q.w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

type docCatalog struct {
	AsOf        *time.Time   `json:"as_of,omitempty"` // The requested time
	CatalogHash string       `json:"catalog_hash"`    // The same hash as in the configuration of an agent
	Agent       Definition   `json:"agent"`
	Lists       []Definition `json:"lists"`
	Tools       []Definition `json:"tools"`
}

// catalog handles GET /v1/catalog. It responds with the definitions of the agent, now or at the time in the as_of
// parameter.
func (s *Server) catalog(q *request) error {
	var asOf time.Time
	if text := q.text("as_of", ""); text != "" {
		var err error
		if asOf, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return problem(http.StatusBadRequest, "usage", "as_of must be a time such as 2006-01-02T15:04:05Z (got "+jsondoc.Quote(text)+")")
		}
	}
	doc := docCatalog{}
	var loaded Loaded
	if asOf.IsZero() {
		v, err := s.view(q)
		if err != nil {
			return err
		}
		loaded, doc.CatalogHash = v.loaded, v.hash
	} else {
		var err error
		if loaded, err = s.config.Catalog.Load(q.r.Context(), q.caller, asOf); err != nil {
			return err
		}
		doc.AsOf, doc.CatalogHash = &asOf, loaded.hash()
	}
	if notModified(q, doc.CatalogHash) {
		return nil
	}
	doc.Agent, doc.Lists, doc.Tools = loaded.Agent, append([]Definition{}, loaded.Lists...), append([]Definition{}, loaded.Tools...)
	return answer(q.w, doc)
}

// tool handles GET /v1/tools/{id}. It responds with the definition of the agent's tool with the given id, alias, or
// wire name.
func (s *Server) tool(q *request) error {
	found, err := s.config.Gateway.Describe(q.r.Context(), q.caller, q.r.PathValue("id"))
	if err != nil {
		return err
	}
	v, err := s.view(q)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.loaded.Tools, func(d Definition) bool { return d.Live.Subject == found.Tool.Subject })
	if i < 0 {
		return problem(http.StatusNotFound, "not_found", "the tool is no longer in use")
	}
	d := v.loaded.Tools[i]
	if notModified(q, d.Hash) {
		return nil
	}
	return answer(q.w, map[string]Definition{"tool": d})
}
