package store

import (
	"context"
	"errors"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
)

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
