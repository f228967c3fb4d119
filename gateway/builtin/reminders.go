// This file implements the tools for reminders and schedules.

package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// maxReminderText is the maximum length of a reminder's text, in characters.
const maxReminderText = 500

type docReminder struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	RemindAt string `json:"remind_at"`
	Status   string `json:"status"`
	TaskID   string `json:"task_id,omitempty"`
	Channel  string `json:"channel,omitempty"`
}

func (r Reminder) doc() docReminder {
	status := "pending"
	if r.Sent {
		status = "sent"
	}
	return docReminder{ID: r.ID, Text: r.Text, RemindAt: timestamp(r.At), Status: status, TaskID: r.Task, Channel: r.Channel}
}

type remindersOut struct {
	Reminders []docReminder `json:"reminders"`
	More      bool          `json:"more"`
	Delivery  string        `json:"delivery"`
}

// Notes that tell the model not to promise a delivery or a run. Every response about reminders contains undelivered,
// and every response about schedules contains unscheduled.
const (
	undelivered = "toolcrib only stores reminders; another application must deliver them. Do not promise the user a delivery unless you know that such an application exists."
	unscheduled = "toolcrib only stores schedules; another application must run them. Do not promise the user a run unless you know that such an application exists."
)

func getReminders(ctx context.Context, c call) (any, error) {
	in := struct {
		ID     *string `json:"id"`
		Status string  `json:"status"`
		From   moment  `json:"from"`
		Until  moment  `json:"until"`
		Limit  *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	status := ps.oneOf("status", in.Status, "pending", "pending", "sent", "any")
	f := ReminderFilter{From: in.From.Time, Until: in.Until.Time}
	if status != "any" {
		sent := status == "sent"
		f.Sent = &sent
	}
	reminders, more, err := get(ctx, c, &ps, Reader.RemindersByID, Reader.Reminders, in.ID, f, in.Limit)
	return remindersOut{Reminders: lists.Map(reminders, Reminder.doc), More: more, Delivery: undelivered}, err
}

func createReminders(ctx context.Context, c call) (any, error) {
	in := struct {
		Reminders []struct {
			Text     string  `json:"text"`
			RemindAt moment  `json:"remind_at"`
			TaskID   *string `json:"task_id"`
			Channel  string  `json:"channel"`
		} `json:"reminders"`
	}{}
	ps := decode(c.Args, &in)
	ps.count("reminders", len(in.Reminders), maxListed)
	list := make([]Reminder, len(in.Reminders))
	var tasks []string
	for i, r := range in.Reminders {
		at := func(key string) string { return jsondoc.Join(jsondoc.Index("reminders", i), key) }
		list[i] = Reminder{
			ID: c.opts.NewID(), Text: ps.text(at("text"), r.Text, maxReminderText), At: r.RemindAt.Time,
			Channel: ps.channel(at("channel"), r.Channel), Created: c.At,
		}
		switch {
		case r.RemindAt.IsZero():
			ps.missing(at("remind_at"), "a time")
		case !r.RemindAt.After(c.At):
			ps.Add(at("remind_at"), "expected a time in the future; the current time is %s", c.clock())
		}
		if r.TaskID != nil {
			ps.id(at("task_id"), *r.TaskID)
			list[i].Task = *r.TaskID
			tasks = append(tasks, *r.TaskID)
		}
	}
	if err := ps.err(); err != nil && (len(tasks) == 0 || len(list) > maxListed) {
		return nil, err // if the reminders refer to tasks, also check the tasks before reporting the problems
	}
	err := c.write(ctx, problems{}, func(w Writer) error {
		known, err := w.TasksByID(ctx, tasks)
		if err != nil {
			return err
		}
		for i, r := range list {
			if r.Task != "" && !slices.ContainsFunc(known, func(t Task) bool { return t.ID == r.Task }) {
				ps.Add(jsondoc.Join(jsondoc.Index("reminders", i), "task_id"), "no task has this id; find the id with get_tasks")
			}
		}
		if err := ps.err(); err != nil {
			return err
		}
		for _, r := range list {
			if err := w.AddReminder(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	return struct {
		Reminders []docReminder `json:"reminders"`
		Delivery  string        `json:"delivery"`
	}{lists.Map(list, Reminder.doc), undelivered}, err
}

// Limits of schedules.
const (
	maxScheduleTitle = 120   // characters
	maxInstruction   = 4_000 // characters
	maxCron          = 100   // characters
	maxZone          = 64    // characters
	maxNewSchedules  = 10    // in one call
	maxSchedules     = 500   // per user
)

// due is a schedule and the time of its next run. The time is zero if the schedule will not run again.
type due struct {
	Schedule
	Next time.Time `json:"next_run_at,omitzero"`
}

// from returns s with the time of its first run after now.
func (s Schedule) from(now time.Time) due {
	d := due{Schedule: s}
	r, err := parseCron(s.Cron)
	loc := zone(s.Zone)
	if err != nil || loc == nil { // the stored value is no longer valid
		return d
	}
	if next, ok := r.next(now, loc); ok && (s.Ends.IsZero() || !next.After(s.Ends)) {
		d.Next = next
	}
	return d
}

// upcoming returns the given schedules with their next runs after now, sorted by these runs. If ended is true,
// schedules without a next run follow at the end. Otherwise, they are omitted.
func upcoming(all []Schedule, now time.Time, ended bool) []due {
	var list []due
	for _, s := range all {
		if d := s.from(now); ended || !d.Next.IsZero() {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b due) int {
		if a.Next.IsZero() != b.Next.IsZero() {
			return cmp.Compare(b.Next.Unix(), a.Next.Unix())
		}
		return a.Next.Compare(b.Next)
	})
	return list
}

type schedulesOut struct {
	Schedules []due  `json:"schedules"`
	More      bool   `json:"more"`
	Delivery  string `json:"delivery"`
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
	out := schedulesOut{Delivery: unscheduled}
	err := c.read(ctx, ps, func(r Reader) error {
		all, err := r.Schedules(ctx)
		if err != nil {
			return err
		}
		if in.ID != nil {
			all = slices.DeleteFunc(all, func(s Schedule) bool { return s.ID != *in.ID })
		}
		list, more := cut(upcoming(all, c.At, in.Ended || in.ID != nil), limit)
		out.Schedules, out.More = listed(list), more
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

// check converts n to a schedule with its next run, and adds the problems of n to ps. The paths in these problems begin
// with path. If n has no time zone, the schedule uses users, the time zone of the user.
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
		ps.Add(at("cron"), "the runs are %d minutes apart; the minimum is %d", int(gap.Minutes()), int(minGap.Minutes()))
	}
	d := s.from(c.At)
	if !d.Next.IsZero() {
		return d
	}
	if _, ever := r.next(c.At, zone(s.Zone)); !ever {
		ps.Add(at("cron"), "the expression matches no date")
	} else {
		ps.Add(at("ends_at"), "expected a time that is not before the first run")
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
	err = c.write(ctx, ps, func(w Writer) error {
		all, err := w.Schedules(ctx)
		if err != nil {
			return err
		}
		if len(all)+len(list) > maxSchedules {
			return &gateway.Error{Code: CodeFull, Message: fmt.Sprintf("There are %d schedules, and the limit is %d; nothing was created. Delete schedules that are no longer needed, including ended schedules.", len(all), maxSchedules)}
		}
		for _, d := range list {
			if err := w.AddSchedule(ctx, d.Schedule); err != nil {
				return err
			}
		}
		return nil
	})
	return struct {
		Schedules []due  `json:"schedules"`
		Delivery  string `json:"delivery"`
	}{list, unscheduled}, err
}
