package drafting

import (
	"context"
	"fmt"
	"time"

	"toolcrib/proposals"
	"toolcrib/review"
)

// limit limits the writes of one agent, or of all agents together. A limit per agent alone would have no effect,
// because agents choose their names.
type limit struct {
	who    proposals.Actor // zero for all agents
	open   int
	writes int // per hour
	holder string
	scope  string
}

// limits returns the limits of an agent.
func (d *Drafter) limits(actor proposals.Actor) []limit {
	return []limit{
		{actor, d.policy.MaxOpen, d.policy.MaxWrites, actor.String() + " has", "an agent"},
		{proposals.Actor{}, d.policy.MaxOpenAll, d.policy.MaxWrites * agentsAtOnce, "all agents together have", "all agents together"},
	}
}

// agentsAtOnce is the number of agents that can reach the hourly limit at the same time.
const agentsAtOnce = 10

// withinPace limits the rate at which an agent adds rows that are never deleted: drafts, revisions, and comments. It
// counts them in the transaction that adds another.
func (d *Drafter) withinPace(ctx context.Context, tx review.Tx, actor proposals.Actor) error {
	if actor.Kind != proposals.Agent {
		return nil
	}
	now := d.records.Time()
	for _, l := range d.limits(actor) {
		times, err := tx.RecentWrites(ctx, l.who, now.Add(-paceWindow), now, l.writes)
		if err != nil {
			return err
		}
		if len(times) >= l.writes {
			first := times[len(times)-1]
			return fmt.Errorf("%w: %s written %d drafts, revisions and comments since %s, and %d an hour is the limit for %s; continue at %s",
				review.ErrPace, l.holder, len(times), clock(first), l.writes, l.scope, clock(first.Add(paceWindow)))
		}
	}
	return nil
}

// paceWindow is the period over which the writes of an agent are counted.
const paceWindow = time.Hour

func clock(t time.Time) string { return t.Format("15:04:05 UTC") }

// joins returns an error if an agent joins a change set of another author, because its proposal could block the set or
// be approved along with it.
func joins(ctx context.Context, r review.Reader, actor proposals.Actor, changeSet string) error {
	if changeSet == "" || actor.Kind == proposals.User || actor.Kind == proposals.System {
		return nil
	}
	members, err := r.Members(ctx, changeSet)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Author != actor {
			return fmt.Errorf("%w: change set %q belongs to %s; name one of your own", proposals.ErrAuthority, changeSet, m.Author)
		}
	}
	return nil
}
