package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"toolcrib/registry"
)

// limited reports whether calls of a tool are counted for a limit.
func limited(tool registry.Live) bool {
	t := tool.Definition.Tool
	return t != nil && t.Limits != nil && (t.Limits.CooldownSeconds > 0 || t.Limits.DailyLimit > 0)
}

// limit asks the gates cooldown and daily limit, and gives the call its number
// of the user's day, which begins at midnight UTC. A call that gets a number
// has used a place of the day, unless it turns out that nothing was run: then the
// place is free again, and only the cooldown counts it.
func (g *Gateway) limit(ctx context.Context, r LedgerReader, p *prepared) error {
	now := p.call.At
	use, err := r.Use(ctx, p.call.Caller.User, p.tool.Subject, now)
	if err != nil {
		return err
	}
	limits := registry.Limits{}
	if l := p.tool.Definition.Tool.Limits; l != nil {
		limits = *l
	}
	again := use.Last.Add(time.Duration(limits.CooldownSeconds) * time.Second)
	if limits.CooldownSeconds > 0 && !use.Last.IsZero() && now.Before(again) {
		p.refused, err = limitError(CodeCooldown, again, fmt.Sprintf("%s was called a moment ago and rests for %d seconds between calls; call it again at %s.",
			p.tool.Subject, limits.CooldownSeconds, again.Format(time.RFC3339)))
		return err
	}
	counted := use.Today
	if limits.DailyLimit > 0 && counted >= limits.DailyLimit {
		free, err := r.NotRun(ctx, p.call.Caller.User, p.tool.Subject, now)
		if err != nil {
			return err
		}
		counted -= free
	}
	if limits.DailyLimit > 0 && counted >= limits.DailyLimit {
		again = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
		p.refused, err = limitError(CodeDailyLimit, again, fmt.Sprintf("%s was called %d times today, which is its daily limit; call it again at %s.",
			p.tool.Subject, limits.DailyLimit, again.Format(time.RFC3339)))
		return err
	}
	p.call.Nth = use.Today + 1
	return nil
}

func limitError(code Code, again time.Time, message string) (refused *Error, err error) {
	details, err := json.Marshal(map[string]any{"retry_at": again.UTC()})
	return &Error{Code: code, Message: message, Details: details}, err
}
