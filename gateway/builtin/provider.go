// This file defines the provider of the built-in tools, and the records that the tools store.

package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"toolcrib/gateway"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Error codes of the built-in tools. The tools also return codes of package gateway.
const (
	CodeNotFound gateway.Code = "not_found"     // no record has the id
	CodeFull     gateway.Code = "limit_reached" // the user already has the maximum number of records of a type
)

// Options contains the settings and services of the tools.
type Options struct {
	NewID func() string // UUIDv7
	// Zone returns the IANA name of the time zone of the caller's user. An empty or unknown name means UTC. If Zone is
	// nil, the time zone of all users is UTC.
	Zone func(ctx context.Context, c gateway.Caller) (string, error)
}

// Provider runs the built-in tools. It implements gateway.Provider.
type Provider struct {
	store Store
	opts  Options
}

// New returns a provider that stores its data in store.
func New(store Store, opts Options) *Provider { return &Provider{store: store, opts: opts} }

// call is a running invocation.
type call struct {
	*Provider
	gateway.Invocation
	owner Owner
}

// tool implements a built-in tool. Run encodes the result as JSON.
type tool func(ctx context.Context, c call) (any, error)

// tools contains the built-in tools, keyed by their ids in the catalog.
var tools = map[string]tool{
	"get_tasks":           getTasks,
	"create_tasks":        createTasks,
	"update_tasks":        updateTasks,
	"delete_tasks":        remove(Writer.RemoveTask),
	"get_reminders":       getReminders,
	"create_reminders":    createReminders,
	"delete_reminders":    remove(Writer.RemoveReminder),
	"get_schedules":       getSchedules,
	"create_schedules":    createSchedules,
	"delete_schedules":    remove(Writer.RemoveSchedule),
	"create_memories":     createMemories,
	"search_memories":     searchMemories,
	"get_memories":        getMemories,
	"update_memories":     updateMemories,
	"delete_memories":     deleteMemories,
	"link_memories":       linkMemories,
	"get_entities":        getEntities,
	"search_entities":     searchEntities,
	"set_project":         setProject,
	"get_context":         getContext,
	"update_instructions": updateInstructions,
	"search_gmail":        notConnected,
	"get_gmail":           notConnected,
}

// Run implements gateway.Provider. It runs the built-in tool that Provider.Name in the definition specifies. If
// Provider.Name is empty, the id of the definition is the name of the built-in tool.
func (p *Provider) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	id := in.Tool.Definition.ID()
	if t := in.Tool.Definition.Tool; t != nil && t.Provider != nil && t.Provider.Name != "" {
		id = t.Provider.Name
	}
	run := tools[id]
	if run == nil {
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeNotConnected, Message: fmt.Sprintf("Unknown built-in tool %s; the definition of the tool must specify another provider.", jsondoc.Quote(id))}
	}
	if in.Caller.User == "" {
		return gateway.Output{}, fmt.Errorf("%s stores data for each user, but the call does not specify a user", id)
	}
	in.At = in.At.UTC().Truncate(time.Microsecond)
	out, err := run(ctx, call{Provider: p, Invocation: in, owner: Owner{Customer: in.Caller.Customer, User: in.Caller.User}})
	if err != nil {
		return gateway.Output{}, err
	}
	text, err := jsondoc.Encode(out)
	if err != nil {
		return gateway.Output{}, err
	}
	text = bytes.TrimSpace(text)
	return gateway.Output{Object: text, Structured: text}, nil
}

// read runs fn in a read transaction. If ps contains problems, read returns them as an error and does not run fn.
func (c call) read(ctx context.Context, ps problems, fn func(Reader) error) error {
	if err := ps.err(); err != nil {
		return err
	}
	return c.store.ReadAssistant(ctx, c.owner, c.At, fn)
}

// write runs fn in a write transaction. If ps contains problems, write returns them as an error and does not run fn.
func (c call) write(ctx context.Context, ps problems, fn func(Writer) error) error {
	if err := ps.err(); err != nil {
		return err
	}
	return c.store.WriteAssistant(ctx, c.owner, c.At, fn)
}

// agent returns the id of the calling agent. The conversation's project is stored under this id.
func (c call) agent() string {
	if s, err := registry.ParseSubject(c.Caller.Agent); err == nil {
		return s.ID
	}
	return c.Caller.Agent
}

// clock returns the time of the call, rounded down to a second and formatted for messages.
func (c call) clock() string { return timestamp(c.At.Truncate(time.Second)) }

// location returns the time zone of the caller's user.
func (c call) location(ctx context.Context) (*time.Location, error) {
	if c.opts.Zone == nil {
		return time.UTC, nil
	}
	name, err := c.opts.Zone(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	return cmp.Or(zone(name), time.UTC), nil
}

// zone returns the location with the given IANA name. It returns nil if the name is unknown, empty, or "local", which
// would be the time zone of this machine.
func zone(name string) *time.Location {
	if name == "" || strings.EqualFold(name, "local") {
		return nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return loc
}

// Connected reports whether the provider of t can run t. It returns false if t has the built-in provider but is not
// implemented there. For example, mail tools can run only after the user has approved a definition with another
// provider.
func Connected(t registry.Tool) bool {
	if t.Provider == nil || t.Provider.Type != registry.ProviderBuiltin {
		return true
	}
	id := cmp.Or(t.Provider.Name, t.ID)
	return id != "search_gmail" && id != "get_gmail" && tools[id] != nil
}

// notConnected implements tools that require an integration, such as mail tools. It always returns an error. It is not
// called for tools with an approved definition that specifies another provider, such as a hub.
func notConnected(context.Context, call) (any, error) {
	return nil, &gateway.Error{Code: gateway.CodeNotConnected, Message: "No mailbox is connected, so mail cannot be read; continue without mail, and tell the user to connect a mailbox.", NotRun: true}
}

// get implements the tools with names that begin with get_. If id is not nil, it returns the record with this id.
// Otherwise, it returns the first *limit records that match filter, and more reports whether further records match. If
// ps contains problems, get returns them as an error.
func get[T, F any](
	ctx context.Context, c call, ps *problems, byID func(r Reader, ctx context.Context, ids []string) ([]T, error),
	list func(r Reader, ctx context.Context, filter F, limit int) ([]T, error), id *string, filter F, limit *int,
) (records []T, more bool, err error) {
	most := ps.between("limit", limit, defaultLimit, maxLimit)
	ps.idFilter(id)
	err = c.read(ctx, *ps, func(r Reader) error {
		var err error
		if id != nil {
			records, err = byID(r, ctx, []string{*id})
		} else {
			records, err = list(r, ctx, filter, most+1)
		}
		return err
	})
	records, more = cut(records, most)
	return records, more, err
}

// listed returns a copy of list. The copy of a nil list is empty but not nil, so its JSON form is an array rather than
// null.
func listed[T any](list []T) []T { return append([]T{}, list...) }

// cut returns the first limit entries of list, and reports whether list has more entries.
func cut[T any](list []T, limit int) ([]T, bool) {
	if len(list) > limit {
		return list[:limit], true
	}
	return list, false
}

// Default and maximum number of records in a result.
const (
	defaultLimit = 50
	maxLimit     = 200
)

// idFilter checks the optional argument "id" of a tool that the get function implements.
func (ps *problems) idFilter(id *string) {
	if id != nil {
		ps.id("id", *id)
	}
}

// Known is the part of a user's stored data that appears in prompts.
type Known struct {
	Instructions string // standing instructions, set by update_instructions
	Notes        string // memories, one per line, the most important first
}

// Known returns the data of owner at the time t. Notes contains as many of the newest 200 memories as fit into a
// prompt. No memory is truncated. Memories are sorted by importance, and memories of the same importance by age, the
// newest first.
func (p *Provider) Known(ctx context.Context, owner Owner, t time.Time) (Known, error) {
	var known Known
	err := p.store.ReadAssistant(ctx, owner, t.UTC().Truncate(time.Microsecond), func(r Reader) error {
		var err error
		if known.Instructions, err = r.Instructions(ctx); err != nil {
			return err
		}
		memories, err := r.Memories(ctx, MemoryFilter{}, 200)
		slices.SortStableFunc(memories, func(a, b Memory) int { return cmp.Compare(b.Importance, a.Importance) })
		var lines []string
		room := prompt.MaxMemoryNotes
		for _, m := range memories {
			line := "- " + strings.Join(strings.Fields(m.Content), " ")
			if size := utf8.RuneCountInString(line) + 1; size <= room {
				room -= size
				lines = append(lines, line)
			}
		}
		known.Notes = strings.Join(lines, "\n")
		return err
	})
	return known, err
}

// Owner identifies the user to whom a record belongs.
type Owner struct {
	Customer string // "" for none
	User     string
}

// Task is a task of the user.
type Task struct {
	ID       string    `json:"id"` // UUIDv7
	Title    string    `json:"title"`
	Notes    string    `json:"notes,omitempty"`
	Status   string    `json:"status"` // open, done or cancelled
	Due      time.Time `json:"due,omitzero"`
	Priority string    `json:"priority"` // low, normal or high
	Project  string    `json:"project,omitempty"`
	Tags     []string  `json:"tags,omitempty"`
	Created  time.Time `json:"created_at"`
	Updated  time.Time `json:"updated_at"`
}

// Reminder is a text that an application should deliver to the user once.
type Reminder struct {
	ID      string // UUIDv7
	Text    string
	At      time.Time
	Sent    bool
	Task    string // id of an existing task; "" for none
	Channel string // "" for the channel that was last used
	Created time.Time
}

// Schedule is an instruction that an application should give to the agent repeatedly.
type Schedule struct {
	ID          string    `json:"id"` // UUIDv7
	Title       string    `json:"title"`
	Instruction string    `json:"instruction"`
	Cron        string    `json:"cron"`              // five fields
	Zone        string    `json:"timezone"`          // IANA name
	Channel     string    `json:"channel,omitempty"` // "" for the channel that was last used
	Ends        time.Time `json:"ends_at,omitzero"`
	Created     time.Time `json:"-"`
}

// Memory is a statement that an agent has stored about the user or the user's work.
type Memory struct {
	ID         string    `json:"id"` // UUIDv7
	Content    string    `json:"content"`
	Kind       string    `json:"kind"`       // fact, preference, event or note
	Importance int       `json:"importance"` // 1 to 5
	Project    string    `json:"project,omitempty"`
	Tags       []string  `json:"tags,omitempty"`
	Expires    time.Time `json:"-"`
	Created    time.Time `json:"created_at"`
	Updated    time.Time `json:"updated_at"`
	Entities   []string  `json:"-"` // names of linked entities, in no particular order
}

// Entity is a person or a thing that memories are linked to. An entity is deleted when its last link is deleted.
type Entity struct {
	ID       string   `json:"id"` // UUIDv7
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Aliases  []string `json:"aliases,omitempty"`
	Memories int      `json:"memories"`
}

// Link is a link from a memory to another memory or to an entity.
type Link struct {
	Memory   string
	Target   string
	ToEntity bool
	Relation string
	At       time.Time
}
