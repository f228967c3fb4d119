// Package assistant stores the data of the assistant's tools: tasks, reminders, schedules,
// memories, entities, and settings. Unlike the records of reviews, this data can be changed. Each
// row and each search term begins with the owner. A search therefore never returns the data of
// another owner.
package assistant

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/store/engine"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// tables reads and writes the data of one owner in a session. It implements builtin.Reader and
// builtin.Writer.
type tables struct {
	session *session.Session
	owner   int64 // 0 if the owner has no data yet; then no row matches
	now     string
}

// Data implements builtin.Store.
type Data struct{ Pool *session.Pool }

// ReadAssistant implements builtin.Store.
func (db Data) ReadAssistant(ctx context.Context, owner builtin.Owner, at time.Time, fn func(builtin.Reader) error) error {
	for {
		stale := false // whether expired memories must be deleted
		err := db.Pool.View(ctx, func(s *session.Session) error {
			a, err := newTables(ctx, s, owner, at)
			if err != nil {
				return err
			}
			err = a.session.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2)", []any{a.owner, a.now}, &stale)
			if err != nil || stale {
				return err
			}
			return fn(a)
		})
		if err != nil || !stale {
			return err
		}
		if err := db.WriteAssistant(ctx, owner, at, func(builtin.Writer) error { return nil }); err != nil { // WriteAssistant deletes expired memories
			return err
		}
	}
}

// WriteAssistant implements builtin.Store.
func (db Data) WriteAssistant(ctx context.Context, owner builtin.Owner, at time.Time, fn func(builtin.Writer) error) error {
	return db.Pool.Update(ctx, func(s *session.Session) error {
		_, err := s.Exec(ctx, `INSERT INTO owners (id, customer, "user") SELECT (SELECT coalesce(max(id), 0) + 1 FROM owners), $1, $2
			WHERE NOT EXISTS (SELECT 1 FROM owners WHERE customer = $1 AND "user" = $2)`, owner.Customer, owner.User)
		if err != nil {
			return err
		}
		a, err := newTables(ctx, s, owner, at)
		if err != nil {
			return err
		}
		expired, err := table.All(ctx, a.session, table.ScanValue[string],
			"SELECT id FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2", a.owner, a.now)
		if err != nil {
			return err
		}
		for _, id := range expired {
			if _, err := a.RemoveMemory(ctx, id); err != nil {
				return err
			}
		}
		return fn(a)
	})
}

func newTables(ctx context.Context, s *session.Session, owner builtin.Owner, at time.Time) (*tables, error) {
	a := &tables{session: s, now: history.Timestamp(at)}
	_, err := s.OptionalRow(ctx, `SELECT id FROM owners WHERE customer = $1 AND "user" = $2`, []any{owner.Customer, owner.User}, &a.owner)
	return a, err
}

// owns returns row with the owner as an additional first column.
func (a *tables) owns(row table.Columns) table.Columns {
	return append(table.Columns{table.Col("owner", &a.owner)}, row...)
}

// change updates the row with the given id, if it belongs to the owner. It does not update the
// columns id and created_at.
func (a *tables) change(ctx context.Context, name, what, id string, row table.Columns) error {
	row = slices.DeleteFunc(row, func(c table.Column) bool { return c.Name == "id" || c.Name == "created_at" })
	n, err := table.Update(ctx, a.session, name, row, "owner = ? AND id = ? AND deleted_at = ''", a.owner, id)
	return table.ChangedOne(n, err, what+" "+id)
}

// byIDs runs query for each id and returns all results in the order of the ids. It is for short
// lists of ids.
func byIDs[T any](ctx context.Context, a *tables, scan func(table.Scanner) (T, error), query string, ids []string) ([]T, error) {
	var out []T
	for _, id := range ids {
		found, err := table.All(ctx, a.session, scan, query, a.owner, id)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// byKeys runs query for each key and returns a map from keys to rows.
func byKeys[T any](ctx context.Context, a *tables, scan func(table.Scanner) (T, error), query string, keys []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(keys))
	for _, key := range keys {
		list, err := table.All(ctx, a.session, scan, query, a.owner, key)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			found[key] = v
		}
	}
	return found, nil
}

// remove marks the row with the given id as deleted. It reports whether the row existed.
func (a *tables) remove(ctx context.Context, query, id string) (bool, error) {
	n, err := a.session.Exec(ctx, query, a.now, a.owner, id)
	return n == 1, err
}

// project returns the id of the project with the given name. It returns NULL if name is empty. It
// returns 0, which is never the id of a project, if no project has the name.
func (a *tables) project(ctx context.Context, name string) (id sql.NullInt64, err error) {
	if name == "" {
		return id, nil
	}
	id.Valid = true
	_, err = a.session.OptionalRow(ctx, "SELECT id FROM projects WHERE owner = $1 AND name_key = $2", []any{a.owner, builtin.NameKey(name)}, &id.Int64)
	return id, err
}

// Projects implements builtin.Reader.
func (a *tables) Projects(ctx context.Context) ([]string, error) {
	return table.All(ctx, a.session, table.ScanValue[string], "SELECT name FROM projects WHERE owner = $1", a.owner)
}

// Project implements builtin.Reader.
func (a *tables) Project(ctx context.Context, agent string) (string, error) {
	return a.setting(ctx, "SELECT p.name FROM conversations c JOIN projects p ON p.id = c.project WHERE c.owner = $1 AND c.agent = $2", a.owner, agent)
}

// Instructions implements builtin.Reader.
func (a *tables) Instructions(ctx context.Context) (string, error) {
	return a.setting(ctx, "SELECT instructions FROM owners WHERE id = $1", a.owner)
}

// setting returns the text that query selects, or "" if query selects no row.
func (a *tables) setting(ctx context.Context, query string, args ...any) (text string, err error) {
	_, err = a.session.OptionalRow(ctx, query, args, &text)
	return text, err
}

// AddProject implements builtin.Writer.
func (a *tables) AddProject(ctx context.Context, name string) error {
	return table.Add(ctx, a.session, "projects", "id", a.owns(table.Columns{table.Col("name", &name), table.Col("name_key", new(builtin.NameKey(name)))}))
}

// SetProject implements builtin.Writer.
func (a *tables) SetProject(ctx context.Context, agent, name string) error {
	project, err := a.project(ctx, name)
	if err != nil {
		return err
	}
	_, err = a.session.Exec(ctx, "INSERT INTO conversations (owner, agent, project) VALUES ($1, $2, $3) ON CONFLICT (owner, agent) DO UPDATE SET project = excluded.project", a.owner, agent, project)
	return err
}

// SetInstructions implements builtin.Writer.
func (a *tables) SetInstructions(ctx context.Context, text string) error {
	var customer, user string
	if err := a.session.Row(ctx, `SELECT customer, "user" FROM owners WHERE id = $1`, []any{a.owner}, &customer, &user); err != nil {
		return err
	}
	_, err := a.session.Exec(ctx, "UPDATE owners SET instructions = $1, seal = $2 WHERE id = $3", text, SealOfOwner(customer, user, text), a.owner)
	return err
}

// SealOfOwner returns the seal of an owner and of the instructions for the owner's prompts. It
// returns "" if there are no instructions.
func SealOfOwner(customer, user, instructions string) string {
	if instructions == "" {
		return ""
	}
	return history.Seal("toolcrib owner 1", customer, user, instructions)
}

// ReminderTable describes the table of reminders.
var ReminderTable = table.Of("reminders", reminderColumns)

func reminderColumns(r *builtin.Reminder) table.Columns {
	return table.Columns{
		table.Col("id", &r.ID), table.Col("text", &r.Text), table.Col("remind_at", table.Time(&r.At)), table.Col("task", &r.Task), table.Col("channel", &r.Channel), table.Col("created_at", table.Time(&r.Created)),
	}
}

// sentReminder returns the columns of a reminder with the alias r, and an additional last
// column with the task. This column is "" if the task no longer exists.
func sentReminder(r *builtin.Reminder) table.Columns {
	return append(reminderColumns(r), table.Col("sent", &r.Sent), table.Col("there", &r.Task))
}

var selectReminders = "SELECT " + reminderColumns(new(builtin.Reminder)).Of("r") +
	", r.sent, coalesce((SELECT t.id FROM tasks t WHERE t.id = r.task AND t.owner = r.owner AND t.deleted_at = ''), '') FROM reminders r"

// RemindersByID implements builtin.Reader.
func (a *tables) RemindersByID(ctx context.Context, ids []string) ([]builtin.Reminder, error) {
	return byIDs(ctx, a, table.Reading(sentReminder), selectReminders+" WHERE r.owner = $1 AND r.id = $2 AND r.deleted_at = ''", ids)
}

// Reminders implements builtin.Reader.
func (a *tables) Reminders(ctx context.Context, f builtin.ReminderFilter, limit int) ([]builtin.Reminder, error) {
	where, args, index := "r.owner = ? AND r.deleted_at = ''", []any{a.owner}, "reminders_by_time"
	if f.Sent != nil {
		where, args, index = where+" AND r.sent = ?", append(args, table.Flag(*f.Sent)), "reminders_by_status"
	}
	if !f.From.IsZero() {
		where, args = where+" AND r.remind_at >= ?", append(args, history.Timestamp(f.From))
	}
	if !f.Until.IsZero() {
		where, args = where+" AND r.remind_at < ?", append(args, history.Timestamp(f.Until))
	}
	return table.All(ctx, a.session, table.Reading(sentReminder), engine.Numbered(selectReminders+a.session.Hints.IndexedBy(index)+" WHERE "+where+" ORDER BY r.remind_at, r.seq LIMIT ?"), append(args, limit)...)
}

// AddReminder implements builtin.Writer.
func (a *tables) AddReminder(ctx context.Context, r builtin.Reminder) error {
	return table.Add(ctx, a.session, ReminderTable.Name, "seq", a.owns(reminderColumns(&r)))
}

// RemoveReminder implements builtin.Writer.
func (a *tables) RemoveReminder(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE reminders SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}

// Schedules implements builtin.Reader.
func (a *tables) Schedules(ctx context.Context) ([]builtin.Schedule, error) {
	return ScheduleTable.All(ctx, a.session, "WHERE owner = $1 AND deleted_at = '' ORDER BY seq", a.owner)
}

// ScheduleTable describes the table of schedules.
var ScheduleTable = table.Of("schedules", scheduleColumns)

func scheduleColumns(s *builtin.Schedule) table.Columns {
	return table.Columns{
		table.Col("id", &s.ID), table.Col("title", &s.Title), table.Col("instruction", &s.Instruction), table.Col("cron", &s.Cron), table.Col("zone", &s.Zone), table.Col("channel", &s.Channel),
		table.Col("ends_at", table.MaybeTime(&s.Ends)), table.Col("created_at", table.Time(&s.Created)),
	}
}

// AddSchedule implements builtin.Writer.
func (a *tables) AddSchedule(ctx context.Context, s builtin.Schedule) error {
	return table.Add(ctx, a.session, ScheduleTable.Name, "seq", a.owns(scheduleColumns(&s)))
}

// RemoveSchedule implements builtin.Writer.
func (a *tables) RemoveSchedule(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE schedules SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}
