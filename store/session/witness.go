package session

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

// Witness adds the account that writes an event to it, and rejects events of users that the account may not act as.
// Each act of the desk and the gateway writes its event in the same transaction, so the act is rejected as well.
type Witness struct {
	Account history.Account
	Users   []string // nil for all users
}

// actingKey is the context key for acting.
type actingKey struct{}

// acting identifies a user who is connected to a server run by this process.
type acting struct {
	via   string
	users []string
}

// Acting returns a context for writes of users who are connected to this process, where via identifies the connection,
// such as "ssh SHA256:…". Events then carry via instead of the account that runs the process, and only these users can
// act.
func Acting(ctx context.Context, via string, users ...string) context.Context {
	return context.WithValue(ctx, actingKey{}, acting{via, users})
}

// In returns the witness for writes with ctx.
func (w Witness) In(ctx context.Context) Witness {
	if a, ok := ctx.Value(actingKey{}).(acting); ok {
		w.Account.Via, w.Users = a.via, append([]string{}, a.users...)
	}
	return w
}

// Same reports whether a is the acting account. It ignores the host name, which anyone who starts a container can
// choose.
func (w Witness) Same(a history.Account) bool {
	now := w.Account
	now.Host, a.Host = "", ""
	return now == a && now != history.Account{}
}

// Sign returns the data of e with the account added.
func (w Witness) Sign(e history.Event) (json.RawMessage, error) {
	if w.Users != nil && strings.HasPrefix(e.Actor, string(proposals.User)+":") && !slices.Contains(w.Users, e.Actor) {
		return nil, fmt.Errorf("%s %s: %w: this account may not act as that user", e.Act, e.Actor, proposals.ErrAuthority)
	}
	if w.Account == (history.Account{}) {
		return e.Data, nil
	}
	data := map[string]json.RawMessage{}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return nil, fmt.Errorf("the data of a %s event: %w", e.Act, err)
	}
	account, err := json.Marshal(w.Account)
	if err != nil {
		return nil, err
	}
	data["account"] = account
	return jsondoc.Marshal(data)
}
