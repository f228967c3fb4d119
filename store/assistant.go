package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/store/engine"
)

// owned is a session for the data of one owner of the assistant's tools. The types built
// on it have the tables, a family each.
type owned struct {
	*session
	owner int64 // 0 for one of whom nothing is kept yet: no row has it
	now   string
}

// ownerTables have the owners, their projects, and what they set.
type ownerTables struct{ *owned }

var _ builtin.Store = (*DB)(nil)

func (a *owned) reader() builtin.Reader {
	return builtin.Reader{
		TaskReader: taskTables{a}, ReminderReader: reminderTables{a}, MemoryReader: memoryTables{a}, EntityReader: entityTables{a}, SettingReader: ownerTables{a},
	}
}

func (a *owned) writer() builtin.Writer {
	return builtin.Writer{
		Reader:     a.reader(),
		TaskWriter: taskTables{a}, ReminderWriter: reminderTables{a}, MemoryWriter: memoryTables{a}, EntityWriter: entityTables{a}, SettingWriter: ownerTables{a},
	}
}

// assistantData is the database as the built-in tools use it.
type assistantData struct{ pool *connections }

// ReadAssistant implements builtin.Store.
func (db assistantData) ReadAssistant(ctx context.Context, of builtin.Owner, at time.Time, fn func(builtin.Reader) error) error {
	for {
		stale := false
		err := db.pool.view(ctx, func(s *session) error {
			a, err := newOwned(ctx, s, of, at)
			if err != nil {
				return err
			}
			if stale, err = (memoryTables{a}).stale(ctx); err != nil || stale {
				return err
			}
			return fn(a.reader())
		})
		if err != nil || !stale {
			return err
		}
		if err := db.expire(ctx, of, at); err != nil {
			return err
		}
	}
}

// WriteAssistant implements builtin.Store.
func (db assistantData) WriteAssistant(ctx context.Context, of builtin.Owner, at time.Time, fn func(builtin.Writer) error) error {
	return db.pool.update(ctx, func(s *session) error {
		_, err := s.Exec(ctx, `INSERT INTO owners (id, customer, "user") SELECT (SELECT coalesce(max(id), 0) + 1 FROM owners), $1, $2
			WHERE NOT EXISTS (SELECT 1 FROM owners WHERE customer = $1 AND "user" = $2)`, of.Customer, of.User)
		if err != nil {
			return err
		}
		a, err := newOwned(ctx, s, of, at)
		if err != nil {
			return err
		}
		if err := (memoryTables{a}).expire(ctx); err != nil {
			return err
		}
		return fn(a.writer())
	})
}

func newOwned(ctx context.Context, s *session, of builtin.Owner, at time.Time) (*owned, error) {
	a := &owned{session: s, now: history.Timestamp(at)}
	err := s.Row(ctx, `SELECT id FROM owners WHERE customer = $1 AND "user" = $2`, []any{of.Customer, of.User}, &a.owner)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return a, err
}

// stale reports whether memories have expired that are still there.
func (a memoryTables) stale(ctx context.Context) (bool, error) {
	var found bool
	err := a.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2)", []any{a.owner, a.now}, &found)
	return found, err
}

// expire removes memories that have expired, in a transaction of its own.
func (db assistantData) expire(ctx context.Context, of builtin.Owner, at time.Time) error {
	return db.WriteAssistant(ctx, of, at, func(builtin.Writer) error { return nil })
}

func (a memoryTables) expire(ctx context.Context) error {
	ids, err := all(ctx, a, scanValue[string],
		"SELECT id FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2", a.owner, a.now)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := a.RemoveMemory(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// owns returns the columns of a row with its owner.
func (a *owned) owns(row columns) columns { return append(columns{col("owner", &a.owner)}, row...) }

// change changes a row of the owner's. Its id and when it was made stay.
func (a *owned) change(ctx context.Context, table, what, id string, row columns) error {
	row = slices.DeleteFunc(row, func(c column) bool { return c.name == "id" || c.name == "created_at" })
	values, err := row.values()
	if err != nil {
		return err
	}
	n, err := a.Exec(ctx, fmt.Sprintf("UPDATE %s SET %s WHERE owner = $%d AND id = $%d AND deleted_at = ''", table, row.assignments(), len(row)+1, len(row)+2),
		append(values, a.owner, id)...)
	return changedOne(n, err, what+" "+id)
}

// byIDs calls fn for each id once, which a call lists few of.
func byIDs[T any](ctx context.Context, a *owned, scan func(scanner) (T, error), query string, ids []string) ([]T, error) {
	var out []T
	for _, id := range ids {
		found, err := all(ctx, a, scan, query, a.owner, id)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// byKeys returns the rows that a query finds by their keys.
func byKeys[T any](ctx context.Context, a *owned, scan func(scanner) (T, error), query string, keys []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(keys))
	for _, key := range keys {
		list, err := all(ctx, a, scan, query, a.owner, key)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			found[key] = v
		}
	}
	return found, nil
}

// remove marks a row as deleted and reports whether it was there.
func (a *owned) remove(ctx context.Context, query, id string) (bool, error) {
	n, err := a.Exec(ctx, query, a.now, a.owner, id)
	return n == 1, err
}

// project returns the number of a project, NULL for "", and 0, which none has,
// for a name that is unknown.
func (a *owned) project(ctx context.Context, name string) (id sql.NullInt64, err error) {
	if name == "" {
		return id, nil
	}
	id.Valid = true
	err = a.Row(ctx, "SELECT id FROM projects WHERE owner = $1 AND name_key = $2", []any{a.owner, builtin.NameKey(name)}, &id.Int64)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return id, err
}

// Projects implements builtin.Reader.
func (a ownerTables) Projects(ctx context.Context) ([]string, error) {
	return all(ctx, a, scanValue[string], "SELECT name FROM projects WHERE owner = $1", a.owner)
}

// Project implements builtin.Reader.
func (a ownerTables) Project(ctx context.Context, agent string) (string, error) {
	return a.setting(ctx, "SELECT p.name FROM conversations c JOIN projects p ON p.id = c.project WHERE c.owner = $1 AND c.agent = $2", a.owner, agent)
}

// Instructions implements builtin.Reader.
func (a ownerTables) Instructions(ctx context.Context) (string, error) {
	return a.setting(ctx, "SELECT instructions FROM owners WHERE id = $1", a.owner)
}

// setting returns a text, "" when there is none.
func (a ownerTables) setting(ctx context.Context, query string, args ...any) (text string, err error) {
	err = a.Row(ctx, query, args, &text)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return text, err
}

// AddProject implements builtin.Writer.
func (a ownerTables) AddProject(ctx context.Context, name string) error {
	return add(ctx, a, "projects", "id", a.owns(columns{col("name", &name), col("name_key", new(builtin.NameKey(name)))}))
}

// SetProject implements builtin.Writer.
func (a ownerTables) SetProject(ctx context.Context, agent, name string) error {
	project, err := a.project(ctx, name)
	if err != nil {
		return err
	}
	_, err = a.Exec(ctx, "INSERT INTO conversations (owner, agent, project) VALUES ($1, $2, $3) ON CONFLICT (owner, agent) DO UPDATE SET project = excluded.project", a.owner, agent, project)
	return err
}

// SetInstructions implements builtin.Writer.
func (a ownerTables) SetInstructions(ctx context.Context, text string) error {
	var customer, user string
	if err := a.Row(ctx, `SELECT customer, "user" FROM owners WHERE id = $1`, []any{a.owner}, &customer, &user); err != nil {
		return err
	}
	_, err := a.Exec(ctx, "UPDATE owners SET instructions = $1, seal = $2 WHERE id = $3", text, sealOfOwner(customer, user, text), a.owner)
	return err
}

// sealOfOwner returns the seal over a user and the instructions that the user's
// prompts get; "" for none.
func sealOfOwner(customer, user, instructions string) string {
	if instructions == "" {
		return ""
	}
	return history.Seal("toolcrib owner 1", customer, user, instructions)
}

// reminderTables have the reminders and the schedules.
type reminderTables struct{ *owned }

func reminderColumns(r *builtin.Reminder) columns {
	return columns{
		col("id", &r.ID), col("text", &r.Text), col("remind_at", asTime(&r.At)), col("task", &r.Task), col("channel", &r.Channel), col("created_at", asTime(&r.Created)),
	}
}

// sentReminder are the columns of a reminder, r, which names a task only while it is
// there.
func sentReminder(r *builtin.Reminder) columns {
	return append(reminderColumns(r), col("sent", &r.Sent), col("there", &r.Task))
}

var selectReminders = "SELECT " + reminderColumns(new(builtin.Reminder)).of("r") +
	", r.sent, coalesce((SELECT t.id FROM tasks t WHERE t.id = r.task AND t.owner = r.owner AND t.deleted_at = ''), '') FROM reminders r"

// RemindersByID implements builtin.Reader.
func (a reminderTables) RemindersByID(ctx context.Context, ids []string) ([]builtin.Reminder, error) {
	return byIDs(ctx, a.owned, reading(sentReminder), selectReminders+" WHERE r.owner = $1 AND r.id = $2 AND r.deleted_at = ''", ids)
}

// Reminders implements builtin.Reader.
func (a reminderTables) Reminders(ctx context.Context, f builtin.ReminderFilter, limit int) ([]builtin.Reminder, error) {
	where, args, index := "r.owner = ? AND r.deleted_at = ''", []any{a.owner}, "reminders_by_time"
	if f.Sent != nil {
		where, args, index = where+" AND r.sent = ?", append(args, flag(*f.Sent)), "reminders_by_status"
	}
	if !f.From.IsZero() {
		where, args = where+" AND r.remind_at >= ?", append(args, history.Timestamp(f.From))
	}
	if !f.Until.IsZero() {
		where, args = where+" AND r.remind_at < ?", append(args, history.Timestamp(f.Until))
	}
	return all(ctx, a, reading(sentReminder), engine.Numbered(selectReminders+a.hints.IndexedBy(index)+" WHERE "+where+" ORDER BY r.remind_at, r.seq LIMIT ?"), append(args, limit)...)
}

// AddReminder implements builtin.Writer.
func (a reminderTables) AddReminder(ctx context.Context, r builtin.Reminder) error {
	return add(ctx, a, "reminders", "seq", a.owns(reminderColumns(&r)))
}

// RemoveReminder implements builtin.Writer.
func (a reminderTables) RemoveReminder(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE reminders SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}

// Schedules implements builtin.Reader.
func (a reminderTables) Schedules(ctx context.Context) ([]builtin.Schedule, error) {
	return all(ctx, a, reading(scheduleColumns), "SELECT "+scheduleColumns(new(builtin.Schedule)).names()+" FROM schedules WHERE owner = $1 AND deleted_at = '' ORDER BY seq", a.owner)
}

func scheduleColumns(s *builtin.Schedule) columns {
	return columns{
		col("id", &s.ID), col("title", &s.Title), col("instruction", &s.Instruction), col("cron", &s.Cron), col("zone", &s.Zone), col("channel", &s.Channel),
		col("ends_at", asMaybeTime(&s.Ends)), col("created_at", asTime(&s.Created)),
	}
}

// AddSchedule implements builtin.Writer.
func (a reminderTables) AddSchedule(ctx context.Context, s builtin.Schedule) error {
	return add(ctx, a, "schedules", "seq", a.owns(scheduleColumns(&s)))
}

// RemoveSchedule implements builtin.Writer.
func (a reminderTables) RemoveSchedule(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE schedules SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}
