// This file defines the interface between a guard and the rest of toolcrib, and implements the interface with a
// database.

package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Backend provides a guard with the approved tools and the gates, and records proposals and calls. Database implements
// Backend.
type Backend interface {
	// Approved returns the approved tools and texts of the server. If it returns an error, the guard neither lists nor
	// calls any tools, and shows the error to the user of the client.
	Approved(ctx context.Context) (Approved, error)
	// Wait waits until the approvals may have changed. It returns a value that the caller must pass as previous in the
	// next call. In the first call, previous is 0.
	Wait(ctx context.Context, previous int64) int64
	// Observe compares l with the approved tools and texts, proposes the differences, and records the entries of l that
	// cannot be proposed.
	Observe(ctx context.Context, l Listing) error
	// Vet applies the rules to raw, the JSON of a listed tool that differs from the approved JSON only in parts
	// excluded from the pin. If a rule has a finding, Vet returns an error, and the guard must not list the tool.
	Vet(ctx context.Context, raw json.RawMessage) error
	// Withheld returns the number of tools and texts of the server that are waiting for approval.
	Withheld(ctx context.Context) int
	// Admit passes a call through the gates and logs it. client is the name of the client, or "" if the client has not
	// sent a name. r.Decline must compare the live definition with the server's list, because the live definition may
	// be newer than the last result of Approved. An error other than a *gateway.Error indicates that the gates could
	// not be evaluated.
	Admit(ctx context.Context, client string, r gateway.Request) (*gateway.Admitted, error)
	// Conclude records the outcome of an admitted call. The guard must not call it twice for the same call.
	Conclude(a *gateway.Admitted, o gateway.Outcome)
}

// Approved contains the approved tools and texts of a server in a state of the registry.
type Approved struct {
	State int64
	Tools map[string]Tool // by name on the server
	// Texts contains the approved prompts, keyed by wire.PromptName, and the approved instructions, under
	// wire.InstructionsName.
	Texts map[string]wire.ServerText
}

// Tool is an approved tool or the approved entry of a prompt.
type Tool struct {
	Hash   string           // hash of the canonical form of Raw
	Raw    json.RawMessage  // the exact approved JSON
	Source *registry.Source // origin of the tool, with the parts that are excluded from the pin; nil for a prompt
	// Unlistable describes a part of the tool that would make clients refuse the server's whole list. It is "" if the
	// tool has no such part, or if all approved tools have such a part.
	Unlistable string
}

// Listing is a complete list of the server's tools and texts, or the reason why the list is not available.
type Listing struct {
	Problem string // "" if the list was read
	wire.ServerList
}

// Store provides a guard's access to the open database.
type Store interface {
	// Raw returns the stored JSON with the given hash. ok is false if no such JSON is stored.
	Raw(ctx context.Context, hash string) (body []byte, ok bool, err error)
	// Wait is like Backend.Wait. If the database does not announce changes, Wait polls the database at the given
	// interval.
	Wait(ctx context.Context, previous int64, interval time.Duration) int64
	// Path returns the path of the database file, or the name of the database server.
	Path() string
}

// Connection contains the open database and a gateway with the gates for its registry.
type Connection struct {
	Store   Store
	Gateway *gateway.Gateway
	// Caller is the caller that is logged with the client's calls. If the actor of Caller is not an agent, the name of
	// the client replaces the actor.
	Caller gateway.Caller
	Close  func() error
}

// Database is a Backend for the guard of a server. It opens the database when it is first used. If opening fails, the
// next use tries again.
type Database struct {
	Name  string   // name of the server
	Start []string // command or URL of the server, without secrets
	// Open opens the database. If Open fails, the error is shown to the user of the client.
	Open func(ctx context.Context) (Connection, error)
	// Propose proposes the differences between l and the approved tools. It returns the entries of l that cannot be
	// proposed.
	Propose func(ctx context.Context, l Listing) ([]wire.Skipped, error)
	// Check implements Backend.Vet.
	Check func(ctx context.Context, raw json.RawMessage) error

	// Reviewed is a sentence that tells the model who can approve tools. It is "" if the user of this machine can
	// approve tools.
	Reviewed string

	// Waiting returns the number of tools and texts of the server that are waiting for approval.
	Waiting func(ctx context.Context) (int, error)

	mu      sync.Mutex // guards the fields below
	conn    *Connection
	file    os.FileInfo                // information about the database file when it was opened; nil for a database server
	raws    map[string]json.RawMessage // by hash
	last    *Approved                  // the most recent complete result of Approved
	skipped []wire.Skipped             // entries of the last listing that could not be proposed
}

var _ Backend = (*Database)(nil)

// Close writes the queued outcomes of calls and closes the database.
func (d *Database) Close() error {
	if d.conn == nil {
		return nil
	}
	d.conn.Gateway.Flush(context.Background())
	return d.conn.Close()
}

// open opens the database if it is not open yet, and returns the connection. Errors of open are shown to the user of
// the client.
func (d *Database) open(ctx context.Context) (Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		if d.file == nil {
			return *d.conn, nil
		}
		path := d.conn.Store.Path()
		if now, err := os.Stat(path); err != nil || !os.SameFile(now, d.file) { // calls written to the old file would be lost, and new decisions would not be read
			return *d.conn, fmt.Errorf("the database %s was moved, deleted or replaced; restore the file, or let the client restart this server", path)
		}
		return *d.conn, nil
	}
	conn, err := d.Open(ctx)
	if err != nil {
		return Connection{}, err
	}
	conn.Caller = conn.Caller.Guarded(d.Name)
	d.file, _ = os.Stat(conn.Store.Path()) // fails for a database server
	d.conn, d.raws, d.last = &conn, map[string]json.RawMessage{}, nil
	return conn, nil
}

// Approved implements Backend.
func (d *Database) Approved(ctx context.Context) (Approved, error) {
	conn, err := d.open(ctx)
	if err != nil {
		return Approved{}, err
	}
	out, err := d.approved(ctx, conn)
	if err != nil {
		return Approved{}, fmt.Errorf("the database cannot be read: %w", err)
	}
	return out, nil
}

func (d *Database) approved(ctx context.Context, conn Connection) (Approved, error) {
	list, err := conn.Gateway.Guarded(ctx, conn.Caller)
	if err != nil {
		return Approved{}, err
	}
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	if last != nil && last.State == list.State { // an idle guard calls approved often, and parsing every tool is slow
		return *last, nil
	}
	complete, anyListable := true, false
	out := Approved{State: list.State, Tools: make(map[string]Tool, len(list.Tools)), Texts: map[string]wire.ServerText{}}
	for _, t := range list.Tools {
		raw, err := d.raw(ctx, conn, t.Hash)
		if err != nil {
			return Approved{}, err
		}
		complete = complete && raw != nil
		if raw != nil {
			problem := wire.ListProblem(raw)
			out.Tools[t.Name] = Tool{Hash: t.Hash, Raw: raw, Source: t.Source, Unlistable: problem}
			anyListable = anyListable || problem == ""
		}
	}
	if !anyListable { // a server may have the same problem in all tools, such as null for missing fields; an empty list would not help clients
		for name, tool := range out.Tools {
			tool.Unlistable = ""
			out.Tools[name] = tool
		}
	}
	for _, t := range list.Texts {
		raw, err := d.raw(ctx, conn, t.Hash)
		complete = complete && raw != nil
		if err == nil && raw != nil {
			out.Texts[t.Name], err = wire.ReadServerText(raw)
		}
		if err != nil {
			return Approved{}, err
		}
	}
	if complete {
		d.mu.Lock()
		d.last = &out
		d.mu.Unlock()
	}
	return out, nil
}

// raw returns the approved JSON with the given hash, or nil if the JSON is not stored.
func (d *Database) raw(ctx context.Context, conn Connection, hash string) (json.RawMessage, error) {
	d.mu.Lock()
	raw := d.raws[hash]
	d.mu.Unlock()
	if raw != nil {
		return raw, nil
	}
	body, ok, err := conn.Store.Raw(ctx, hash)
	if err != nil || !ok {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.raws[hash] = body
	return body, nil
}

// Wait implements Backend.
func (d *Database) Wait(ctx context.Context, previous int64) int64 {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn != nil {
		return conn.Store.Wait(ctx, previous, 400*time.Millisecond)
	}
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Second):
	}
	return previous
}

// Observe implements Backend.
func (d *Database) Observe(ctx context.Context, l Listing) error {
	if _, err := d.open(ctx); err != nil {
		return err
	}
	skipped, err := d.Propose(ctx, l)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.skipped = skipped
	return err
}

// Vet implements Backend.
func (d *Database) Vet(ctx context.Context, raw json.RawMessage) error {
	if _, err := d.open(ctx); err != nil {
		return err
	}
	return d.Check(ctx, raw)
}

// Withheld implements Backend.
func (d *Database) Withheld(ctx context.Context) int {
	if _, err := d.open(ctx); err != nil {
		return 0
	}
	n, _ := d.Waiting(ctx) // if Waiting fails, n is 0 and the notice is omitted
	return n
}

// Admit implements Backend.
func (d *Database) Admit(ctx context.Context, client string, r gateway.Request) (*gateway.Admitted, error) {
	conn, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	if conn.Caller.Actor.Kind != proposals.Agent {
		conn.Caller.Actor = proposals.SelfNamed(client)
	}
	r.Command = strings.Join(d.Start, " ")
	a, err := conn.Gateway.Admit(ctx, conn.Caller, r)
	refused, ok := errors.AsType[*gateway.Error](err)
	if !ok {
		return a, err
	}
	shown := *refused
	switch reason := d.reason(r.Tool); {
	case refused.Pending != "":
		shown.Message = fmt.Sprintf("%s The user reviews it with `toolcrib calls show %s`.", refused.Message, refused.Pending)
	case refused.Code == gateway.CodeUnknown && reason != "":
		shown.Message = fmt.Sprintf("The tool %s of the server %s cannot be proposed for approval, because it %s. The user can list such tools with toolcrib status.", jsondoc.Quote(r.Tool), d.Name, reason)
	case refused.Code == gateway.CodeUnknown && d.Reviewed != "":
		shown.Message = fmt.Sprintf("%s is not an approved tool of the server %s. %s", jsondoc.Quote(r.Tool), d.Name, d.Reviewed)
	}
	return nil, &shown
}

// reason returns the reason why the given tool could not be proposed, or "" if no such reason is known. Because the
// model reads the reason, it must not contain unapproved text from the server.
func (d *Database) reason(tool string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.skipped {
		if s.Name == tool {
			return s.Reason
		}
	}
	return ""
}

// Conclude implements Backend.
func (d *Database) Conclude(a *gateway.Admitted, o gateway.Outcome) {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	conn.Gateway.Conclude(context.Background(), a, o)
}
