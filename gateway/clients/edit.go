package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Entry is the server that replaces all others in a wrapped file.
type Entry struct {
	Name    string
	Command string
	Args    []string
}

// What an edit is refused for.
var (
	// ErrNoServers is for a file without a server to replace.
	ErrNoServers = errors.New("no servers in this file")
	// ErrUneditable is for a file in which the servers cannot be replaced without
	// changing something else.
	ErrUneditable = errors.New("cannot be edited in place")
)

// Wrapped reports whether the entry is the only server, wherever the file has
// servers.
func (f *File) Wrapped(e Entry) bool {
	return len(f.Servers) > 0 && !slices.ContainsFunc(f.Servers, func(s Server) bool {
		return s.Name != e.Name || s.Command != e.Command || !slices.Equal(s.Args, e.Args) || s.Disabled || len(s.Env) > 0
	})
}

// Wrap returns the file with its servers replaced by one entry. A file that keeps
// servers for several projects, as ~/.claude.json does, gets the entry in each
// place that has servers. Wrapping a wrapped file changes nothing.
func (f *File) Wrap(e Entry) ([]byte, error) {
	if err := f.editable(); err != nil {
		return nil, err
	}
	if f.Wrapped(e) {
		return f.data, nil
	}
	after, err := f.replace(func(h holder, at []span) string {
		written := f.render(h, at, e)
		if bytes.Contains(f.data, []byte("\r\n")) {
			written = strings.ReplaceAll(written, "\n", "\r\n")
		}
		return written
	})
	if err != nil {
		return nil, err
	}
	got, err := f.check(after)
	if err != nil {
		return nil, err
	}
	if !got.Wrapped(e) {
		return nil, fmt.Errorf("%s: %w: the entry does not read back as it was written", f.Path, ErrUneditable)
	}
	return after, nil
}

// render writes the entry as the format has it, for the place of a holder.
func (f *File) render(h holder, at []span, e Entry) string {
	members := f.dialect.members(e)
	yaml := h.value.span == span{}
	switch {
	case f.lines != nil:
		header := slices.ContainsFunc(f.lines, func(x expression) bool { return x.header && x.span.from == at[0].from })
		return renderTOML(header, h.path, e, members)
	case yaml && h.value.kind == list:
		return renderYAML(h.path[0], append([]member{{"name", e.Name}}, members...))
	case yaml:
		return renderYAMLMap(h.path[0], e.Name, members)
	}
	return renderJSON(f.data, at[0], e, members)
}

// Restore returns the file with the servers of original, which is the same file
// from before it was wrapped, and with the present state of everything else.
// Tables of TOML that were separated by other tables or comments come back in one
// place.
func (f *File) Restore(original *File) ([]byte, error) {
	if err := errors.Join(f.editable(), original.editable()); err != nil {
		return nil, err
	}
	after, err := f.replace(func(h holder, _ []span) string {
		var parts strings.Builder
		for _, o := range original.held {
			if slices.Equal(o.path, h.path) {
				at, _ := original.regions(o)
				for i, s := range at {
					if i > 0 && s.from != at[i-1].to {
						parts.WriteString("\n\n") // what stood between them stays where it is
					}
					parts.Write(original.data[s.from:s.to])
				}
			}
		}
		return parts.String()
	})
	if err != nil {
		return nil, err
	}
	got, err := f.check(after)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(got.held, original.held, func(a, b holder) bool {
		return slices.Equal(a.path, b.path) && a.value.canonical(nil) == b.value.canonical(nil)
	}) {
		return nil, fmt.Errorf("%s: %w: the servers do not read back as they were", f.Path, ErrUneditable)
	}
	return after, nil
}

func (f *File) editable() error {
	switch {
	case f.root == nil && len(f.Problems) > 0:
		return f.Problems[0]
	case f.root == nil || f.unclear:
		return fmt.Errorf("%s: %w: a key is there twice", f.Path, ErrUneditable)
	case len(f.Servers) == 0:
		return fmt.Errorf("%s: %w", f.Path, ErrNoServers)
	}
	return nil
}

// regions returns the byte ranges that define the servers of a holder.
func (f *File) regions(h holder) ([]span, error) {
	var at []span
	switch {
	case f.lines != nil:
		at = tomlRegions(f.data, f.lines, h.path)
	case h.value.span != span{}:
		at = []span{h.value.span}
	case len(h.path) == 1:
		if s, ok := yamlRegion(f.data, f.root, h.path[0]); ok {
			at = []span{s}
		}
	}
	if len(at) == 0 {
		return nil, fmt.Errorf("%s: %w: the place of %s was not found", f.Path, ErrUneditable, strings.Join(h.path, "."))
	}
	return at, nil
}

// replace puts the text of each holder that has servers where its first region
// is and takes out the others. Every other byte stays.
func (f *File) replace(render func(holder, []span) string) ([]byte, error) {
	type edit struct {
		span
		text string
	}
	var edits []edit
	for _, h := range f.held {
		if len(h.value.fields)+len(h.value.items) == 0 {
			continue
		}
		at, err := f.regions(h)
		if err != nil {
			return nil, err
		}
		written := render(h, at)
		for i, s := range at {
			if i > 0 {
				written = ""
			}
			edits = append(edits, edit{s, written})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var after []byte
	last := 0
	for _, e := range edits {
		if e.from < last {
			return nil, fmt.Errorf("%s: %w: the servers overlap", f.Path, ErrUneditable)
		}
		after = append(append(after, f.data[last:e.from]...), e.text...)
		last = e.to
	}
	return append(after, f.data[last:]...), nil
}

// check parses the result of an edit and compares everything but the servers with
// the original.
func (f *File) check(after []byte) (File, error) {
	got := newFile(Client{ID: f.Client, dialect: f.dialect}, location{keys: f.keys}, f.Path, after)
	if got.root == nil {
		return got, fmt.Errorf("%w: the result would not parse: %w", ErrUneditable, got.Problems[0])
	}
	if f.rest() != got.rest() {
		return got, fmt.Errorf("%s: %w: more than the servers would change", f.Path, ErrUneditable)
	}
	return got, nil
}

// rest returns a text for everything in the file but the servers.
func (f *File) rest() string {
	without := map[*node]bool{}
	for _, h := range f.held {
		without[h.value] = true
	}
	return f.root.canonical(without)
}
