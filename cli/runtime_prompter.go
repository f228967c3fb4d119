package cli

import (
	"cmp"
	"context"
	"time"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/prompt"
	"toolcrib/review"
)

// prompter renders prompts as they are used: for a user of whom something is
// stored, and for the time that it is.
type prompter struct {
	desk   *review.Desk
	stored *builtin.Provider
	now    func() time.Time
}

// Prompt implements mcp.Prompter.
func (p prompter) Prompt(ctx context.Context, c gateway.Caller, channel string) (prompt.Output, error) {
	where := c.Where
	where.IncludeDeferred = false // the prompt explains how to find the others
	in, err := p.desk.PromptInput(ctx, c.Agent, c.Layer, where)
	if err != nil {
		return prompt.Output{}, err
	}
	in.Context.Now = p.now()
	if err := recall(ctx, p.stored, builtin.Owner{Customer: c.Customer, User: c.User}, &in.Context); err != nil {
		return prompt.Output{}, err
	}
	return prompt.Render(in, channel), nil
}

// recall adds the stored data of a context's user, where the context has none.
func recall(ctx context.Context, stored *builtin.Provider, of builtin.Owner, c *prompt.Context) error {
	known, err := stored.Known(ctx, of, c.Now)
	if err != nil {
		return err
	}
	c.UserInstructions, c.MemoryNotes = cmp.Or(c.UserInstructions, known.Instructions), cmp.Or(c.MemoryNotes, known.Notes)
	return nil
}

// builtin returns the provider of the assistant's tools. A user's time zone is
// that of the agent that calls.
func (a *app) builtin(desk *review.Desk) *builtin.Provider {
	return builtin.New(a.db, builtin.Options{
		NewID: a.env.NewID,
		Zone: func(ctx context.Context, c gateway.Caller) (string, error) {
			agent, _, err := desk.Toolset(ctx, c.Agent, c.Layer, c.Where)
			if err != nil {
				return "", err
			}
			return agent.Definition.Agent.Timezone, nil
		},
	})
}
