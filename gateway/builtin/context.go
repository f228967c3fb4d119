// This file implements the tools for the context, the standing instructions, and projects.

package builtin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// next is the maximum number of records in a section of get_context's result.
const next = 5

type docTasks struct {
	Open    int    `json:"open"`
	Overdue int    `json:"overdue"`
	Next    []Task `json:"next"`
}

// docContext is the result of get_context. It contains only the requested sections.
type docContext struct {
	Time         string         `json:"time,omitempty"`
	Timezone     string         `json:"timezone,omitempty"`
	Project      **string       `json:"project,omitempty"`
	Tasks        *docTasks      `json:"tasks,omitempty"`
	Reminders    *[]docReminder `json:"reminders,omitempty"`
	Schedules    *[]due         `json:"schedules,omitempty"`
	Memories     *[]Memory      `json:"memories,omitempty"`
	Instructions *string        `json:"instructions,omitempty"`
}

// parts returns the names of all sections of get_context's result.
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
	err := c.read(ctx, ps, func(r Reader) error {
		for _, part := range include {
			if err := c.part(ctx, r, part, &out); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// part adds the named section to doc.
func (c call) part(ctx context.Context, r Reader, section string, doc *docContext) error {
	switch section {
	case "project":
		name, err := r.Project(ctx, c.agent())
		var set *string
		if name != "" {
			set = &name
		}
		doc.Project = &set
		return err
	case "tasks":
		open, overdue, err := r.CountTasks(ctx)
		if err != nil {
			return err
		}
		list, err := r.Tasks(ctx, TaskFilter{Status: "open"}, next)
		doc.Tasks = &docTasks{Open: open, Overdue: overdue, Next: listed(list)}
		return err
	case "reminders":
		sent := false // only unsent reminders
		list, err := r.Reminders(ctx, ReminderFilter{Sent: &sent}, next)
		doc.Reminders = new(lists.Map(list, Reminder.doc))
		return err
	case "schedules":
		all, err := r.Schedules(ctx)
		list, _ := cut(upcoming(all, c.At, false), next)
		doc.Schedules = new(listed(list))
		return err
	case "memories":
		list, err := r.Memories(ctx, MemoryFilter{}, next)
		doc.Memories = new(listed(list))
		return err
	case "instructions":
		text, err := r.Instructions(ctx)
		doc.Instructions = &text
		return err
	}
	return nil
}

// maxInstructions is the maximum length of the standing instructions, in characters.
const maxInstructions = 2_000

func updateInstructions(ctx context.Context, c call) (any, error) {
	in := struct {
		Instructions *string `json:"instructions"`
	}{}
	ps := decode(c.Args, &in)
	text := ""
	if in.Instructions == nil {
		ps.missing("instructions", "the complete new text, or an empty text to remove all instructions")
	} else {
		text = strings.TrimSpace(*in.Instructions)
		ps.short("instructions", text, maxInstructions)
	}
	err := c.write(ctx, ps, func(w Writer) error { return w.SetInstructions(ctx, text) })
	return struct {
		Instructions string `json:"instructions"`
		Characters   int    `json:"characters"`
	}{text, utf8.RuneCountInString(text)}, err
}

// maxProjects is the maximum number of projects that a user can have.
const maxProjects = 1_000

// projects caches the names of a user's projects during a transaction.
type projects struct {
	w       Writer
	current string            // name of the project that is set for the conversation; "" for none
	names   map[string]string // keyed by NameKey; nil before the first use
}

func (c call) projects(ctx context.Context, w Writer) (*projects, error) {
	current, err := w.Project(ctx, c.agent())
	return &projects{w: w, current: current}, err
}

// resolve returns the project of a new or changed record. If named is false, this is the project of the conversation.
// Otherwise, it is the project with the given name, in the stored spelling; resolve creates the project if it does not
// exist.
func (p *projects) resolve(ctx context.Context, named bool, name string) (string, error) {
	switch {
	case !named:
		return p.current, nil
	case name == "":
		return "", nil
	}
	known, err := p.find(ctx, name)
	if known != "" || err != nil {
		return known, err
	}
	return p.add(ctx, name)
}

// find returns the stored spelling of a project's name, or "" if the project does not exist.
func (p *projects) find(ctx context.Context, name string) (string, error) {
	if p.names == nil {
		all, err := p.w.Projects(ctx)
		if err != nil {
			return "", err
		}
		p.names = make(map[string]string, len(all))
		for _, n := range all {
			p.names[NameKey(n)] = n
		}
	}
	return p.names[NameKey(name)], nil
}

// add creates a project and returns its name. The project must not exist.
func (p *projects) add(ctx context.Context, name string) (string, error) {
	if len(p.names) >= maxProjects {
		return "", &gateway.Error{Code: CodeFull, Message: fmt.Sprintf("The limit of %d projects is reached; nothing was changed. Use an existing project.", maxProjects)}
	}
	name = strings.Join(strings.Fields(name), " ")
	p.names[NameKey(name)] = name
	return name, p.w.AddProject(ctx, name)
}

// unknown returns an error about a project that does not exist. The error suggests up to five existing projects with
// similar names, the most similar first.
func (p *projects) unknown(name string) error {
	score := map[string]float64{}
	for _, n := range p.names {
		if s := nameSimilarity(words(name), words(n)); s >= leastLikeness {
			score[n] = s
		}
	}
	similar, _ := cut(slices.SortedFunc(maps.Keys(score), func(a, b string) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b))
	}), 5)
	details, err := jsondoc.Marshal(map[string]any{"close": similar})
	if err != nil {
		return err
	}
	message := fmt.Sprintf("Project %s not found, and no project has a similar name. The current project was not changed. Set create to true to create the project.", jsondoc.Quote(name))
	if len(similar) > 0 {
		message = fmt.Sprintf("Project %s not found; the current project was not changed. Did you mean %s? Set create to true to create a new project.", jsondoc.Quote(name), strings.Join(lists.Map(similar, jsondoc.Quote), " or "))
	}
	return &gateway.Error{Code: CodeNotFound, Message: message, Details: details}
}

func setProject(ctx context.Context, c call) (any, error) {
	in := struct {
		Project change[string] `json:"project"`
		Create  bool           `json:"create"`
	}{}
	ps := decode(c.Args, &in)
	switch {
	case !in.Project.given:
		ps.Add("project", "expected the name of a project, or null for none")
	case !in.Project.null:
		in.Project.value = ps.text("project", in.Project.value, maxProjectName)
	}
	var out struct {
		Project *string `json:"project"`
		Created bool    `json:"created"`
	}
	err := c.write(ctx, ps, func(w Writer) error {
		p, err := c.projects(ctx, w)
		if err != nil {
			return err
		}
		if in.Project.null {
			return w.SetProject(ctx, c.agent(), "")
		}
		name, err := p.find(ctx, in.Project.value)
		if err != nil {
			return err
		}
		if name == "" {
			if !in.Create {
				return p.unknown(in.Project.value)
			}
			out.Created = true
			if name, err = p.add(ctx, in.Project.value); err != nil {
				return err
			}
		}
		out.Project = &name
		return w.SetProject(ctx, c.agent(), name)
	})
	return out, err
}
