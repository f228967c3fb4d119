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

// docs makes documents of records: an empty list rather than none.
func docs[T, D any](list []T, doc func(T) D) []D {
	out := make([]D, len(list))
	for i, v := range list {
		out[i] = doc(v)
	}
	return out
}

// cut returns at most limit entries, and whether there were more.
func cut[T any](list []T, limit int) ([]T, bool) {
	if len(list) > limit {
		return list[:limit], true
	}
	return list, false
}

// The bounds of a list that is asked for.
const (
	defaultLimit = 50
	maxLimit     = 200
)

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
	limit := ps.between("limit", in.Limit, defaultLimit, maxLimit)
	ps.idFilter(in.ID)
	if err := ps.err(); err != nil {
		return nil, err
	}
	var out tasksOut
	err := c.read(ctx, func(r Reader) error {
		var tasks []Task
		var err error
		if in.ID != nil {
			tasks, err = r.TasksByID(ctx, []string{*in.ID})
		} else {
			tasks, err = r.Tasks(ctx, f, limit+1)
		}
		tasks, out.More = cut(tasks, limit)
		out.Tasks = docs(tasks, Task.doc)
		return err
	})
	return out, err
}

// idFilter checks the id that a get_ tool may be given.
func (ps *problems) idFilter(id *string) {
	if id != nil {
		ps.id("id", *id)
	}
}

// projectFilter checks the project that a list is narrowed to.
func (ps *problems) projectFilter(name *string) string {
	if name == nil {
		return ""
	}
	return ps.text("project", *name, maxProjectName)
}

func createTasks(ctx context.Context, c call) (any, error) {
	in := struct {
		Tasks []struct {
			Title    string   `json:"title"`
			Notes    string   `json:"notes"`
			Due      moment   `json:"due"`
			Priority string   `json:"priority"`
			Project  *string  `json:"project"`
			Tags     []string `json:"tags"`
		} `json:"tasks"`
	}{}
	ps := decode(c.Args, &in)
	ps.count("tasks", len(in.Tasks), maxListed)
	tasks := make([]Task, len(in.Tasks))
	for i, t := range in.Tasks {
		at := func(key string) string { return jsondoc.Join(jsondoc.Index("tasks", i), key) }
		tasks[i] = Task{
			ID: c.opts.NewID(), Title: ps.text(at("title"), t.Title, maxTitle), Notes: t.Notes, Status: "open", Due: t.Due.Time,
			Priority: ps.oneOf(at("priority"), t.Priority, "normal", "low", "normal", "high"),
			Tags:     ps.tags(at("tags"), t.Tags), Created: c.At, Updated: c.At,
		}
		ps.short(at("notes"), t.Notes, maxNotes)
		if t.Project != nil {
			tasks[i].Project = ps.text(at("project"), *t.Project, maxProjectName)
		}
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
