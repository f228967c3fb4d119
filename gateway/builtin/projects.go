package builtin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"toolcrib/gateway"
	"toolcrib/registry/jsondoc"
)

// maxProjects limits how many projects a user may have.
const maxProjects = 1_000

// projects caches a user's projects during a write.
type projects struct {
	w       Writer
	current string            // set for the conversation
	names   map[string]string // by key; nil if not loaded yet
}

func (c call) projects(ctx context.Context, w Writer) (*projects, error) {
	current, err := w.Project(ctx, c.agent())
	return &projects{w: w, current: current}, err
}

// resolve returns the project of an entry. A project that exists keeps its stored
// spelling, and a new one is created. Without a name, resolve returns the
// conversation's project.
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

// find returns the stored name of a project, or "" if there is none.
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

// add creates a project that does not exist.
func (p *projects) add(ctx context.Context, name string) (string, error) {
	if len(p.names) >= maxProjects {
		return "", &gateway.Error{Code: CodeFull, Message: fmt.Sprintf("There are %d projects, which is the limit; nothing was changed. Use one of them.", maxProjects)}
	}
	name = strings.Join(strings.Fields(name), " ")
	p.names[NameKey(name)] = name
	return name, p.w.AddProject(ctx, name)
}

// maxClose limits the number of similar names in an error.
const maxClose = 5

// close returns similar names, the most similar first.
func (p *projects) close(name string) []string {
	type candidate struct {
		name  string
		slips int
	}
	key := fold(NameKey(name))
	var found []candidate
	for k, n := range p.names {
		k = fold(k)
		switch most := max(2, len(key)/3); {
		case strings.Contains(k, key), strings.Contains(key, k):
			found = append(found, candidate{n, 1})
		case max(len(k)-len(key), len(key)-len(k)) <= most:
			if slips := levenshtein.ComputeDistance(k, key); slips <= most {
				found = append(found, candidate{n, slips})
			}
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.slips, b.slips), cmp.Compare(a.name, b.name))
	})
	found, _ = cut(found, maxClose)
	return docs(found, func(c candidate) string { return c.name })
}

type projectOut struct {
	Project *string `json:"project"`
	Created bool    `json:"created"`
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
	if err := ps.err(); err != nil {
		return nil, err
	}
	var out projectOut
	err := c.write(ctx, func(w Writer) error {
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
				return unknownProject(in.Project.value, p.close(in.Project.value))
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

// unknownProject returns the error for an unknown project, with similar names.
func unknownProject(name string, close []string) error {
	details, err := jsondoc.Marshal(map[string]any{"close": close})
	if err != nil {
		return err
	}
	message := fmt.Sprintf("There is no project %s, and none with a similar name; the project was not changed. Set create to true to create it.", jsondoc.Quote(name))
	if len(close) > 0 {
		message = fmt.Sprintf("There is no project %s; the project was not changed. Did you mean %s? Set create to true to create a new one.", jsondoc.Quote(name), strings.Join(docs(close, jsondoc.Quote), " or "))
	}
	return &gateway.Error{Code: CodeNotFound, Message: message, Details: details}
}
