// This file implements the commands that create, list, and revoke tokens.

package server

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/tokens"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
)

func newTokensCreate(a *command.App) *cobra.Command {
	var f command.CallerFlags
	var name string
	var anyUser bool
	var lifetime time.Duration
	cmd := &cobra.Command{
		Use:  "create AGENT",
		Args: command.ExactArgs(1, "the id of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Agent, a.Creates = args[0], true
			switch {
			case anyUser && f.User != "":
				return process.Usagef("--any-user cannot be combined with --user")
			case lifetime < 0:
				return process.Usagef("--expires-in is %s: use a positive duration, such as 720h", lifetime)
			}
			caller, err := f.Caller(a)
			if err != nil {
				return err
			}
			if anyUser {
				caller.User = ""
			}
			b, err := a.OpenSession(cmd.Context())
			if err != nil {
				return err
			}
			if caller.Actor, err = proposals.ParseActor(string(proposals.Agent) + ":" + cmp.Or(name, f.Agent)); err != nil {
				return err
			}
			t, secret, err := tokensOf(a, b).Create(cmd.Context(), b.Actor, caller, lifetime)
			if err != nil {
				return err
			}
			doc := docTokenOne{Head: output.NewHead("token"), Token: newDocToken(t, a.Env.Now()), Secret: secret}
			return a.Print(doc, func(p *output.Page) {
				p.Linef("%s", secret)
				p.Blank()
				p.Linef("The token is shown only once. Send it as `Authorization: Bearer TOKEN` to toolcrib serve.")
				p.Linef("The holder of the token acts as %s with the profile %s, for %s. Revoke the token with `toolcrib tokens revoke %s`.", doc.Token.Actor, doc.Token.Agent, doc.Token.whom(), t.ID)
			})
		},
	}
	set := cmd.Flags()
	set.StringVar(&name, "name", "", "record calls and proposals as agent:`NAME` (default: the id of the agent)")
	set.StringVar(&f.User, "user", "", "call tools for the user `NAME` (default: the login name)")
	set.BoolVar(&anyUser, "any-user", false, "let each request name the user")
	set.StringVar(&f.Customer, "customer", "", "send the customer `NAME` to hubs")
	set.DurationVar(&lifetime, "expires-in", 0, "expire after `DURATION`, such as 720h (default: never)")
	f.Where.Register(set)
	return cmd
}

// tokensOf returns the token store.
func tokensOf(a *command.App, b command.Session) tokens.Tokens {
	return tokens.Tokens{Store: a.DB.Tokens(), Registry: b.Desk.Impact, Now: a.Env.Now, NewID: a.Env.NewID}
}

func newTokensList(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "list",
		RunE: a.InSession(func(ctx context.Context, b command.Session, _ []string) error {
			list, err := tokensOf(a, b).List(ctx)
			if err != nil {
				return err
			}
			doc := docTokenList{Head: output.NewHead("token.list"), Tokens: lists.Map(list, func(t tokens.Token) docToken { return newDocToken(t, a.Env.Now()) })}
			return a.Print(doc, func(p *output.Page) {
				if len(list) == 0 {
					p.Remark("No tokens. To create a token: toolcrib tokens create AGENT")
					return
				}
				p.List([]string{"TOKEN", "STATE", "ACTOR", "AGENT", "USER", "CREATED", "EXPIRES"}, lists.Map(doc.Tokens, func(d docToken) []string {
					until := "never"
					if d.ExpiresAt != nil {
						until = output.Timestamp(*d.ExpiresAt)
					}
					return []string{d.ID, d.State, d.Actor, d.Agent, d.whom(), output.Timestamp(d.CreatedAt), until}
				}))
			})
		}),
	}
}

func newTokensRevoke(a *command.App) *cobra.Command {
	var note command.NoteFlags
	cmd := &cobra.Command{
		Use:  "revoke ID",
		Args: command.ExactArgs(1, "the id of a token"),
		RunE: a.InSession(func(ctx context.Context, b command.Session, args []string) error {
			reason, err := note.Read(ctx, a)
			if err != nil {
				return err
			}
			t, err := tokensOf(a, b).Revoke(ctx, b.Actor, args[0], reason)
			if err != nil {
				return err
			}
			doc := docTokenOne{Head: output.NewHead("token"), Token: newDocToken(t, a.Env.Now())}
			return a.Print(doc, func(p *output.Page) { p.Linef("Revoked %s of %s.", t.ID, doc.Token.Actor) })
		}),
	}
	note.Register(cmd.Flags())
	return cmd
}

type docTokenOne struct {
	output.Head
	Token  docToken `json:"token"`
	Secret string   `json:"secret,omitempty"` // secret of a new token; it is not stored
}

type docTokenList struct {
	output.Head
	Tokens []docToken `json:"tokens"`
}

type docToken struct {
	ID        string         `json:"id"`
	State     string         `json:"state"` // valid, expired or revoked
	Actor     string         `json:"actor"`
	Agent     string         `json:"agent"`
	Layer     string         `json:"layer"`
	User      string         `json:"user,omitempty"` // absent if each request names the user
	Customer  string         `json:"customer,omitempty"`
	Where     document.Where `json:"where"`
	CreatedBy string         `json:"created_by"`
	CreatedAt time.Time      `json:"created_at"`
	ExpiresAt *time.Time     `json:"expires_at,omitempty"`
	RevokedBy string         `json:"revoked_by,omitempty"`
	RevokedAt *time.Time     `json:"revoked_at,omitempty"`
	Reason    string         `json:"reason,omitempty"` // reason for the revocation
}

func newDocToken(t tokens.Token, now time.Time) docToken {
	c := t.Caller
	d := docToken{
		ID: t.ID, State: "valid", Actor: c.Actor.String(), Agent: c.Agent, Layer: string(c.Layer), User: c.User, Customer: c.Customer,
		Where: document.NewWhere(c.Where), CreatedBy: t.By.String(), CreatedAt: t.At,
	}
	if !t.ExpiresAt.IsZero() {
		d.ExpiresAt = &t.ExpiresAt
	}
	switch {
	case t.Revoked != nil:
		d.State, d.RevokedBy, d.RevokedAt, d.Reason = "revoked", t.Revoked.By.String(), &t.Revoked.At, t.Revoked.Reason
	case t.InForce(now) != nil:
		d.State = "expired"
	}
	return d
}

// whom returns the token's user for display.
func (d docToken) whom() string {
	return cmp.Or(d.User, "any user")
}
