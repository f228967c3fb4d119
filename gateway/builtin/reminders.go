package builtin

import (
	"context"
	"slices"

	"toolcrib/registry/jsondoc"
)

// maxReminderText limits the text of a reminder, in characters.
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

// undelivered and unscheduled are part of every response about reminders and
// schedules, so that models do not promise a delivery.
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
	f := ReminderFilter{From: in.From.Time, Until: in.Until.Time}
	if status != "any" {
		sent := status == "sent"
		f.Sent = &sent
	}
	reminders, more, err := get(ctx, c, &ps, source[Reminder, ReminderFilter]{Reader.RemindersByID, Reader.Reminders}, in.ID, f, in.Limit)
	return remindersOut{Reminders: docs(reminders, Reminder.doc), More: more, Delivery: undelivered}, err
}

// newReminder is the input of create_reminders for one reminder.
type newReminder struct {
	Text     string  `json:"text"`
	RemindAt moment  `json:"remind_at"`
	TaskID   *string `json:"task_id"`
	Channel  string  `json:"channel"`
}

// reminder returns the reminder to be stored.
func (r *newReminder) reminder(ps *problems, c call, path string) Reminder {
	at := func(key string) string { return jsondoc.Join(path, key) }
	reminder := Reminder{
		ID: c.opts.NewID(), Text: ps.text(at("text"), r.Text, maxReminderText), At: r.RemindAt.Time,
		Channel: ps.channel(at("channel"), r.Channel), Created: c.At,
	}
	switch {
	case r.RemindAt.IsZero():
		ps.missing(at("remind_at"), "a time")
	case !r.RemindAt.After(c.At):
		ps.Add(at("remind_at"), "expected a time that lies ahead; it is %s now", c.clock())
	}
	if r.TaskID != nil {
		ps.id(at("task_id"), *r.TaskID)
		reminder.Task = *r.TaskID
	}
	return reminder
}

func createReminders(ctx context.Context, c call) (any, error) {
	in := struct {
		Reminders []newReminder `json:"reminders"`
	}{}
	ps := decode(c.Args, &in)
	ps.count("reminders", len(in.Reminders), maxListed)
	list := make([]Reminder, len(in.Reminders))
	var tasks []string
	for i, r := range in.Reminders {
		list[i] = r.reminder(&ps, c, jsondoc.Index("reminders", i))
		if r.TaskID != nil {
			tasks = append(tasks, *r.TaskID)
		}
	}
	if err := ps.err(); err != nil && (len(tasks) == 0 || len(list) > maxListed) {
		return nil, err // otherwise check the tasks too, to report all problems together
	}
	err := c.write(ctx, func(w Writer) error {
		known, err := w.TasksByID(ctx, tasks)
		if err != nil {
			return err
		}
		ps.tasksOf(list, known)
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

// tasksOf checks that the tasks of reminders exist.
func (ps *problems) tasksOf(list []Reminder, known []Task) {
	for i, r := range list {
		if r.Task != "" && !slices.ContainsFunc(known, func(t Task) bool { return t.ID == r.Task }) {
			ps.Add(jsondoc.Join(jsondoc.Index("reminders", i), "task_id"), "there is no task with this id; look it up with get_tasks")
		}
	}
}

func deleteReminders(ctx context.Context, c call) (any, error) {
	return c.removeList(ctx, Writer.RemoveReminder)
}
