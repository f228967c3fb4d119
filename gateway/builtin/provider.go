package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"toolcrib/gateway"
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
