package drafting

import (
	"context"
	"fmt"
	"time"

	"toolcrib/proposals"
	"toolcrib/review"
)

// limit bounds the writes of one agent, or of all of them together: another name costs an
// agent nothing, so a limit for each alone would hold nobody.
type limit struct {
	who    proposals.Actor // zero for all agents
	open   int
	writes int // in an hour
	holder string
	scope  string
}

// limits returns the limits that an agent is held to.
func (d *Drafter) limits(actor proposals.Actor) []limit {
	return []limit{
		{actor, d.policy.MaxOpen, d.policy.MaxWrites, actor.String() + " has", "an agent"},
		{proposals.Actor{}, d.policy.MaxOpenAll, d.policy.MaxWrites * agentsAtOnce, "all agents together have", "all agents together"},
	}
}

// agentsAtOnce sets how many agents can use up what each may write in an hour.
const agentsAtOnce = 10

func (d *Drafter) withinLimit(ctx context.Context, tx review.Tx, actor proposals.Actor) error {
	for _, l := range d.limits(actor) {
		n, err := tx.OpenBy(ctx, l.who)
		if err != nil {
			return err
		}
		if n >= l.open {
			return fmt.Errorf("%w: %s %d, and %d is the limit for %s; wait for decisions or withdraw one", review.ErrLimit, l.holder, n, l.open, l.scope)
		}
	}
	return nil
}

// withinPace keeps an agent from filling the file with rows that are never deleted:
// drafts, revisions and comments. They are counted where they are recorded, in
// the transaction that would add one more.
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
			return fmt.Errorf("%w: %s written %d drafts, revisions and comments since %s, and %d an hour is the limit for %s; go on at %s",
				review.ErrPace, l.holder, len(times), clock(first), l.writes, l.scope, clock(first.Add(paceWindow)))
		}
	}
	return nil
}

// paceWindow is the time in which an agent's acts are counted.
const paceWindow = time.Hour

func clock(t time.Time) string { return t.Format("15:04:05 UTC") }

// joins keeps everybody but the user, and toolcrib itself, from joining a change set
// that somebody else opened: a stranger in it could hold back or ride along with the
// rest.
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
