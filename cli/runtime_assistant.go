package cli

import (
	"context"

	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/review"
)

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
