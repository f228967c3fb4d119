package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
)

// assistant has the data that the built-in tools of one owner read and write in a
// transaction. It implements builtin.Writer; on a reading connection the
// engine itself refuses the writes.
type assistant struct {
	s     *session
	owner int64 // 0 for one of whom nothing is kept yet: no row has it
	now   string
}

var (
	_ builtin.Store  = (*DB)(nil)
	_ builtin.Writer = assistant{}
)

// ReadAssistant implements builtin.Store.
func (db *DB) ReadAssistant(ctx context.Context, of builtin.Owner, at time.Time, fn func(builtin.Reader) error) error {
	for {
		stale := false
		err := db.view(ctx, func(s *session) error {
			a, err := s.assistant(ctx, of, at)
			if err != nil {
				return err
			}
			if stale, err = a.stale(ctx); err != nil || stale {
				return err
			}
			return fn(a)
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
func (db *DB) WriteAssistant(ctx context.Context, of builtin.Owner, at time.Time, fn func(builtin.Writer) error) error {
	return db.update(ctx, func(s *session) error {
		_, err := s.Exec(ctx, `INSERT INTO owners (id, customer, "user") SELECT (SELECT coalesce(max(id), 0) + 1 FROM owners), $1, $2
			WHERE NOT EXISTS (SELECT 1 FROM owners WHERE customer = $1 AND "user" = $2)`, of.Customer, of.User)
		if err != nil {
			return err
		}
		a, err := s.assistant(ctx, of, at)
		if err != nil {
			return err
		}
		if err := a.expire(ctx); err != nil {
			return err
		}
		return fn(a)
	})
}

func (s *session) assistant(ctx context.Context, of builtin.Owner, at time.Time) (assistant, error) {
	a := assistant{s: s, now: history.Timestamp(at)}
	err := s.Row(ctx, `SELECT id FROM owners WHERE customer = $1 AND "user" = $2`, []any{of.Customer, of.User}, &a.owner)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return a, err
}

// stale reports whether memories have expired that are still there.
func (a assistant) stale(ctx context.Context) (bool, error) {
	var found bool
	err := a.s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2)", []any{a.owner, a.now}, &found)
	return found, err
}

// expire removes memories that have expired, in a transaction of its own.
func (db *DB) expire(ctx context.Context, of builtin.Owner, at time.Time) error {
	return db.WriteAssistant(ctx, of, at, func(builtin.Writer) error { return nil })
}

func (a assistant) expire(ctx context.Context) error {
	ids, err := all(ctx, a.s, scanValue[string],
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

// byIDs calls fn for each id once, which a call lists few of.
func byIDs[T any](ctx context.Context, s *session, scan func(scanner) (T, error), query string, owner int64, ids []string) ([]T, error) {
	var out []T
	for _, id := range ids {
		found, err := all(ctx, s, scan, query, owner, id)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// byKeys returns the rows that a query finds by their keys.
func byKeys[T any](ctx context.Context, a assistant, scan func(scanner) (T, error), query string, keys []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(keys))
	for _, key := range keys {
		list, err := all(ctx, a.s, scan, query, a.owner, key)
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
func (a assistant) remove(ctx context.Context, query, id string) (bool, error) {
	n, err := a.s.Exec(ctx, query, a.now, a.owner, id)
	return n == 1, err
}

// list writes a list of texts.
func list(texts []string) (string, error) {
	if len(texts) == 0 {
		return "[]", nil
	}
	data, err := json.Marshal(texts)
	return string(data), err
}

func parseList(s string) ([]string, error) {
	var texts []string
	err := json.Unmarshal([]byte(s), &texts)
	return texts, err
}

// project returns the number of a project, NULL for "", and 0, which none has,
// for a name that is unknown.
func (a assistant) project(ctx context.Context, name string) (id sql.NullInt64, err error) {
	if name == "" {
		return id, nil
	}
	id.Valid = true
	err = a.s.Row(ctx, "SELECT id FROM projects WHERE owner = $1 AND name_key = $2", []any{a.owner, builtin.NameKey(name)}, &id.Int64)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return id, err
}

// Projects implements builtin.Reader.
func (a assistant) Projects(ctx context.Context) ([]string, error) {
	return all(ctx, a.s, scanValue[string], "SELECT name FROM projects WHERE owner = $1", a.owner)
}

// Project implements builtin.Reader.
func (a assistant) Project(ctx context.Context, agent string) (string, error) {
	return a.setting(ctx, "SELECT p.name FROM conversations c JOIN projects p ON p.id = c.project WHERE c.owner = $1 AND c.agent = $2", a.owner, agent)
}

// Instructions implements builtin.Reader.
func (a assistant) Instructions(ctx context.Context) (string, error) {
	return a.setting(ctx, "SELECT instructions FROM owners WHERE id = $1", a.owner)
}

// setting returns a text, "" when there is none.
func (a assistant) setting(ctx context.Context, query string, args ...any) (text string, err error) {
	err = a.s.Row(ctx, query, args, &text)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return text, err
}

// AddProject implements builtin.Writer.
func (a assistant) AddProject(ctx context.Context, name string) error {
	_, err := a.s.Exec(ctx, "INSERT INTO projects (id, owner, name, name_key) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM projects), $1, $2, $3)", a.owner, name, builtin.NameKey(name))
	return err
}

// SetProject implements builtin.Writer.
func (a assistant) SetProject(ctx context.Context, agent, name string) error {
	project, err := a.project(ctx, name)
	if err != nil {
		return err
	}
	_, err = a.s.Exec(ctx, "INSERT INTO conversations (owner, agent, project) VALUES ($1, $2, $3) ON CONFLICT (owner, agent) DO UPDATE SET project = excluded.project", a.owner, agent, project)
	return err
}

// SetInstructions implements builtin.Writer.
func (a assistant) SetInstructions(ctx context.Context, text string) error {
	var customer, user string
	if err := a.s.Row(ctx, `SELECT customer, "user" FROM owners WHERE id = $1`, []any{a.owner}, &customer, &user); err != nil {
		return err
	}
	_, err := a.s.Exec(ctx, "UPDATE owners SET instructions = $1, seal = $2 WHERE id = $3", text, sealOfOwner(customer, user, text), a.owner)
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

// reminderColumns name a task only while it is there.
const reminderColumns = `r.id, r.text, r.remind_at, r.sent, coalesce((SELECT t.id FROM tasks t WHERE t.id = r.task AND t.owner = r.owner AND t.deleted_at = ''), ''), r.channel, r.created_at`

func scanReminder(row scanner) (r builtin.Reminder, err error) {
	var at, created string
	if err := row.Scan(&r.ID, &r.Text, &at, &r.Sent, &r.Task, &r.Channel, &created); err != nil {
		return r, err
	}
	return r, errors.Join(into(&r.At, history.ParseTimestamp, at), into(&r.Created, history.ParseTimestamp, created))
}

// RemindersByID implements builtin.Reader.
func (a assistant) RemindersByID(ctx context.Context, ids []string) ([]builtin.Reminder, error) {
	return byIDs(ctx, a.s, scanReminder, "SELECT "+reminderColumns+" FROM reminders r WHERE r.owner = $1 AND r.id = $2 AND r.deleted_at = ''", a.owner, ids)
}

// Reminders implements builtin.Reader.
func (a assistant) Reminders(ctx context.Context, f builtin.ReminderFilter, limit int) ([]builtin.Reminder, error) {
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
	return all(ctx, a.s, scanReminder, numbered("SELECT "+reminderColumns+" FROM reminders r"+a.s.hints.indexedBy(index)+" WHERE "+where+" ORDER BY r.remind_at, r.seq LIMIT ?"), append(args, limit)...)
}

// AddReminder implements builtin.Writer.
func (a assistant) AddReminder(ctx context.Context, r builtin.Reminder) error {
	_, err := a.s.Exec(ctx, "INSERT INTO reminders (seq, id, owner, text, remind_at, task, channel, created_at) VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM reminders), $1, $2, $3, $4, $5, $6, $7)",
		r.ID, a.owner, r.Text, history.Timestamp(r.At), r.Task, r.Channel, history.Timestamp(r.Created))
	return err
}

// RemoveReminder implements builtin.Writer.
func (a assistant) RemoveReminder(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE reminders SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}

// Schedules implements builtin.Reader.
func (a assistant) Schedules(ctx context.Context) ([]builtin.Schedule, error) {
	scan := func(row scanner) (s builtin.Schedule, err error) {
		var ends, created string
		if err := row.Scan(&s.ID, &s.Title, &s.Instruction, &s.Cron, &s.Zone, &s.Channel, &ends, &created); err != nil {
			return s, err
		}
		return s, errors.Join(into(&s.Ends, parseMaybe, ends), into(&s.Created, history.ParseTimestamp, created))
	}
	return all(ctx, a.s, scan, "SELECT id, title, instruction, cron, zone, channel, ends_at, created_at FROM schedules WHERE owner = $1 AND deleted_at = '' ORDER BY seq", a.owner)
}

// AddSchedule implements builtin.Writer.
func (a assistant) AddSchedule(ctx context.Context, s builtin.Schedule) error {
	_, err := a.s.Exec(ctx, "INSERT INTO schedules (seq, id, owner, title, instruction, cron, zone, channel, ends_at, created_at) VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM schedules), $1, $2, $3, $4, $5, $6, $7, $8, $9)",
		s.ID, a.owner, s.Title, s.Instruction, s.Cron, s.Zone, s.Channel, maybe(s.Ends), history.Timestamp(s.Created))
	return err
}

// RemoveSchedule implements builtin.Writer.
func (a assistant) RemoveSchedule(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE schedules SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}
