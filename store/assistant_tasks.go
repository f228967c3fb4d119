package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
)

// never is when a task is due that has no due date: behind every time.
const never = "~"

const taskColumns = `t.id, t.title, t.notes, t.status, t.due, t.priority, coalesce(p.name, ''), t.tags, t.created_at, t.updated_at`

func scanTask(row scanner) (t builtin.Task, err error) {
	var due, tags, created, updated string
	if err := row.Scan(&t.ID, &t.Title, &t.Notes, &t.Status, &due, &t.Priority, &t.Project, &tags, &created, &updated); err != nil {
		return t, err
	}
	if due == never {
		due = ""
	}
	return t, errors.Join(
		into(&t.Due, parseMaybe, due), into(&t.Tags, parseList, tags),
		into(&t.Created, history.ParseTimestamp, created), into(&t.Updated, history.ParseTimestamp, updated),
	)
}

// TasksByID implements builtin.Reader.
func (a assistant) TasksByID(ctx context.Context, ids []string) ([]builtin.Task, error) {
	return byIDs(ctx, a.s, scanTask, "SELECT "+taskColumns+" FROM tasks t LEFT JOIN projects p ON p.id = t.project WHERE t.owner = $1 AND t.id = $2 AND t.deleted_at = ''", a.owner, ids)
}

// Tasks implements builtin.Reader.
func (a assistant) Tasks(ctx context.Context, f builtin.TaskFilter, limit int) ([]builtin.Task, error) {
	where, args := "t.owner = ? AND t.deleted_at = ''", []any{a.owner}
	index := "tasks_by_due"
	if f.Project != "" {
		project, err := a.project(ctx, f.Project)
		if err != nil {
			return nil, err
		}
		where, args, index = where+" AND t.project = ? AND t.project IS NOT NULL", append(args, project), "tasks_by_project"
	}
	if f.Status != "" {
		where, args, index = where+" AND t.status = ?", append(args, f.Status), index+"_status"
	}
	if index == "tasks_by_due_status" {
		index = "tasks_by_status"
	}
	if !f.From.IsZero() {
		where, args = where+" AND t.due >= ?", append(args, history.Timestamp(f.From))
	}
	if before := maybe(f.Before); before != "" || !f.From.IsZero() {
		if before == "" {
			before = never
		}
		where, args = where+" AND t.due < ?", append(args, before)
	}
	return all(ctx, a.s, scanTask, numbered("SELECT "+taskColumns+" FROM tasks t"+a.s.hints.indexedBy(index)+" LEFT JOIN projects p ON p.id = t.project WHERE "+where+
		" ORDER BY t.due, t.seq LIMIT ?"), append(args, limit)...)
}

// CountTasks implements builtin.Reader.
func (a assistant) CountTasks(ctx context.Context) (open, overdue int, err error) {
	today := a.now[:len(time.DateOnly)]
	err = a.s.Row(ctx, `SELECT coalesce(sum(n), 0),
		coalesce(sum(n) FILTER (WHERE day < $2), 0) +
		(SELECT count(*) FROM tasks WHERE owner = $1 AND status = 'open' AND deleted_at = '' AND due >= $2 AND due < $3)
		FROM task_days WHERE owner = $1`, []any{a.owner, today, a.now}, &open, &overdue)
	return open, overdue, err
}

// AddTask implements builtin.Writer.
func (a assistant) AddTask(ctx context.Context, t builtin.Task) error {
	project, due, tags, err := a.taskColumns(ctx, t)
	if err != nil {
		return err
	}
	_, err = a.s.Exec(ctx, `INSERT INTO tasks (seq, id, owner, title, notes, status, due, priority, project, tags, created_at, updated_at)
		VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM tasks), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		t.ID, a.owner, t.Title, t.Notes, t.Status, due, t.Priority, project, tags, history.Timestamp(t.Created), history.Timestamp(t.Updated))
	return err
}

// ChangeTask implements builtin.Writer.
func (a assistant) ChangeTask(ctx context.Context, t builtin.Task) error {
	project, due, tags, err := a.taskColumns(ctx, t)
	if err != nil {
		return err
	}
	n, err := a.s.Exec(ctx, `UPDATE tasks SET title = $1, notes = $2, status = $3, due = $4, priority = $5, project = $6, tags = $7, updated_at = $8
		WHERE owner = $9 AND id = $10 AND deleted_at = ''`,
		t.Title, t.Notes, t.Status, due, t.Priority, project, tags, history.Timestamp(t.Updated), a.owner, t.ID)
	return changedOne(n, err, "task "+t.ID)
}

func (a assistant) taskColumns(ctx context.Context, t builtin.Task) (project sql.NullInt64, due, tags string, err error) {
	if project, err = a.project(ctx, t.Project); err != nil {
		return project, "", "", err
	}
	if due = maybe(t.Due); due == "" {
		due = never
	}
	tags, err = list(t.Tags)
	return project, due, tags, err
}

// RemoveTask implements builtin.Writer.
func (a assistant) RemoveTask(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE tasks SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}
