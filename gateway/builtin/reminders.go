package builtin

import (
	"context"
	"slices"

	"toolcrib/registry/jsondoc"
)

// maxReminderText is how many characters the text of a reminder may have.
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

// undelivered and unscheduled stand in every answer about reminders and
// schedules: a model that promises what nobody does misleads the user.
const (
	undelivered = "Reminders are kept here and not delivered: that is for the application that reads them. Do not promise the user that one will come unless you know of such an application."
	unscheduled = "Schedules are kept here and not run: that is for the application that reads them. Do not promise the user that one will run unless you know of such an application."
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
	limit := ps.between("limit", in.Limit, defaultLimit, maxLimit)
	ps.idFilter(in.ID)
	if err := ps.err(); err != nil {
		return nil, err
	}
	f := ReminderFilter{From: in.From.Time, Until: in.Until.Time}
	if status != "any" {
		sent := status == "sent"
		f.Sent = &sent
	}
	out := remindersOut{Delivery: undelivered}
	err := c.read(ctx, func(r Reader) error {
		var found []Reminder
		var err error
		if in.ID != nil {
			found, err = r.RemindersByID(ctx, []string{*in.ID})
		} else {
			found, err = r.Reminders(ctx, f, limit+1)
		}
		found, out.More = cut(found, limit)
		out.Reminders = docs(found, Reminder.doc)
		return err
	})
	return out, err
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
	at := func(i int, key string) string { return jsondoc.Join(jsondoc.Index("reminders", i), key) }
	var tasks []string
	for i, r := range in.Reminders {
		list[i] = Reminder{
			ID: c.opts.NewID(), Text: ps.text(at(i, "text"), r.Text, maxReminderText), At: r.RemindAt.Time,
			Channel: ps.channel(at(i, "channel"), r.Channel), Created: c.At,
		}
		switch {
		case r.RemindAt.IsZero():
			ps.missing(at(i, "remind_at"), "a time")
		case !r.RemindAt.After(c.At):
			ps.Add(at(i, "remind_at"), "expected a time that lies ahead; it is %s now", c.clock())
		}
		if r.TaskID != nil {
			ps.id(at(i, "task_id"), *r.TaskID)
			list[i].Task = *r.TaskID
			tasks = append(tasks, *r.TaskID)
		}
	}
	if err := ps.err(); err != nil && (len(tasks) == 0 || len(list) > maxListed) {
		return nil, err // else the tasks are looked for too, so that all is said at once
	}
	err := c.write(ctx, func(w Writer) error {
		known, err := w.TasksByID(ctx, tasks)
		if err != nil {
			return err
		}
		for i, r := range list {
			if r.Task != "" && !slices.ContainsFunc(known, func(t Task) bool { return t.ID == r.Task }) {
				ps.Add(at(i, "task_id"), "there is no task with this id; look it up with get_tasks")
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
	}{docs(list, Reminder.doc), undelivered}, err
}

func deleteReminders(ctx context.Context, c call) (any, error) {
	return c.removeList(ctx, Writer.RemoveReminder)
}
