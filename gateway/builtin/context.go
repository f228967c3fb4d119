package builtin

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/registry/jsondoc"
)

// next is the maximum number of entries per section of the context.
const next = 5

type docTasks struct {
	Open    int       `json:"open"`
	Overdue int       `json:"overdue"`
	Next    []docTask `json:"next"`
}

// docContext has the parts that were asked for.
type docContext struct {
	Time         string         `json:"time,omitempty"`
	Timezone     string         `json:"timezone,omitempty"`
	Project      **string       `json:"project,omitempty"`
	Tasks        *docTasks      `json:"tasks,omitempty"`
	Reminders    *[]docReminder `json:"reminders,omitempty"`
	Schedules    *[]docSchedule `json:"schedules,omitempty"`
	Memories     *[]docMemory   `json:"memories,omitempty"`
	Instructions *string        `json:"instructions,omitempty"`
}

// parts lists the sections of the context.
func parts() []string {
	return []string{"time", "project", "tasks", "reminders", "schedules", "memories", "instructions"}
}

func getContext(ctx context.Context, c call) (any, error) {
	in := struct {
		Include *[]string `json:"include"`
	}{}
	ps := decode(c.Args, &in)
	include := parts()
	if in.Include != nil {
		include = *in.Include
		ps.count("include", len(include), len(parts()))
		for i, part := range include {
			ps.oneOf(jsondoc.Index("include", i), part, "", parts()...)
		}
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	var out docContext
	if slices.Contains(include, "time") {
		loc, err := c.location(ctx)
		if err != nil {
			return nil, err
		}
		out.Time, out.Timezone = c.At.In(loc).Format(time.RFC3339), loc.String()
	}
	err := c.read(ctx, func(r Reader) error {
		for _, part := range include {
			if err := c.part(ctx, r, part, &out); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// part adds one section to the context.
func (c call) part(ctx context.Context, r Reader, part string, out *docContext) error {
	switch part {
	case "project":
		name, err := r.Project(ctx, c.agent())
		var set *string
		if name != "" {
			set = &name
		}
		out.Project = &set
		return err
	case "tasks":
		open, overdue, err := r.CountTasks(ctx)
		if err != nil {
			return err
		}
		list, err := r.Tasks(ctx, TaskFilter{Status: "open"}, next)
		out.Tasks = &docTasks{Open: open, Overdue: overdue, Next: docs(list, Task.doc)}
		return err
	case "reminders":
		sent := false // unsent reminders, with overdue ones first
		list, err := r.Reminders(ctx, ReminderFilter{Sent: &sent}, next)
		out.Reminders = of(docs(list, Reminder.doc))
		return err
	case "schedules":
		all, err := r.Schedules(ctx)
		list, _ := cut(upcoming(all, c.At, false), next)
		out.Schedules = of(docs(list, due.doc))
		return err
	case "memories":
		list, err := r.Memories(ctx, MemoryFilter{}, next)
		out.Memories = of(docs(list, Memory.doc))
		return err
	case "instructions":
		text, err := r.Instructions(ctx)
		out.Instructions = &text
		return err
	}
	return nil
}

func of[T any](v T) *T { return &v }

// maxInstructions limits the standing instructions, in characters.
const maxInstructions = 2_000

func updateInstructions(ctx context.Context, c call) (any, error) {
	in := struct {
		Instructions *string `json:"instructions"`
	}{}
	ps := decode(c.Args, &in)
	text := ""
	if in.Instructions == nil {
		ps.missing("instructions", "the complete new text; an empty one removes all instructions")
	} else {
		text = strings.TrimSpace(*in.Instructions)
		ps.short("instructions", text, maxInstructions)
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	err := c.write(ctx, func(w Writer) error { return w.SetInstructions(ctx, text) })
	return struct {
		Instructions string `json:"instructions"`
		Characters   int    `json:"characters"`
	}{text, utf8.RuneCountInString(text)}, err
}
