package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// witness adds to events which account wrote them, and refuses those that name
// a user whom the account may not act as. Every act of the desk and of the
// gateway writes its event in its own transaction, so the act is refused too.
type witness struct {
	account history.Account
	users   []string // nil for all
}

// actingKey finds whom a context acts for.
type actingKey struct{}

// acting is who came in through a door of the process.
type acting struct {
	via   string
	users []string
}

// Acting returns a context whose writes are those of users who came in through a door
// of this process, such as "ssh SHA256:…", and not of the account that runs it: events
// name the door, and no other user can act.
func Acting(ctx context.Context, via string, users ...string) context.Context {
	return context.WithValue(ctx, actingKey{}, acting{via, users})
}

// in returns the witness of what a context writes.
func (w witness) in(ctx context.Context) witness {
	if a, ok := ctx.Value(actingKey{}).(acting); ok {
		w.account.Via, w.users = a.via, append([]string{}, a.users...)
	}
	return w
}

// same reports whether an account is the one that acts. The name of the machine does
// not count: whoever starts a container chooses it.
func (w witness) same(a history.Account) bool {
	now := w.account
	now.Host, a.Host = "", ""
	return now == a && now != history.Account{}
}

// sign returns the data of e with the account in it.
func (w witness) sign(e history.Event) (json.RawMessage, error) {
	if w.users != nil && strings.HasPrefix(e.Actor, string(proposals.User)+":") && !slices.Contains(w.users, e.Actor) {
		return nil, fmt.Errorf("%s %s: %w: this account may not act as that user", e.Act, e.Actor, proposals.ErrAuthority)
	}
	if w.account == (history.Account{}) {
		return e.Data, nil
	}
	data := map[string]json.RawMessage{}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, fmt.Errorf("the data of a %s event: %w", e.Act, err)
	}
	account, err := json.Marshal(w.account)
	if err != nil {
		return nil, err
	}
	data["account"] = account
	return jsondoc.Marshal(data)
}
