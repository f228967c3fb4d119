// This file implements the tools for tasks, and the tools that delete records of any type.

package builtin

import (
	"context"
	"slices"
	"time"

	"toolcrib/registry/jsondoc"
)

// Limits of tasks, in characters.
const (
	maxTitle       = 200
	maxNotes       = 4_000
	maxProjectName = 120
)

// timestamp formats a time for a result. It returns "" for the zero time.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

type tasksOut struct {
	Tasks []Task `json:"tasks"`
	More  bool   `json:"more"`
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
	tasks, more, err := get(ctx, c, &ps, Reader.TasksByID, Reader.Tasks, in.ID, f, in.Limit)
	return tasksOut{listed(tasks), more}, err
}

// projectFilter checks the optional argument "project" of a tool that lists or searches records. It returns "" if the
// argument is missing.
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
	err := c.write(ctx, ps, func(w Writer) error {
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
		Tasks []Task `json:"tasks"`
	}{tasks}, err
}

// projectChange checks the argument "project" of an update tool.
func (ps *problems) projectChange(path string, c *change[string]) {
	if c.given && !c.null {
		c.value = ps.text(path, c.value, maxProjectName)
	}
}

func set[T any](dst, to *T) {
	if to != nil {
		*dst = *to
	}
}

func setUnlessEmpty(dst, to *string) {
	if to != nil && *to != "" {
		*dst = *to
	}
}

// same reports whether all fields that an update can change are equal in t and o.
func (t Task) same(o Task) bool {
	return t.Title == o.Title && t.Notes == o.Notes && t.Status == o.Status && t.Due.Equal(o.Due) &&
		t.Priority == o.Priority && t.Project == o.Project && slices.Equal(t.Tags, o.Tags)
}

func updateTasks(ctx context.Context, c call) (any, error) {
	in := struct {
		Tasks []struct {
			ID       string         `json:"id"`
			Title    *string        `json:"title"`
			Notes    *string        `json:"notes"`
			Status   *string        `json:"status"`
			Due      change[moment] `json:"due"`
			Priority *string        `json:"priority"`
			Project  change[string] `json:"project"`
			Tags     *[]string      `json:"tags"`
		} `json:"tasks"`
	}{}
	ps := decode(c.Args, &in)
	ps.count("tasks", len(in.Tasks), maxListed)
	ids := make([]string, len(in.Tasks))
	for i := range in.Tasks {
		t := &in.Tasks[i]
		at := func(key string) string { return jsondoc.Join(jsondoc.Index("tasks", i), key) }
		ps.id(at("id"), t.ID)
		if t.Title != nil {
			*t.Title = ps.text(at("title"), *t.Title, maxTitle)
		}
		if t.Notes != nil {
			ps.short(at("notes"), *t.Notes, maxNotes)
		}
		if t.Status != nil {
			*t.Status = ps.oneOf(at("status"), *t.Status, "", "open", "done", "cancelled")
		}
		if t.Priority != nil {
			*t.Priority = ps.oneOf(at("priority"), *t.Priority, "", "low", "normal", "high")
		}
		if t.Tags != nil {
			*t.Tags = ps.tags(at("tags"), *t.Tags)
		}
		ps.projectChange(at("project"), &t.Project)
		if slices.Contains(ids[:i], t.ID) {
			ps.Add(at("id"), "duplicate id; combine all changes of a task in a single entry")
		}
		ids[i] = t.ID
	}
	var changed []Task
	var missing []string
	err := c.write(ctx, ps, func(w Writer) error {
		changed, missing = []Task{}, []string{} // the transaction may be retried
		p, err := c.projects(ctx, w)
		if err != nil {
			return err
		}
		found, err := w.TasksByID(ctx, ids)
		if err != nil {
			return err
		}
		for _, t := range in.Tasks {
			n := slices.IndexFunc(found, func(f Task) bool { return f.ID == t.ID })
			if n < 0 {
				missing = append(missing, t.ID)
				continue
			}
			now := found[n]
			set(&now.Title, t.Title)
			set(&now.Notes, t.Notes)
			setUnlessEmpty(&now.Status, t.Status)
			setUnlessEmpty(&now.Priority, t.Priority)
			set(&now.Tags, t.Tags)
			if t.Due.given {
				now.Due = t.Due.value.Time
			}
			if t.Project.given {
				if now.Project, err = p.resolve(ctx, true, t.Project.value); err != nil {
					return err
				}
			}
			if !now.same(found[n]) {
				now.Updated = c.At
				if err := w.ChangeTask(ctx, now); err != nil {
					return err
				}
			}
			changed = append(changed, now)
		}
		return nil
	})
	return struct {
		Tasks   []Task   `json:"tasks"`
		Missing []string `json:"missing"`
	}{changed, missing}, err
}

// remove returns a tool that deletes the records with the given ids. The tool calls record for each id. record must
// return false if the record does not exist.
func remove(record func(w Writer, ctx context.Context, id string) (bool, error)) tool {
	return func(ctx context.Context, c call) (any, error) {
		in := struct {
			IDs []string `json:"ids"`
		}{}
		ps := decode(c.Args, &in)
		ps.count("ids", len(in.IDs), maxListed)
		seen := map[string]bool{}
		for i, id := range in.IDs {
			at := jsondoc.Index("ids", i)
			ps.id(at, id)
			if seen[id] {
				ps.Add(at, "duplicate id")
			}
			seen[id] = true
		}
		var out struct {
			Deleted []string `json:"deleted"`
			Missing []string `json:"missing"`
		}
		err := c.write(ctx, ps, func(w Writer) error {
			out.Deleted, out.Missing = []string{}, []string{} // the transaction may be retried
			for _, id := range in.IDs {
				ok, err := record(w, ctx, id)
				switch {
				case err != nil:
					return err
				case ok:
					out.Deleted = append(out.Deleted, id)
				default:
					out.Missing = append(out.Missing, id)
				}
			}
			return nil
		})
		return out, err
	}
}
