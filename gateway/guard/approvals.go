package guard

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// approvals keeps the approved tools.
type approvals struct {
	loaded chan struct{} // closed when they were asked for once

	mu       sync.Mutex
	approved Approved
	closed   error // why nobody knows them; nil when somebody does
	asked    bool
}

// get returns the approved tools, or why nobody knows them.
func (a *approvals) get() (Approved, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed != nil {
		return Approved{}, a.closed
	}
	return a.approved, nil
}

// set keeps what was found, and reports whether it is something else than before.
func (a *approvals) set(approved Approved, err error) (changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before, closed, asked := a.approved.State, a.closed, a.asked
	a.closed, a.asked = err, true
	if err == nil {
		a.approved = approved
	}
	if !asked {
		close(a.loaded)
	}
	switch {
	case !asked, (err == nil) != (closed == nil):
		return true
	case err != nil:
		return err.Error() != closed.Error()
	}
	return approved.State != before
}

// follow keeps the approved tools as they are in the database, until ctx ends.
func (g *Guard) follow(ctx context.Context) {
	for told := int64(0); ctx.Err() == nil; told = g.config.Backend.Wait(ctx, told) {
		approved, err := g.approved(ctx)
		if ctx.Err() != nil {
			return
		}
		if !g.approvals.set(approved, err) {
			continue
		}
		if err != nil {
			g.sayClosed(err)
		} else {
			g.observer.look() // at what could not be proposed before
		}
		g.tell(nil)
	}
}

// approved asks for the approved tools. Nothing that waits for them, such as the answers
// of the server behind a list, waits longer than for a list of the server.
func (g *Guard) approved(ctx context.Context) (Approved, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.config.Times.List, errNoDatabase)
	defer cancel()
	approved, err := g.config.Backend.Approved(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errNoDatabase) {
		err = errNoDatabase
	}
	return approved, err
}

// errNoDatabase reports a database that takes too long.
var errNoDatabase = errors.New("its database does not answer")

// listing names what the client would be listed of a kind now, "" when nobody knows.
func (g *Guard) listing(kind listKind) string {
	found := g.refresher.found(kind)
	select {
	case <-g.approvals.loaded:
	default:
		return ""
	}
	if found == nil {
		return ""
	}
	approved, _ := g.approvals.get() // nothing is listed where nobody knows
	var names []string
	for name, tool := range approved.of(kind) {
		if raw, err := g.offered(context.Background(), tool, found[name]); raw != nil && err == nil {
			names = append(names, name+" "+tool.Hash)
		}
	}
	slices.Sort(names)
	return "listed\n" + strings.Join(names, "\n")
}
