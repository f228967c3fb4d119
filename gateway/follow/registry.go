// This file implements a followed registry in memory, and the ledgers of a machine that follows a registry.

package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/wire"
	"toolcrib/review/bundle"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
)

// Registry is an in-memory copy of a followed registry or of a view. It is immutable.
type Registry struct {
	registry.Finder
	// Lives are the live definitions, including deactivated ones.
	Lives    []registry.Live
	state    int64
	hash     string // hash of the encoded view
	raws     map[string][]byte
	contents map[string][]byte
	versions []bundle.Version // all versions; nil unless the registry is complete
}

var _ impact.ToolReader = (*Registry)(nil)

func newRegistry(a Accepted, b bundle.Bundle, lives []registry.Live) *Registry {
	r := &Registry{Finder: registry.Merge(lives).Finder, Lives: lives, state: a.At.UnixNano(), raws: map[string][]byte{}, contents: map[string][]byte{}}
	for _, raw := range b.Raws {
		if hash, err := wire.HashRaw([]byte(raw)); err == nil {
			r.raws[hash] = []byte(raw)
		}
	}
	for _, data := range b.Contents {
		r.contents[registry.HashBytes(data)] = data
	}
	return r
}

// Raw returns the imported JSON with the given hash.
func (r *Registry) Raw(hash string) ([]byte, bool) {
	raw, ok := r.raws[hash]
	return raw, ok
}

// Content returns the content of the binary file with the given SHA-256 hash.
func (r *Registry) Content(sha256 string) ([]byte, bool) {
	data, ok := r.contents[sha256]
	return data, ok
}

// Version returns the version of s with the given number. Only a complete registry contains versions.
func (r *Registry) Version(s registry.Subject, number int) (bundle.Version, error) {
	for _, v := range r.versions {
		if v.Subject == s.String() && v.Number == number {
			return v, nil
		}
	}
	return bundle.Version{}, fmt.Errorf("%w: version %d of %s", proposals.ErrNotFound, number, s)
}

// State implements impact.ToolReader.
func (r *Registry) State(context.Context) (int64, error) { return r.state, nil }

// Live implements impact.Registry.
func (r *Registry) Live(_ context.Context, s registry.Subject) (registry.Live, error) {
	for _, l := range r.Lives {
		if l.Subject == s {
			return l, nil
		}
	}
	return registry.Live{}, fmt.Errorf("%w: %s", proposals.ErrNotFound, s)
}

// Heads implements impact.Registry.
func (r *Registry) Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, int, error) {
	lives, err := r.OfKind(ctx, kind, view, most)
	size := 0
	for _, l := range lives {
		size += len(l.Definition.Canonical())
	}
	return lives, size, err
}

// Agents implements impact.Registry.
func (r *Registry) Agents(context.Context) ([]registry.Live, error) {
	return lists.Filter(r.Lives, func(l registry.Live) bool { return l.Subject.Kind == registry.KindAgent }), nil
}

// ByWire implements impact.ToolReader.
func (r *Registry) ByWire(_ context.Context, name string) ([]registry.Live, error) {
	return lists.Filter(r.Lives, func(l registry.Live) bool {
		t := l.Definition.Tool
		return t != nil && (t.WireName() == name || t.OriginName() == name)
	}), nil
}

// FromServer implements impact.ToolReader.
func (r *Registry) FromServer(_ context.Context, name string) ([]registry.Live, error) {
	return lists.Filter(r.Lives, func(l registry.Live) bool { return l.Definition.Tool != nil && l.Definition.Columns().Source == name }), nil
}

// Server reads and caches the view for an MCP server from a copy, or the complete registry if Name is "".
type Server struct {
	Copy *Copy
	Name string

	mu    sync.Mutex
	now   *Registry
	index string // Accepted.Index of the bundle from which now was read
}

// Registry returns the approved tools and texts of the server, or the complete registry if Name is "". It reads the copy
// again only if another bundle has been accepted.
func (s *Server) Registry(ctx context.Context) (*Registry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.Copy.current()
	if err != nil || s.now != nil && s.index == a.Index {
		return s.now, err
	}
	if s.Name == "" {
		s.now, err = s.Copy.Whole(ctx)
	} else {
		s.now, err = s.Copy.read(ctx, serverView(s.Name), s.now)
	}
	s.index = a.Index
	return s.now, err
}

// Raw returns the imported JSON with the given hash.
func (s *Server) Raw(ctx context.Context, hash string) ([]byte, bool, error) {
	r, err := s.Registry(ctx)
	if err != nil {
		return nil, false, err
	}
	raw, ok := r.Raw(hash)
	return raw, ok, nil
}

// Wait calls Copy.Wait.
func (s *Server) Wait(ctx context.Context, previous int64, interval time.Duration) int64 {
	return s.Copy.Wait(ctx, previous, interval)
}

// Path returns the folder of the copy.
func (s *Server) Path() string { return s.Copy.Dir }

// Ledger is a gateway.Ledger for a machine that follows a registry and has no database. It logs calls in a journal. It
// refuses calls that require approval, because users cannot approve calls on this machine.
type Ledger struct {
	// Registry returns the current registry.
	Registry func(ctx context.Context) (*Registry, error)
	Journal  *Journal
}

var _ gateway.Ledger = Ledger{}

// Overlay combines a followed registry with the approvals in the local database. The database can only add definitions.
// If both define the same tool or text of a server, the definition in the registry applies, even if it is deactivated.
type Overlay struct {
	*Registry
	Own impact.ToolReader
}

// State implements impact.ToolReader.
func (o Overlay) State(ctx context.Context) (int64, error) {
	own, err := o.Own.State(ctx)
	return o.state + own, err // a time in nanoseconds plus a number of versions; every change of the registry or the database increases the sum
}

// added returns the candidates that are not in the registry. A candidate is in the registry if a definition there has
// the same origin, or the same kind and id in any layer.
func (o Overlay) added(candidates []registry.Live) []registry.Live {
	type key struct{ server, name string }
	keys := func(l registry.Live) []key {
		all := []key{{name: string(l.Subject.Kind) + ":" + l.Subject.ID}}
		if t := l.Definition.Tool; t != nil && t.Source != nil {
			all = append(all, key{l.Definition.Columns().Source, t.OriginName()})
		}
		return all
	}
	known := map[key]bool{}
	for _, l := range o.Lives {
		for _, k := range keys(l) {
			known[k] = true
		}
	}
	return slices.DeleteFunc(candidates, func(l registry.Live) bool {
		return slices.ContainsFunc(keys(l), func(k key) bool { return known[k] })
	})
}

// logged reports whether calls of a tool are logged in the local database. It returns false if the live version in the
// registry is not the live version in the local database.
func (o Overlay) logged(ctx context.Context, tool registry.Subject) (bool, error) {
	l, err := o.Live(ctx, tool)
	if err != nil {
		return true, nil //nolint:nilerr // the registry does not define the tool
	}
	own, err := o.Own.ByWire(ctx, l.Definition.Tool.WireName())
	return slices.ContainsFunc(own, func(o registry.Live) bool {
		return o.Subject == tool && o.Version == l.Version && o.ContentHash == l.ContentHash && o.Definition.Status() == registry.Active
	}), err
}

// ByWire implements impact.ToolReader.
func (o Overlay) ByWire(ctx context.Context, name string) ([]registry.Live, error) {
	followed, _ := o.Registry.ByWire(ctx, name)
	own, err := o.Own.ByWire(ctx, name)
	return append(followed, o.added(own)...), err
}

// FromServer implements impact.ToolReader.
func (o Overlay) FromServer(ctx context.Context, name string) ([]registry.Live, error) {
	followed, _ := o.Registry.FromServer(ctx, name)
	own, err := o.Own.FromServer(ctx, name)
	return append(followed, o.added(own)...), err
}

// OwnLedger is a gateway.Ledger for a machine that follows a registry and also has a local database. The database
// contains local approvals, calls, and pending calls. It can log a call only if it contains the called version of the
// tool. OwnLedger logs all other calls of followed tools in the journal.
type OwnLedger struct {
	gateway.Ledger
	// Registry returns the current registry.
	Registry func(ctx context.Context) (*Registry, error)
	Journal  *Journal
	// Journaled contains the ids of calls in the journal that do not have an outcome yet.
	Journaled *sync.Map
}

// ownReader reads the calls in the database and in the journal.
type ownReader struct {
	gateway.CallReader
	journal *Journal
	tools   Overlay
}

// Use implements gateway.CallReader.
func (r ownReader) Use(ctx context.Context, user string, tool registry.Subject, now time.Time) (gateway.Use, error) {
	if logged, err := r.tools.logged(ctx, tool); err != nil || !logged {
		use, _, failed := r.journal.day(user, tool, now)
		return use, cmp.Or(err, failed)
	}
	return r.CallReader.Use(ctx, user, tool, now)
}

// NotRun implements gateway.CallReader.
func (r ownReader) NotRun(ctx context.Context, user string, tool registry.Subject, now time.Time) (int, error) {
	if logged, err := r.tools.logged(ctx, tool); err != nil || !logged {
		_, free, failed := r.journal.day(user, tool, now)
		return free, cmp.Or(err, failed)
	}
	return r.CallReader.NotRun(ctx, user, tool, now)
}

// Calls implements gateway.CallReader. Calls in the database and calls in the journal are numbered independently.
func (r ownReader) Calls(ctx context.Context, q gateway.CallQuery) ([]gateway.Call, error) {
	own, err := r.CallReader.Calls(ctx, q)
	if err != nil {
		return nil, err
	}
	journaled, err := r.journal.Calls(ctx, q)
	all := append(own, journaled...)
	slices.SortStableFunc(all, func(a, b gateway.Call) int { return b.At.Compare(a.At) })
	return all[:min(len(all), q.Limit)], err
}

// ownWriter writes each call to the database or to the journal.
type ownWriter struct {
	gateway.CallWriter
	journal   *writing
	journaled *sync.Map
	tools     Overlay
}

// AddCall implements gateway.CallWriter.
func (w ownWriter) AddCall(ctx context.Context, c gateway.Call) error {
	if logged, err := w.tools.logged(ctx, c.Tool); err != nil || !logged {
		w.journaled.Store(c.ID, true)
		return cmp.Or(err, w.journal.AddCall(ctx, c))
	}
	return w.CallWriter.AddCall(ctx, c)
}

// AddOutcome implements gateway.CallWriter.
func (w ownWriter) AddOutcome(ctx context.Context, call string, o gateway.Outcome) error {
	if _, ok := w.journaled.Load(call); ok {
		return w.journal.AddOutcome(ctx, call, o)
	}
	return w.CallWriter.AddOutcome(ctx, call, o)
}

// AddPending implements gateway.CallWriter.
func (w ownWriter) AddPending(ctx context.Context, p gateway.Pending) error {
	if logged, err := w.tools.logged(ctx, p.Tool); err != nil || !logged {
		return cmp.Or(err, errNotOwn)
	}
	return w.CallWriter.AddPending(ctx, p)
}

// errNotOwn is returned for a call that requires approval if the local database does not contain the live version of
// the tool.
var errNotOwn = errors.New("this call cannot be approved on this machine, because the database of this machine does not contain the live version of the tool in the registry; import and approve this version on this machine, or ask the reviewers of the registry for another approval tier")

// View implements gateway.Ledger.
func (l OwnLedger) View(ctx context.Context, fn func(gateway.LedgerReader) error) error {
	r, err := l.Registry(ctx)
	if err != nil {
		return err
	}
	return l.Ledger.View(ctx, func(own gateway.LedgerReader) error { return fn(l.reader(r, own)) })
}

func (l OwnLedger) reader(r *Registry, own gateway.LedgerReader) gateway.LedgerReader {
	tools := Overlay{r, own.ToolReader}
	own.CallReader, own.ToolReader = ownReader{own.CallReader, l.Journal, tools}, tools
	return own
}

// Log implements gateway.Ledger.
func (l OwnLedger) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return l.write(ctx, l.Ledger.Log, fn)
}

// Durable implements gateway.Ledger.
func (l OwnLedger) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return l.write(ctx, l.Ledger.Durable, fn)
}

func (l OwnLedger) write(ctx context.Context, write func(context.Context, func(gateway.LedgerTx) error) error, fn func(gateway.LedgerTx) error) error {
	r, err := l.Registry(ctx)
	if err != nil {
		return err
	}
	return l.Journal.write(func(w *writing) error { // the journal is written after the transaction, because the database may retry the transaction
		return write(ctx, func(own gateway.LedgerTx) error {
			w.entries = nil
			own.CallWriter = ownWriter{own.CallWriter, w, l.Journaled, Overlay{r, own.ToolReader}}
			own.LedgerReader = l.reader(r, own.LedgerReader)
			return fn(own)
		})
	})
}

// errNobodyAnswers is returned for operations that require a database: adding pending calls, answers, and overrides.
var errNobodyAnswers = errors.New(`calls cannot be approved on this machine, because the machine follows a registry; set [follow] local = "allow" and run toolcrib init to approve calls on this machine, or ask the reviewers of the registry for another approval tier`)

// View implements gateway.Ledger.
func (l Ledger) View(ctx context.Context, fn func(gateway.LedgerReader) error) error {
	r, err := l.Registry(ctx)
	if err != nil {
		return err
	}
	return fn(gateway.LedgerReader{CallReader: l.Journal, SignatureReader: proof.SignatureReader(nil), ToolReader: r})
}

// Log implements gateway.Ledger.
func (l Ledger) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return l.View(ctx, func(r gateway.LedgerReader) error {
		return l.Journal.write(func(w *writing) error {
			return fn(gateway.LedgerTx{LedgerReader: r, CallWriter: w})
		})
	})
}

// Durable implements gateway.Ledger.
func (l Ledger) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return l.Log(ctx, fn)
}

// The following methods for overrides, pending calls, and refusals do not return records, because such records require
// a database.

// Override implements gateway.CallReader.
func (*Journal) Override(context.Context, string, registry.Subject) (registry.ApprovalTier, error) {
	return "", nil
}

// Overrides implements gateway.CallReader.
func (*Journal) Overrides(context.Context, string) ([]gateway.Override, error) { return nil, nil }

// Pending implements gateway.CallReader.
func (*Journal) Pending(_ context.Context, ref string) (gateway.Pending, error) {
	return gateway.Pending{}, fmt.Errorf("%w: call %s", proposals.ErrNotFound, ref)
}

// PendingList implements gateway.CallReader.
func (*Journal) PendingList(context.Context, gateway.PendingQuery) ([]gateway.Pending, error) {
	return nil, nil
}

// Refusals implements gateway.CallReader.
func (*Journal) Refusals(context.Context, gateway.RefusalQuery) ([]gateway.Refusals, error) {
	return nil, nil
}

// NotRun implements gateway.CallReader.
func (j *Journal) NotRun(_ context.Context, user string, tool registry.Subject, now time.Time) (int, error) {
	_, free, err := j.day(user, tool, now)
	return free, err
}

// Use implements gateway.CallReader.
func (j *Journal) Use(_ context.Context, user string, tool registry.Subject, now time.Time) (gateway.Use, error) {
	use, _, err := j.day(user, tool, now)
	return use, err
}
