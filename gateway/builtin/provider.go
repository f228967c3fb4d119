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

// Codes of the built-in tools, beside those of the gateway.
const (
	CodeNotFound gateway.Code = "not_found"     // what the call is about is not there
	CodeFull     gateway.Code = "limit_reached" // no more of it is kept
)

// Options are the settings and services that the tools need.
type Options struct {
	NewID func() string // UUIDv7
	// Zone returns the IANA name of the user's time zone; "" and unknown
	// names are UTC. nil is UTC for everybody.
	Zone func(ctx context.Context, c gateway.Caller) (string, error)
}

// Provider runs the built-in tools. It implements gateway.Provider.
type Provider struct {
	store Store
	opts  Options
}

// New returns a provider that keeps its data in store.
func New(store Store, opts Options) *Provider { return &Provider{store: store, opts: opts} }

// call is an invocation on its way through a tool.
type call struct {
	*Provider
	gateway.Invocation
	owner Owner
}

// tool runs the tool of one id. The result is marshalled.
type tool func(ctx context.Context, c call) (any, error)

// tools are the tools by their ids in the catalog.
var tools = map[string]tool{
	"get_tasks":           getTasks,
	"create_tasks":        createTasks,
	"update_tasks":        updateTasks,
	"delete_tasks":        deleteTasks,
	"get_reminders":       getReminders,
	"create_reminders":    createReminders,
	"delete_reminders":    deleteReminders,
	"get_schedules":       getSchedules,
	"create_schedules":    createSchedules,
	"delete_schedules":    deleteSchedules,
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

// Run implements gateway.Provider. The tool is the one that the definition's
// provider names, else the one with the definition's id.
func (p *Provider) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	id := in.Tool.Definition.ID()
	if t := in.Tool.Definition.Tool; t != nil && t.Provider != nil && t.Provider.Name != "" {
		id = t.Provider.Name
	}
	run := tools[id]
	if run == nil {
		return gateway.Output{}, &gateway.Error{Code: gateway.CodeNotConnected, Message: fmt.Sprintf("There is no built-in tool %s; its definition must name another provider.", jsondoc.Quote(id))}
	}
	if in.Caller.User == "" {
		return gateway.Output{}, fmt.Errorf("%s stores data per user, and the call names no user", id)
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

func (c call) read(ctx context.Context, fn func(Reader) error) error {
	return c.store.ReadAssistant(ctx, c.owner, c.At, fn)
}

func (c call) write(ctx context.Context, fn func(Writer) error) error {
	return c.store.WriteAssistant(ctx, c.owner, c.At, fn)
}

// agent returns the id of the agent that calls, whose conversation it is.
func (c call) agent() string {
	if s, err := registry.ParseSubject(c.Caller.Agent); err == nil {
		return s.ID
	}
	return c.Caller.Agent
}

// clock is the time of the call as messages have it.
func (c call) clock() string { return timestamp(c.At.Truncate(time.Second)) }

// location returns the user's time zone.
func (c call) location(ctx context.Context) (*time.Location, error) {
	if c.opts.Zone == nil {
		return time.UTC, nil
	}
	name, err := c.opts.Zone(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	if loc := zone(name); loc != nil {
		return loc, nil
	}
	return time.UTC, nil
}

// zone returns the location of an IANA time zone, nil when there is none of
// that name. What the machine calls local is not a zone of anybody.
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

// Connected reports whether a built-in provider runs t. Mail has none: its tools
// run once their approved definition names another provider.
func Connected(t registry.Tool) bool {
	if t.Provider == nil || t.Provider.Type != registry.ProviderBuiltin {
		return true
	}
	id := cmp.Or(t.Provider.Name, t.ID)
	return id != "search_gmail" && id != "get_gmail" && tools[id] != nil
}

// notConnected answers for tools that only an integration can run: their
// approved definition then names the hub as its provider.
func notConnected(context.Context, call) (any, error) {
	return nil, &gateway.Error{Code: gateway.CodeNotConnected, Message: "No mailbox is connected, so mail cannot be read; continue without it, and tell the user to connect one.", NotRun: true}
}

// source is where the records of one kind are read from.
type source[T, F any] struct {
	byID func(r Reader, ctx context.Context, ids []string) ([]T, error)
	list func(r Reader, ctx context.Context, filter F, limit int) ([]T, error)
}

// get answers a get_ tool: with the record that has id, where one was given,
// else with the first that a filter lets through. more reports whether there
// are others after limit of them. It refuses the call if ps has problems.
func get[T, F any](ctx context.Context, c call, ps *problems, from source[T, F], id *string, filter F, limit *int) (found []T, more bool, err error) {
	most := ps.between("limit", limit, defaultLimit, maxLimit)
	ps.idFilter(id)
	if err := ps.err(); err != nil {
		return nil, false, err
	}
	err = c.read(ctx, func(r Reader) error {
		var err error
		if id != nil {
			found, err = from.byID(r, ctx, []string{*id})
		} else {
			found, err = from.list(r, ctx, filter, most+1)
		}
		return err
	})
	found, more = cut(found, most)
	return found, more, err
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

// The limits of a list that is asked for.
const (
	defaultLimit = 50
	maxLimit     = 200
)

// idFilter checks the id that a get_ tool may be given.
func (ps *problems) idFilter(id *string) {
	if id != nil {
		ps.id("id", *id)
	}
}

// Known is the stored data of a user that prompts are rendered from.
type Known struct {
	Instructions string // standing instructions, as update_instructions keeps them
	Notes        string // memories, one a line, the most important first
}

// maxKnown limits how many of the newest memories are looked at for the notes.
const maxKnown = 200

// Known returns an owner's stored data that is valid at a time. The notes are as
// many whole memories as a prompt has room for, by importance, then newest first.
func (p *Provider) Known(ctx context.Context, of Owner, at time.Time) (Known, error) {
	var known Known
	err := p.store.ReadAssistant(ctx, of, at.UTC().Truncate(time.Microsecond), func(r Reader) error {
		var err error
		if known.Instructions, err = r.Instructions(ctx); err != nil {
			return err
		}
		memories, err := r.Memories(ctx, MemoryFilter{}, maxKnown)
		known.Notes = notes(memories)
		return err
	})
	return known, err
}

func notes(memories []Memory) string {
	memories = slices.Clone(memories)
	slices.SortStableFunc(memories, func(a, b Memory) int { return cmp.Compare(b.Importance, a.Importance) })
	var lines []string
	room := prompt.MaxMemoryNotes
	for _, m := range memories {
		line := "- " + strings.Join(strings.Fields(m.Content), " ")
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Owner is whose data it is.
type Owner struct {
	Customer string // "" for none
	User     string
}

// Task is something to be done.
type Task struct {
	ID       string // UUIDv7
	Title    string
	Notes    string
	Status   string // open, done or cancelled
	Due      time.Time
	Priority string // low, normal or high
	Project  string // "" for none
	Tags     []string
	Created  time.Time
	Updated  time.Time
}

// Reminder is delivered to the user once.
type Reminder struct {
	ID      string // UUIDv7
	Text    string
	At      time.Time
	Sent    bool
	Task    string // id of a task that is there; "" for none
	Channel string // "" for where the user was last active
	Created time.Time
}

// Schedule starts the agent again and again.
type Schedule struct {
	ID          string // UUIDv7
	Title       string
	Instruction string
	Cron        string // five fields
	Zone        string // IANA name
	Channel     string // "" for where the user was last active
	Ends        time.Time
	Created     time.Time
}

// Memory is a statement that is kept.
type Memory struct {
	ID         string // UUIDv7
	Content    string
	Kind       string // fact, preference, event or note
	Importance int    // 1 to 5
	Project    string // "" for none
	Tags       []string
	Expires    time.Time
	Created    time.Time
	Updated    time.Time
	Entities   []string // names of the entities it is linked to, in no order
}

// Entity is somebody or something that memories are linked to. One that no
// memory is linked to any more is not there.
type Entity struct {
	ID       string // UUIDv7
	Name     string
	Type     string
	Aliases  []string
	Memories int
}

// Link leads from a memory to a memory or an entity.
type Link struct {
	Memory   string
	Target   string
	ToEntity bool
	Relation string
	At       time.Time
}
