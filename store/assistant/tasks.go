// This file stores tasks.

package assistant

import (
	"cmp"
	"context"
	"strings"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
	"toolcrib/store/engine"
	"toolcrib/store/table"
)

// never is the stored due time of a task without a due date. It sorts after every other time.
const never = "~"

// TaskTable describes the table of tasks.
var TaskTable = table.Of("tasks", taskColumns)

func taskColumns(t *builtin.Task) table.Columns {
	due := table.Stored(&t.Due, func(due time.Time) string { return cmp.Or(table.FormatMaybe(due), never) }, func(text string) (time.Time, error) { return table.ParseMaybe(strings.TrimPrefix(text, never)) })
	return table.Columns{
		table.Col("id", &t.ID), table.Col("title", &t.Title), table.Col("notes", &t.Notes), table.Col("status", &t.Status), table.Col("due", due), table.Col("priority", &t.Priority),
		table.Col("tags", table.List(&t.Tags)), table.Col("created_at", table.Time(&t.Created)), table.Col("updated_at", table.Time(&t.Updated)),
	}
}

func projectTask(t *builtin.Task) table.Columns {
	return append(taskColumns(t), table.Col("name", &t.Project))
}

// selectTasks is the start of a query that selects the columns of projectTask with the
// aliases t (tasks) and p (projects).
var selectTasks = "SELECT " + taskColumns(new(builtin.Task)).Of("t") + ", coalesce(p.name, '') FROM tasks t"

// TasksByID implements builtin.Reader.
func (a *tables) TasksByID(ctx context.Context, ids []string) ([]builtin.Task, error) {
	return byIDs(ctx, a, table.Reading(projectTask), selectTasks+" LEFT JOIN projects p ON p.id = t.project WHERE t.owner = $1 AND t.id = $2 AND t.deleted_at = ''", ids)
}

// Tasks implements builtin.Reader.
func (a *tables) Tasks(ctx context.Context, f builtin.TaskFilter, limit int) ([]builtin.Task, error) {
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
	if before := table.FormatMaybe(f.Before); before != "" || !f.From.IsZero() {
		where, args = where+" AND t.due < ?", append(args, cmp.Or(before, never))
	}
	return table.All(ctx, a.session, table.Reading(projectTask), engine.Numbered(selectTasks+a.session.Hints.IndexedBy(index)+" LEFT JOIN projects p ON p.id = t.project WHERE "+where+
		" ORDER BY t.due, t.seq LIMIT ?"), append(args, limit)...)
}

// CountTasks implements builtin.Reader.
func (a *tables) CountTasks(ctx context.Context) (open, overdue int, err error) {
	today := a.now[:len(time.DateOnly)]
	err = a.session.Row(ctx, `SELECT coalesce(sum(n), 0),
		coalesce(sum(n) FILTER (WHERE day < $2), 0) +
		(SELECT count(*) FROM tasks WHERE owner = $1 AND status = 'open' AND deleted_at = '' AND due >= $2 AND due < $3)
		FROM task_days WHERE owner = $1`, []any{a.owner, today, a.now}, &open, &overdue)
	return open, overdue, err
}

// AddTask implements builtin.Writer.
func (a *tables) AddTask(ctx context.Context, t builtin.Task) error {
	project, err := a.project(ctx, t.Project)
	if err != nil {
		return err
	}
	return table.Add(ctx, a.session, TaskTable.Name, "seq", append(a.owns(taskColumns(&t)), table.Col("project", &project)))
}

// ChangeTask implements builtin.Writer.
func (a *tables) ChangeTask(ctx context.Context, t builtin.Task) error {
	project, err := a.project(ctx, t.Project)
	if err != nil {
		return err
	}
	return a.change(ctx, TaskTable.Name, "task", t.ID, append(taskColumns(&t), table.Col("project", &project)))
}

// RemoveTask implements builtin.Writer.
func (a *tables) RemoveTask(ctx context.Context, id string) (bool, error) {
	return a.remove(ctx, "UPDATE tasks SET deleted_at = $1 WHERE owner = $2 AND id = $3 AND deleted_at = ''", id)
}
