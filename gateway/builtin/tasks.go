package builtin

import (
	"context"
	"time"

	"toolcrib/registry/jsondoc"
)

// The bounds of tasks, in characters.
const (
	maxTitle       = 200
	maxNotes       = 4_000
	maxProjectName = 120
)

// docTask is a task as agents read it.
type docTask struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Notes     string   `json:"notes,omitempty"`
	Status    string   `json:"status"`
	Due       string   `json:"due,omitempty"`
	Priority  string   `json:"priority"`
	Project   string   `json:"project,omitempty"`
	Tags      []string `json:"tags,omitempty"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
}

// timestamp writes a time as agents read it, "" for none.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (t Task) doc() docTask {
	return docTask{
		ID: t.ID, Title: t.Title, Notes: t.Notes, Status: t.Status, Due: timestamp(t.Due), Priority: t.Priority,
		Project: t.Project, Tags: t.Tags, CreatedAt: timestamp(t.Created), UpdatedAt: timestamp(t.Updated),
	}
}

type tasksOut struct {
	Tasks []docTask `json:"tasks"`
	More  bool      `json:"more"`
}

func getTasks(ctx context.Context, c call) (any, error) {
	in := struct {
		ID        *string `json:"id"`
		Status    string  `json:"status"`
		Project   *string `json:"project"`
		DueAfter  moment  `json:"due_after"`
		DueBefore moment  `json:"due_before"`
		Limit     *int    `json:"limit"`
	}{}
	ps := decode(c.Args, &in)
	f := TaskFilter{
		Status: ps.oneOf("status", in.Status, "open", "open", "done", "cancelled", "any"),
		From:   in.DueAfter.Time, Before: in.DueBefore.Time,
	}
	if f.Status == "any" {
		f.Status = ""
	}
	f.Project = ps.projectFilter(in.Project)
	tasks, more, err := get(ctx, c, &ps, source[Task, TaskFilter]{Reader.TasksByID, Reader.Tasks}, in.ID, f, in.Limit)
	return tasksOut{docs(tasks, Task.doc), more}, err
}

// projectFilter checks the project that a list is narrowed to.
func (ps *problems) projectFilter(name *string) string {
	if name == nil {
		return ""
	}
	return ps.text("project", *name, maxProjectName)
}

// newTask is the input of create_tasks for one task.
type newTask struct {
	Title    string   `json:"title"`
	Notes    string   `json:"notes"`
	Due      moment   `json:"due"`
	Priority string   `json:"priority"`
	Project  *string  `json:"project"`
	Tags     []string `json:"tags"`
}

// task returns the task to store, but for its project, which is the given name.
func (t *newTask) task(ps *problems, c call, path string) Task {
	at := func(key string) string { return jsondoc.Join(path, key) }
	task := Task{
		ID: c.opts.NewID(), Title: ps.text(at("title"), t.Title, maxTitle), Notes: t.Notes, Status: "open", Due: t.Due.Time,
		Priority: ps.oneOf(at("priority"), t.Priority, "normal", "low", "normal", "high"),
		Tags:     ps.tags(at("tags"), t.Tags), Created: c.At, Updated: c.At,
	}
	ps.short(at("notes"), t.Notes, maxNotes)
	if t.Project != nil {
		task.Project = ps.text(at("project"), *t.Project, maxProjectName)
	}
	return task
}

func createTasks(ctx context.Context, c call) (any, error) {
	in := struct {
		Tasks []newTask `json:"tasks"`
	}{}
	ps := decode(c.Args, &in)
	ps.count("tasks", len(in.Tasks), maxListed)
	tasks := make([]Task, len(in.Tasks))
	for i, t := range in.Tasks {
		tasks[i] = t.task(&ps, c, jsondoc.Index("tasks", i))
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	err := c.write(ctx, func(w Writer) error {
		p, err := c.projects(ctx, w)
		if err != nil {
			return err
		}
		for i := range tasks {
			t := &tasks[i]
			if t.Project, err = p.resolve(ctx, in.Tasks[i].Project != nil, t.Project); err != nil {
				return err
			}
			if err := w.AddTask(ctx, *t); err != nil {
				return err
			}
		}
		return nil
	})
	return struct {
		Tasks []docTask `json:"tasks"`
	}{docs(tasks, Task.doc)}, err
}
