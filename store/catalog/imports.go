// This file stores imported documents, and the machines that have reported imported tools.

package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Import is an imported document: its source and the JSON of each tool.
type Import struct {
	ID           string // UUIDv7
	At           time.Time
	Actor        string
	Format       string
	Label        string          // name of the server or file
	Hash         string          // SHA-256 of the document
	Capabilities json.RawMessage // as declared by the client, or nil if unknown
	Tools        []Raw
}

// Raw is the JSON of a tool as toolcrib received it. Hash is the hash of its canonical form.
type Raw struct {
	Hash string
	Body []byte
}

// Imports stores imported documents.
type Imports struct{ Pool *session.Pool }

// KeepImport stores i, the JSON of its tools, and an event that seals the import. It does not store
// the JSON of a tool again if JSON with the same hash is already stored.
func (db Imports) KeepImport(ctx context.Context, i Import) error {
	hashes := lists.Map(i.Tools, func(t Raw) string { return t.Hash })
	return db.Pool.Update(ctx, func(s *session.Session) error {
		for _, t := range i.Tools {
			var kept bool
			err := s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM raws WHERE hash = $1)", []any{t.Hash}, &kept)
			if err == nil && !kept {
				_, err = s.Exec(ctx, "INSERT INTO raws (hash, body) VALUES ($1, $2)", t.Hash, t.Body)
			}
			if err != nil {
				return err
			}
		}
		_, err := s.Exec(ctx, "INSERT INTO imports (seq, id, at, actor, format, label, hash, capabilities, tools) VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM imports), $1, $2, $3, $4, $5, $6, $7, $8)",
			i.ID, history.Timestamp(i.At), i.Actor, i.Format, i.Label, i.Hash, string(i.Capabilities), table.JSONArray(hashes))
		if err != nil {
			return err
		}
		return records.Log{Session: s}.AppendWithData(ctx, history.Event{ID: i.ID, At: i.At, Actor: i.Actor, Act: "import"}, map[string]any{
			"format": i.Format, "label": i.Label, "hash": i.Hash, "capabilities": string(i.Capabilities), "tools": hashes,
		})
	})
}

// ImportOf returns the latest import that contained the tool with the given hash. It does not set
// Tools in the result. The result ok is false if no import contained the tool.
func (db Imports) ImportOf(ctx context.Context, hash string) (i Import, ok bool, err error) {
	err = db.Pool.View(ctx, func(s *session.Session) error {
		var at, capabilities string
		ok, err = s.OptionalRow(ctx, `SELECT id, at, actor, format, label, hash, capabilities FROM imports
			WHERE EXISTS (SELECT 1 FROM json_each(imports.tools, '$') WHERE value = $1) ORDER BY seq DESC LIMIT 1`, []any{hash},
			&i.ID, &at, &i.Actor, &i.Format, &i.Label, &i.Hash, &capabilities)
		if err != nil || !ok {
			return err
		}
		if capabilities != "" {
			i.Capabilities = json.RawMessage(capabilities)
		}
		i.At, err = history.ParseTimestamp(at)
		return err
	})
	return i, ok, err
}

// reportFormat is the format of imports that record reports. A report states that a machine has
// seen a tool. The first half of the import's hash identifies the token, and the second half
// identifies the machine.
const reportFormat = "report"

// maxMachines limits the number of machines counted for a tool and a token, because anyone with a
// token can invent machine names.
const maxMachines = 1000

// KeepReport records that a machine has seen the tool of i. It returns the number of machines that
// the holder of token has reported for the tool. It returns 0 if the machine was already recorded
// or if maxMachines is reached.
func KeepReport(ctx context.Context, db Imports, i Import, token, machine string) (machines int, err error) {
	half := registry.HashBytes([]byte(token))[:32]
	i.Format, i.Hash = reportFormat, half+registry.HashBytes([]byte(machine))[:32]
	var known bool
	err = db.Pool.View(ctx, func(s *session.Session) error {
		return s.Row(ctx, "SELECT count(*), coalesce(max(CASE WHEN hash = $5 THEN 1 ELSE 0 END), 0) = 1 FROM imports WHERE label = $1 AND format = $2 AND tools = $3 AND substr(hash, 1, 32) = $4",
			[]any{i.Label, i.Format, `["` + i.Tools[0].Hash + `"]`, half, i.Hash}, &machines, &known)
	})
	if err != nil || known || machines >= maxMachines {
		return 0, err
	}
	return machines + 1, db.KeepImport(ctx, i)
}

// Labels returns the names of all MCP servers from which tools were imported.
func Labels(ctx context.Context, db Imports) ([]string, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]string, error) {
		return table.All(ctx, s, table.ScanValue[string], "SELECT DISTINCT label FROM imports WHERE format = 'mcp' ORDER BY label")
	})
}

// Listed returns the hashes of the tools in the latest recorded tool list of an MCP server, in the
// order of the list. It returns nil if no list is recorded. The argument label is the name of the
// server.
func (db Imports) Listed(ctx context.Context, label string) ([]string, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]string, error) {
		var list string
		err := s.Row(ctx, "SELECT coalesce((SELECT tools FROM imports WHERE label = $1 AND format = 'mcp' ORDER BY seq DESC LIMIT 1), '[]')", []any{label}, &list)
		if err != nil {
			return nil, err
		}
		return table.ParseList(list)
	})
}

// startFormat is the format of imports that record the command or URL of a server. The table raws
// contains the command or URL as a JSON array of strings. Approvals are bound to the first command
// or URL that was recorded for the name of the server.
const startFormat = "start"

// StartOf returns the command or URL that was first recorded for the MCP server named label, or nil
// if none is recorded.
func (db Imports) StartOf(ctx context.Context, label string) (words []string, err error) {
	err = db.record(ctx, label, startFormat, "ASC", &words)
	return words, err
}

// KeepStart records the command or URL of an MCP server. The caller must have removed secrets from
// words. It does nothing if a command or URL is already recorded for the server.
func (db Imports) KeepStart(ctx context.Context, id string, at time.Time, actor, label string, words []string) error {
	known, err := db.StartOf(ctx, label)
	if err != nil || known != nil {
		return err
	}
	return db.keepRecord(ctx, Import{ID: id, At: at, Actor: actor, Format: startFormat, Label: label}, []byte(table.JSONArray(words)))
}

// record decodes a JSON document that was recorded for a server, and stores the result in the
// variable that into points to. It reads the first document if order is "ASC", and the last
// document if order is "DESC". If no document is recorded, the variable does not change.
func (db Imports) record(ctx context.Context, label, format, order string, into any) error {
	return db.Pool.View(ctx, func(s *session.Session) error {
		var hash string
		var body []byte
		found, err := s.OptionalRow(ctx, "SELECT i.hash, r.body FROM imports i JOIN raws r ON r.hash = i.hash WHERE i.label = $1 AND i.format = $2 ORDER BY i.seq "+order+" LIMIT 1", []any{label, format}, &hash, &body)
		switch {
		case err != nil || !found:
			return err
		case registry.HashBytes(body) != hash:
			return fmt.Errorf("the record %s of %s is damaged: its content does not match its hash", format, label)
		}
		return json.Unmarshal(body, into)
	})
}

// keepRecord stores body as the document of the import i.
func (db Imports) keepRecord(ctx context.Context, i Import, body []byte) error {
	i.Hash = registry.HashBytes(body)
	i.Tools = []Raw{{i.Hash, body}}
	return db.KeepImport(ctx, i)
}

// leftOutFormat is the format of imports that record the entries of a server's tool list that
// cannot be proposed. The table raws contains the entries as JSON. Only the latest import for a
// server is valid.
const leftOutFormat = "left_out"

// LeftOut returns the entries that KeepLeftOut recorded last for the MCP server named label.
func LeftOut(ctx context.Context, db Imports, label string) (skipped []wire.Skipped, err error) {
	err = db.record(ctx, label, leftOutFormat, "DESC", &skipped)
	return skipped, err
}

// KeepLeftOut records the skipped entries of a server's tool list, which cannot be proposed. It
// does nothing if the latest record contains the same entries.
func KeepLeftOut(ctx context.Context, db Imports, id string, at time.Time, actor, label string, skipped []wire.Skipped) error {
	known, err := LeftOut(ctx, db, label)
	if err != nil || slices.Equal(known, skipped) {
		return err
	}
	body, err := jsondoc.Marshal(append([]wire.Skipped{}, skipped...))
	if err != nil {
		return err
	}
	return db.keepRecord(ctx, Import{ID: id, At: at, Actor: actor, Format: leftOutFormat, Label: label}, body)
}

// Raw returns the imported JSON with the given hash. The result ok is false if the JSON is not
// stored.
func (db Imports) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	err = db.Pool.View(ctx, func(s *session.Session) error {
		body, ok, err = Registry{Session: s}.Raw(ctx, hash)
		return err
	})
	return body, ok, err
}

// Raw implements review.RegistryReader.
func (s Registry) Raw(ctx context.Context, hash string) (body []byte, ok bool, err error) {
	if ok, err = s.OptionalRow(ctx, "SELECT body FROM raws WHERE hash = $1", []any{hash}, &body); err != nil || !ok {
		return nil, false, err
	}
	if is, err := wire.HashRaw(body); err != nil || is != hash { // clients must receive the approved bytes
		return nil, false, fmt.Errorf("the imported JSON %.12s: %w: the JSON does not match its hash; run toolcrib verify", hash, proposals.ErrTampered)
	}
	return body, true, nil
}
