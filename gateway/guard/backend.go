// The interface between a guard and the rest of toolcrib, and its implementation with a database.

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

// Backend is the part of toolcrib that a guard needs: the approved tools, proposals of changes, the gates, and the
// log of calls. Database implements it.
type Backend interface {
	// Approved returns the approved tools of the server. On an error, the guard lists and calls no tools, and shows
	// the error to the user of the client.
	Approved(ctx context.Context) (Approved, error)
	// Wait returns when any process may have approved something. seen is the previous result, initially 0.
	Wait(ctx context.Context, seen int64) int64
	// Observe proposes the differences between a server's list and the approved tools and texts, and records entries
	// that cannot be proposed.
	Observe(ctx context.Context, l Listing) error
	// Vet returns an error if a tool whose excluded parts differ from the approved JSON must not be listed, because a
	// rule finds something in them.
	Vet(ctx context.Context, raw json.RawMessage) error
	// Withheld returns the number of the server's tools and texts that wait for an approval.
	Withheld(ctx context.Context) int
	// Admit passes a call of a client ("" if it has no name) through the gates and logs it. r.Decline compares the
	// server's list with the definition that is live in the transaction, which may be newer than the last result of
	// Approved. An error other than a *gateway.Error means that the gates could not be evaluated.
	Admit(ctx context.Context, client string, r gateway.Request) (*gateway.Admitted, error)
	// Conclude records the outcome of an admitted call, once.
	Conclude(a *gateway.Admitted, o gateway.Outcome)
}

// Approved contains the approved tools of a server for one state of the registry.
type Approved struct {
	State int64
	Tools map[string]Tool // by name on the server
	// Texts has the prompts and the instructions by wire.PromptName and wire.InstructionsName.
	Texts map[string]wire.ServerText
}

// Tool is an approved tool.
type Tool struct {
	Hash   string           // hash of the canonical form of Raw
	Raw    json.RawMessage  // the exact approved JSON
	Source *registry.Source // parts that the pin excludes; nil for a prompt
	// Unlistable is the part of the tool because of which clients would refuse the server's whole list, or "". It is
	// also "" if all tools have such a part.
	Unlistable string
}

// Listing is a complete list of the server's tools, or the reason why none is available.
type Listing struct {
	Problem string // "" if the list was read
	wire.ServerList
}

// Store is the open database of a guard.
type Store interface {
	// Raw returns the JSON with a hash. It returns false if that JSON is not stored.
	Raw(ctx context.Context, hash string) (body []byte, ok bool, err error)
	// Wait is like Backend.Wait. It polls at the given interval if the database does not announce changes.
	Wait(ctx context.Context, seen int64, every time.Duration) int64
	// Path returns the file of the database, or the name of the database server.
	Path() string
}

// Connection is an open database and the gates of its registry.
type Connection struct {
	Store   Store
	Gateway *gateway.Gateway
	// Caller is the caller of the client's calls. If an agent is logged in, the log records its actor, and otherwise
	// the name of the client.
	Caller gateway.Caller
	Close  func() error
}

// Database is the Backend of one server's guard. It opens the database while the server starts, and reopens it after
// failures.
type Database struct {
	Name  string   // name of the server
	Start []string // identity of the server, without secrets
	// Open opens the database. Its error is shown to the user of the client.
	Open func(ctx context.Context) (Connection, error)
	// Propose proposes the differences between a listing and the approved tools. It returns the entries that cannot
	// be proposed.
	Propose func(ctx context.Context, l Listing) ([]wire.Skipped, error)
	// Check applies the rules to the JSON of a tool whose excluded parts have changed.
	Check func(ctx context.Context, raw json.RawMessage) error

	// Reviewed names who can approve tools, or is "" if the user of this machine can.
	Reviewed string

	// Waiting returns the number of the server's tools and texts that wait for an approval.
	Waiting func(ctx context.Context) (int, error)

	mu      sync.Mutex // guards the fields below
	conn    *Connection
	file    os.FileInfo                // information about the database file when it was opened; nil for a database server
	raws    map[string]json.RawMessage // by hash
	last    *Approved                  // the last complete result of Approved
	skipped []wire.Skipped             // in the last listing
}

var _ Backend = (*Database)(nil)

// Close writes pending records and closes the database.
func (d *Database) Close() error {
	if d.conn == nil {
		return nil
	}
	d.conn.Gateway.Flush(context.Background())
	return d.conn.Close()
}

// open returns the open database. Its error is shown to the user of the client.
func (d *Database) open(ctx context.Context) (Connection, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		if d.file == nil {
			return *d.conn, nil
		}
		path := d.conn.Store.Path()
		if now, err := os.Stat(path); err != nil || !os.SameFile(now, d.file) { // the open file would lose calls and miss new decisions
			return *d.conn, fmt.Errorf("its database %s was moved, deleted or replaced; put it back, or start the server again in the client", path)
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
		return Approved{}, fmt.Errorf("its database cannot be read: %w", err)
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
	if last != nil && last.State == list.State { // an idle guard asks often, and parsing every tool takes time
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
	if !anyListable { // such as a server that writes null for every missing field: to omit all tools would help no client
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

// raw returns the approved JSON with a hash, or nil if it is not stored.
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
func (d *Database) Wait(ctx context.Context, seen int64) int64 {
	d.mu.Lock()
	conn := d.conn
	d.mu.Unlock()
	if conn != nil {
		return conn.Store.Wait(ctx, seen, 400*time.Millisecond)
	}
	select {
	case <-ctx.Done():
	case <-time.After(2 * time.Second):
	}
	return seen
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
	n, _ := d.Waiting(ctx) // a failure only omits the notification
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
		shown.Message = fmt.Sprintf("%s of the server %s cannot be proposed for approval, because it %s. toolcrib status shows the user what is left out.", jsondoc.Quote(r.Tool), d.Name, reason)
	case refused.Code == gateway.CodeUnknown && d.Reviewed != "":
		shown.Message = fmt.Sprintf("%s is not an approved tool of the server %s. %s", jsondoc.Quote(r.Tool), d.Name, d.Reviewed)
	}
	return nil, &shown
}

// reason returns why a tool could not be proposed, or "". The model reads the reason, so it must not contain
// unapproved text from the server.
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
