// This file defines the lock, a small file that contains the part of a registry to
// compare with code.

package conform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Lock contains the part of a registry to compare with code. It contains short values
// and the hashes of long values. A lock file is therefore small enough to commit and to
// review as a diff.
type Lock struct {
	Schema int          `json:"schema"`
	Kind   string       `json:"kind"`
	Agent  string       `json:"agent,omitempty"` // agent that has these tools, or "" for all tools of the view
	View   []string     `json:"view"`
	Tools  []LockedTool `json:"tools"`           // sorted by subject
	Files  []LockedFile `json:"files,omitempty"` // sorted by subject
}

// LockedFile is an approved skill or instruction file.
type LockedFile struct {
	Subject     string `json:"subject"`
	Path        string `json:"path"`
	Version     int    `json:"version"`
	ContentHash string `json:"content_hash"`
}

// LockedTool is an approved tool.
type LockedTool struct {
	Subject     string `json:"subject"`
	WireName    string `json:"wire_name"`
	Version     int    `json:"version"`
	ContentHash string `json:"content_hash"`
	// Tool is the definition without long texts and schemas. Hashes maps the key of
	// each omitted value to the SHA-256 of the canonical form of the value.
	Tool   registry.Tool     `json:"tool"`
	Hashes map[string]string `json:"hashes"`
}

const (
	lockSchema = 1
	lockKind   = "lock"
)

// ErrLock indicates that a file is not a valid lock.
var ErrLock = errors.New("not a valid toolcrib lock file")

// NewLock returns a lock of the active tools, skills, and instructions in lives.
func NewLock(agent string, view []registry.Layer, lives []registry.Live) Lock {
	layers := lists.Map(view, func(l registry.Layer) string { return string(l) })
	l := Lock{Schema: lockSchema, Kind: lockKind, Agent: agent, View: layers, Tools: []LockedTool{}}
	for _, live := range lives {
		if f := live.Definition.Folder(); f != nil && f.Status != registry.Deactivated {
			l.Files = append(l.Files, LockedFile{live.Subject.String(), f.Path, live.Version, live.ContentHash})
		}
		t := live.Definition.Tool
		if t == nil || t.Status == registry.Deactivated {
			continue
		}
		values, hashes := t.Values(), map[string]string{}
		for _, key := range slices.Concat(hashedKeys(wire.MCP), hashedKeys(wire.V0)) {
			if v, ok := values[key]; ok {
				hashes[key] = registry.HashBytes([]byte(v))
			}
		}
		l.Tools = append(l.Tools, LockedTool{
			Subject: live.Subject.String(), WireName: t.WireName(), Version: live.Version, ContentHash: live.ContentHash,
			Tool: registry.Tool{
				ID: t.ID, Kind: t.Kind, Name: t.Name, Archetype: t.Archetype, Scope: t.Scope, Aliases: t.Aliases,
				Annotations: t.Annotations, Approval: t.Approval, Provider: t.Provider, Source: t.Source,
			},
			Hashes: hashes,
		})
	}
	slices.SortFunc(l.Tools, func(a, b LockedTool) int { return bytes.Compare([]byte(a.Subject), []byte(b.Subject)) })
	slices.SortFunc(l.Files, func(a, b LockedFile) int { return strings.Compare(a.Subject, b.Subject) })
	return l
}

// hashedKeys returns the keys of format f with values that are too long for a lock. A
// lock contains hashes instead of these values.
func hashedKeys(f wire.Format) []string {
	switch f {
	case wire.MCP:
		return []string{"description", "inputSchema", "outputSchema"}
	case wire.OpenAI, wire.Anthropic:
		return []string{"description", "inputSchema"}
	case wire.V0:
		return []string{"usageNotes", "goals", "guardrails", "prompt"}
	case wire.MCPText, wire.Toolcrib, wire.Names:
	}
	return nil
}

// Encode returns the lock as indented JSON.
func (l Lock) Encode() ([]byte, error) { return jsondoc.EncodeIndented(l) }

// ReadLock parses a lock that Encode wrote. It rejects unknown keys, because a lock
// with unknown keys can pin more than this version checks.
func ReadLock(data []byte) (Lock, error) {
	var l Lock
	n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
	if err != nil {
		return l, err
	}
	if kind := n.Get("kind"); kind == nil || kind.Text != lockKind {
		return l, fmt.Errorf("%w; create a lock file with `toolcrib export --format lock`", ErrLock)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return l, fmt.Errorf("%w: %w", ErrLock, err)
	}
	if l.Schema != lockSchema {
		return l, fmt.Errorf("%w: this version does not support schema %d; install a newer toolcrib", ErrLock, l.Schema)
	}
	return l, nil
}

// Scope returns the Scope for comparing code with the lock. The caller sets Partial
// and Server.
func (l Lock) Scope() (Scope, error) {
	s := Scope{Hashes: map[registry.Subject]map[string]string{}, Registry: "the lock"}
	var lives []registry.Live
	for _, t := range l.Tools {
		subject, err := registry.ParseSubject(t.Subject)
		if err != nil || subject.Kind != registry.KindTool || subject.ID != t.Tool.ID || s.Hashes[subject] != nil {
			return s, errors.Join(fmt.Errorf("%w: invalid or duplicate subject %s", ErrLock, jsondoc.Quote(t.Subject)), err)
		}
		if t.Hashes == nil {
			return s, fmt.Errorf("%w: %s has no hashes", ErrLock, t.Subject)
		}
		s.Hashes[subject] = t.Hashes
		lives = append(lives, registry.Live{Subject: subject, Version: t.Version, ContentHash: t.ContentHash, Definition: registry.Definition{Tool: &t.Tool}})
	}
	s.Catalog = registry.Merge(lives)
	s.Tools = s.Catalog.Tools()
	return s, nil
}

// useHashes replaces the long values in approved and code by their hashes and removes
// the keys that format f does not have. The caller can then compare the two maps. The
// argument hashes contains the hashes of the approved values, as read from a lock.
func useHashes(hashes map[string]string, f wire.Format, approved, code map[string]string) {
	for _, key := range slices.Concat(hashedKeys(wire.MCP), hashedKeys(wire.V0)) {
		delete(approved, key)
		said, ok := code[key]
		delete(code, key)
		if !slices.Contains(hashedKeys(f), key) {
			continue
		}
		if ok {
			code[key] = registry.HashBytes([]byte(said))
		}
		if want, ok := hashes[key]; ok {
			approved[key] = want
		}
	}
}
