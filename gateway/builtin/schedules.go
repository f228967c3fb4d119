package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
)

// Limits of schedules.
const (
	maxScheduleTitle = 120   // characters
	maxInstruction   = 4_000 // characters
	maxCron          = 100   // characters
	maxZone          = 64    // characters
	maxNewSchedules  = 10    // in one call
	maxSchedules     = 500   // per user
)

type docSchedule struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Instruction string `json:"instruction"`
	Cron        string `json:"cron"`
	Timezone    string `json:"timezone"`
	Channel     string `json:"channel,omitempty"`
	EndsAt      string `json:"ends_at,omitempty"`
	NextRunAt   string `json:"next_run_at,omitempty"`
}

// due is a schedule with its next run, which is zero if there is none.
type due struct {
	Schedule
	next time.Time
}

// from returns the schedule with its first run after the given time.
func (s Schedule) from(now time.Time) due {
	d := due{Schedule: s}
	r, err := parseCron(s.Cron)
	loc := zone(s.Zone)
	if err != nil || loc == nil { // the stored value is no longer valid
		return d
	}
	if next, ok := r.next(now, loc); ok && (s.Ends.IsZero() || !next.After(s.Ends)) {
		d.next = next
	}
	return d
}

func (d due) doc() docSchedule {
	return docSchedule{
		ID: d.ID, Title: d.Title, Instruction: d.Instruction, Cron: d.Cron, Timezone: d.Zone,
		Channel: d.Channel, EndsAt: timestamp(d.Ends), NextRunAt: timestamp(d.next),
	}
}

// upcoming returns schedules with their next runs, sorted by time. Those without a
// run come last, or are omitted.
func upcoming(all []Schedule, now time.Time, ended bool) []due {
	var list []due
	for _, s := range all {
		if d := s.from(now); ended || !d.next.IsZero() {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b due) int {
		if a.next.IsZero() != b.next.IsZero() {
			return cmp.Compare(b.next.Unix(), a.next.Unix())
		}
		return a.next.Compare(b.next)
	})
	return list
}

type schedulesOut struct {
	Schedules []docSchedule `json:"schedules"`
	More      bool          `json:"more"`
	Delivery  string        `json:"delivery"`
}

func getSchedules(ctx context.Context, c call) (any, error) {
	in := struct {
		ID    *string `json:"id"`
		Ended bool    `json:"ended"`
		Limit *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	limit := ps.between("limit", in.Limit, defaultLimit, maxLimit)
	ps.idFilter(in.ID)
	if err := ps.err(); err != nil {
		return nil, err
	}
	out := schedulesOut{Delivery: unscheduled}
	err := c.read(ctx, func(r Reader) error {
		all, err := r.Schedules(ctx)
		if err != nil {
			return err
		}
		if in.ID != nil {
			all = slices.DeleteFunc(all, func(s Schedule) bool { return s.ID != *in.ID })
		}
		list, more := cut(upcoming(all, c.At, in.Ended || in.ID != nil), limit)
		out.Schedules, out.More = docs(list, due.doc), more
		return nil
	})
	return out, err
}

type newSchedule struct {
	Title       string  `json:"title"`
	Instruction string  `json:"instruction"`
	Cron        string  `json:"cron"`
	Timezone    *string `json:"timezone"`
	Channel     string  `json:"channel"`
	EndsAt      moment  `json:"ends_at"`
}

// check returns the schedule for an entry of the list.
func (n newSchedule) check(ps *problems, path string, c call, users *time.Location) due {
	at := func(key string) string { return jsondoc.Join(path, key) }
	s := Schedule{
		ID: c.opts.NewID(), Title: ps.text(at("title"), n.Title, maxScheduleTitle), Instruction: ps.text(at("instruction"), n.Instruction, maxInstruction),
		Cron: ps.text(at("cron"), n.Cron, maxCron), Zone: users.String(), Channel: ps.channel(at("channel"), n.Channel),
		Ends: n.EndsAt.Time, Created: c.At,
	}
	if n.Timezone != nil {
		s.Zone = ps.text(at("timezone"), *n.Timezone, maxZone)
		if zone(s.Zone) == nil {
			ps.Add(at("timezone"), "expected the IANA name of a time zone such as Europe/Berlin, got %s", jsondoc.Quote(s.Zone))
			return due{}
		}
	}
	r, err := parseCron(s.Cron)
	if err != nil {
		ps.Add(at("cron"), "%s", jsondoc.Printable(err.Error()))
		return due{}
	}
	if gap := r.gap(); gap < minGap {
		ps.Add(at("cron"), "runs %d minutes apart; expected at least %d", int(gap.Minutes()), int(minGap.Minutes()))
	}
	d := s.from(c.At)
	if !d.next.IsZero() {
		return d
	}
	if _, ever := r.next(c.At, zone(s.Zone)); !ever {
		ps.Add(at("cron"), "names a day that does not come")
	} else {
		ps.Add(at("ends_at"), "comes before the first run")
	}
	return d
}

func createSchedules(ctx context.Context, c call) (any, error) {
	in := struct {
		Schedules []newSchedule `json:"schedules"`
	}{}
	ps := decode(c.Args, &in)
	ps.count("schedules", len(in.Schedules), maxNewSchedules)
	users, err := c.location(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]due, len(in.Schedules))
	for i, n := range in.Schedules {
		list[i] = n.check(&ps, jsondoc.Index("schedules", i), c, users)
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	err = c.write(ctx, func(w Writer) error {
		all, err := w.Schedules(ctx)
		if err != nil {
			return err
		}
		if len(all)+len(list) > maxSchedules {
			return &gateway.Error{Code: CodeFull, Message: fmt.Sprintf("There are %d schedules and the limit is %d; nothing was set up. Delete what is no longer wanted, those that have ended too.", len(all), maxSchedules)}
		}
		for _, d := range list {
			if err := w.AddSchedule(ctx, d.Schedule); err != nil {
				return err
			}
		}
		return nil
	})
	return struct {
		Schedules []docSchedule `json:"schedules"`
		Delivery  string        `json:"delivery"`
	}{docs(list, due.doc), unscheduled}, err
}

func deleteSchedules(ctx context.Context, c call) (any, error) {
	return c.removeList(ctx, Writer.RemoveSchedule)
}
