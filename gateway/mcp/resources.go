package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/visible"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// The URI of a version: toolcrib://version/tool/user/scene_pacer/3.
const (
	uriPrefix   = "toolcrib://version/"
	uriTemplate = uriPrefix + "{kind}/{+layer}/{id}/{version}"
	uriType     = "application/json"
)

func uri(s registry.Subject, version int) string {
	return uriPrefix + string(s.Kind) + "/" + string(s.Layer) + "/" + s.ID + "/" + strconv.Itoa(version)
}

// parseURI reads what uri writes.
func parseURI(text string) (s registry.Subject, version int, ok bool) {
	rest, ok := strings.CutPrefix(text, uriPrefix)
	last := strings.LastIndexByte(rest, '/')
	if !ok || last < 0 {
		return s, 0, false
	}
	version, err := strconv.Atoi(rest[last+1:])
	if err != nil || version < 1 || strconv.Itoa(version) != rest[last+1:] {
		return s, 0, false
	}
	s, err = registry.ParseSubject(strings.Replace(rest[:last], "/", ":", 1))
	return s, version, err == nil
}

// versions reads the approved versions that an agent may use.
type versions struct {
	gateway  Gateway
	registry Registry
	caller   gateway.Caller
}

// own returns the definitions that the client may read: its agent's tools by id, then
// the agent, then the agent's allow-list. The client may also read the instructions
// that coding agents read from files.
func (s versions) own(ctx context.Context) ([]registry.Live, error) {
	profile, tools, err := s.gateway.Tools(ctx, s.caller)
	if err != nil {
		return nil, err
	}
	lives := make([]registry.Live, len(tools))
	for i, e := range tools {
		lives[i] = e.Live
	}
	slices.SortFunc(lives, func(a, b registry.Live) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	if profile.Version == 0 {
		return lives, nil
	}
	lives = append(lives, profile)
	if allowed := profile.Definition.Agent.AllowList; allowed != nil && allowed.Reference() {
		list, err := s.registry.List(ctx, allowed.Name)
		switch {
		case err == nil:
			lives = append(lives, list)
		case !errors.Is(err, proposals.ErrNotFound):
			return nil, err
		}
	}
	return lives, nil
}

// after reports whether a subject comes after another one in the order of own.
func after(s, last registry.Subject) bool {
	order := registry.SubjectKinds()
	if of, than := slices.Index(order, s.Kind), slices.Index(order, last.Kind); of != than {
		return of > than
	}
	return s.Kind == registry.KindTool && s.ID > last.ID || s.Kind.InFiles() && s.String() > last.String() // there is one agent, and one list
}

// all returns own, and the skills and the instruction files behind it.
func (s versions) all(ctx context.Context) ([]registry.Live, error) {
	lives, err := s.own(ctx)
	if err != nil {
		return nil, err
	}
	files, err := s.registry.Files(ctx)
	slices.SortFunc(files, func(a, b registry.Live) int {
		if after(a.Subject, b.Subject) {
			return 1
		}
		return -1
	})
	return append(lives, files...), err
}

// list is resources/list: the versions in force of the subjects of all. The cursor
// is the last subject of a page.
func (s versions) list(ctx context.Context, p *sdk.ListResourcesParams) (*sdk.ListResourcesResult, error) {
	cursor := ""
	if p != nil {
		cursor = p.Cursor
	}
	lives, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	if cursor != "" {
		last, err := registry.ParseSubject(cursor)
		if err != nil {
			return nil, invalid("the cursor is none of ours")
		}
		lives = slices.DeleteFunc(lives, func(l registry.Live) bool { return !after(l.Subject, last) })
	}
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: fresh()}
	if len(lives) > pageSize {
		lives = lives[:pageSize]
		out.NextCursor = lives[pageSize-1].Subject.String()
	}
	for _, l := range lives {
		out.Resources = append(out.Resources, &sdk.Resource{
			URI: uri(l.Subject, l.Version), Name: l.Subject.String(), Description: fmt.Sprintf("Version %d of %s, which is in force.", l.Version, l.Subject), MIMEType: uriType,
		})
	}
	return out, nil
}

// docVersion is a version as a resource.
type docVersion struct {
	Subject     string          `json:"subject"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	PrevHash    string          `json:"prev_hash"`
	Hash        string          `json:"hash"`
	Proposal    string          `json:"proposal"`
	Author      string          `json:"author"`
	DecidedBy   string          `json:"decided_by"`
	DecidedAt   time.Time       `json:"decided_at"`
	Note        string          `json:"note,omitempty"`
	Definition  json.RawMessage `json:"definition"`
}

// read is resources/read: one version.
func (s versions) read(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	subject, number, ok := parseURI(asked(ctx))
	if !ok {
		return nil, noResource(asked(ctx))
	}
	own, err := s.own(ctx)
	if err != nil {
		return nil, err
	}
	if !subject.Kind.InFiles() && !slices.ContainsFunc(own, func(l registry.Live) bool { return l.Subject == subject }) {
		return nil, noResource(asked(ctx))
	}
	v, err := s.registry.Version(ctx, subject, number)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil, noResource(asked(ctx))
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(docVersion{
		Subject: v.Subject.String(), Version: v.Number, ContentHash: v.ContentHash, PrevHash: v.PrevHash, Hash: v.Hash, Proposal: v.Proposal,
		Author: v.Author, DecidedBy: v.DecidedBy, DecidedAt: v.DecidedAt, Note: v.Note, Definition: v.Definition,
	})
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{
		Cacheable: sdk.Cacheable{CacheScope: "private", TTLMs: int((24 * time.Hour).Milliseconds())}, // a version never changes
		Contents:  []*sdk.ResourceContents{{URI: asked(ctx), MIMEType: uriType, Text: string(visible.JSON(text))}},
	}, nil
}

// noResource is the error for an unknown URI. The SDK's own error writes the URI
// in Go syntax, which is no JSON where it has a control character, and no answer
// could be sent.
func noResource(uri string) error {
	data, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	none := sdk.ResourceNotFoundError(uri)
	var wire *jsonrpc.Error
	if errors.As(none, &wire) {
		wire.Data = visible.JSON(data)
	}
	return none
}

// pageSize sets how many prompts or resources one page lists.
const pageSize = 100

// askedKey is the key of the name or URI that a client asked for.
type askedKey struct{}

// intercept reads prompts and versions from the registry on request: the SDK would
// want each in memory. It has one of each, as a placeholder.
func (s *Server) intercept(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, done, err := s.turn(ctx, req)
		if err != nil {
			return nil, err
		}
		defer done()
		native := s.config.Expose.native()
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			if native {
				return answer(s.native.list(ctx, r.Params))
			}
		case *sdk.CallToolRequest:
			if native && !s.native.owns(r.Params.Name) {
				ctx = context.WithValue(ctx, askedKey{}, r.Params.Name)
				one, params := *r, *r.Params
				params.Name, one.Params = name, &params
				req = &one
			}
		case *sdk.ListPromptsRequest:
			return answer(s.prompts.list(ctx, r.Params))
		case *sdk.ListResourcesRequest:
			return answer(s.versions.list(ctx, r.Params))
		case *sdk.ListResourceTemplatesRequest:
			return &sdk.ListResourceTemplatesResult{Cacheable: fresh(), ResourceTemplates: []*sdk.ResourceTemplate{{
				URITemplate: uriTemplate, Name: "version", Title: "A version", MIMEType: uriType,
				Description: "Every version that was ever approved of the tools that you have, of your agent, of the allow-list that it names, and of skills and instruction files: kind is tool, agent, list, skill or instructions, layer is global, user or project/NAME.",
			}}}, nil
		case *sdk.GetPromptRequest:
			ctx = context.WithValue(ctx, askedKey{}, r.Params.Name)
			one, params := *r, *r.Params
			params.Name, one.Params = name, &params
			req = &one
		case *sdk.ReadResourceRequest:
			ctx = context.WithValue(ctx, askedKey{}, r.Params.URI)
			one, params := *r, *r.Params
			params.URI, one.Params = uriPrefix, &params
			req = &one
		}
		res, err := next(ctx, method, req)
		if own := new(jsonrpc.Error); err != nil && method == "initialize" && !errors.As(err, &own) {
			err = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
		}
		return res, err
	}
}

// turn waits for a turn for a request that takes a processor.
func (s *Server) turn(ctx context.Context, req sdk.Request) (held context.Context, done func(), err error) {
	switch req.(type) {
	case *sdk.ListToolsRequest, *sdk.CallToolRequest, *sdk.ListPromptsRequest, *sdk.GetPromptRequest, *sdk.ListResourcesRequest, *sdk.ReadResourceRequest:
		if s.config.Turn != nil {
			return s.config.Turn(ctx)
		}
	}
	return ctx, func() {}, nil
}

// asked returns the name or URI in the client's request.
func asked(ctx context.Context) string {
	text, _ := ctx.Value(askedKey{}).(string)
	return text
}

// stand adds one placeholder prompt and resource to the SDK, and a placeholder tool if
// approved tools are listed. It also notifies clients that the lists changed, because
// the SDK does so whenever a placeholder is added again.
func (s *Server) stand() {
	if s.config.Expose.native() {
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, s.callNative)
	}
	s.sdk.AddPrompt(&sdk.Prompt{Name: name}, s.prompts.get)
	s.sdk.AddResource(&sdk.Resource{URI: uriPrefix, Name: name}, s.versions.read)
}

// answer keeps a nil result from becoming one that is not nil.
func answer[R sdk.Result](r R, err error) (sdk.Result, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// fresh reports that a list is stale as soon as it is read, so that clients cache
// none.
func fresh() sdk.Cacheable { return sdk.Cacheable{CacheScope: "private"} }

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// follower notifies clients of approvals in any process, and of changes of approved
// tools on their upstream servers.
type follower struct {
	registry Registry
	every    time.Duration
	native   *nativeTools
	changed  func() // notifies clients that their lists changed
}

// follow notifies clients until ctx ends. It returns once the servers are being asked.
func (f follower) follow(ctx context.Context) {
	last, _ := f.registry.State(ctx) // what cannot be read now is read at the next turn
	followed := map[string]bool{}
	f.upstream(ctx, followed)
	go f.poll(ctx, last, followed)
}

// poll looks again and again whether something was approved since last.
func (f follower) poll(ctx context.Context, last int64, followed map[string]bool) {
	for told := int64(0); ; {
		told = f.registry.Wait(ctx, told, f.every)
		if ctx.Err() != nil {
			return
		}
		state, err := f.registry.State(ctx)
		if err != nil || state == last {
			continue
		}
		last = state
		f.upstream(ctx, followed)
		f.changed()
	}
}

// upstream follows the lists of the servers of the exposed tools until ctx ends, and
// notifies clients of changes.
func (f follower) upstream(ctx context.Context, known map[string]bool) {
	if !f.native.expose.native() {
		return
	}
	entries, err := f.native.exposed(ctx)
	if err != nil {
		return // the list itself reports it
	}
	for _, name := range upstreamServers(entries) {
		if !known[name] {
			known[name] = true
			f.native.upstream.Follow(ctx, []string{name}, f.changed)
		}
	}
}

// agentPrompt is the prompt that is not a tool: the whole prompt of the agent. No
// tool can have its name, as ids have no hyphen.
const agentPrompt = "agent-prompt"

// prompts are what an agent has been given to read: its whole prompt and its prompt
// tools.
type prompts struct {
	gateway  Gateway
	prompter Prompter
	caller   gateway.Caller
}

// list is prompts/list: the whole prompt of the agent, then its prompt tools by id.
func (s prompts) list(ctx context.Context, p *sdk.ListPromptsParams) (*sdk.ListPromptsResult, error) {
	after := ""
	if p != nil {
		after = p.Cursor
	}
	if after != "" && !registry.ValidID(after) {
		return nil, invalid("the cursor is none of ours")
	}
	profile, tools, err := s.gateway.Tools(ctx, s.caller)
	if err != nil {
		return nil, err
	}
	out := &sdk.ListPromptsResult{Prompts: []*sdk.Prompt{}, Cacheable: fresh()}
	if after == "" && profile.Version > 0 {
		out.Prompts = append(out.Prompts, &sdk.Prompt{
			Name: agentPrompt, Title: "The prompt of " + visible.Line(profile.Definition.Name()),
			Description: "The whole prompt of " + profile.Subject.String() + " for a channel, with the user's instructions and notes as they are stored now.",
			Arguments:   []*sdk.PromptArgument{{Name: "channel", Description: "Such as web or telegram; web when it is left out."}},
		})
	}
	tools = slices.DeleteFunc(tools, func(e registry.Entry) bool {
		return e.Definition.Tool.Kind != registry.PromptTool || e.Subject.ID <= after
	})
	slices.SortFunc(tools, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	if len(tools) > pageSize {
		tools = tools[:pageSize]
		out.NextCursor = tools[pageSize-1].Subject.ID
	}
	for _, l := range tools {
		t := l.Definition.Tool
		out.Prompts = append(out.Prompts, &sdk.Prompt{
			Name: t.WireName(), Title: visible.Line(t.Name), Description: visible.Text(about(*t)), Arguments: promptArguments(*t),
			Meta: sdk.Meta{"toolcrib/version": l.Version, "toolcrib/contentHash": l.ContentHash},
		})
	}
	return out, nil
}

// about returns the description of a prompt tool.
func about(t registry.Tool) string {
	if t.Description != "" {
		return t.Description
	}
	return t.UsageNotes
}

// promptArguments are the properties that the schema of a prompt tool names.
func promptArguments(t registry.Tool) []*sdk.PromptArgument {
	n, err := jsondoc.Parse(t.InputSchema, jsondoc.DefaultLimits)
	if err != nil {
		return nil
	}
	required := map[string]bool{}
	if list := n.Get("required"); list != nil {
		for _, item := range list.Items {
			required[item.Text] = true
		}
	}
	var args []*sdk.PromptArgument
	if properties := n.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			a := &sdk.PromptArgument{Name: m.Key, Required: required[m.Key]}
			if d := m.Value.Get("description"); d != nil && d.Kind == jsondoc.String {
				a.Description = visible.Text(d.Text)
			}
			args = append(args, a)
		}
	}
	return args
}

// whole is prompts/get of the agent's own prompt.
func (s prompts) whole(ctx context.Context, p *sdk.GetPromptParams) (*sdk.GetPromptResult, error) {
	channel := prompt.Web
	for key, value := range p.Arguments {
		if key != "channel" || !registry.ValidChannel(value) {
			return nil, invalid("%s has one argument, channel: a name such as web or telegram", agentPrompt)
		}
		channel = value
	}
	out, err := s.prompter.Prompt(ctx, s.caller, channel)
	if errors.Is(err, proposals.ErrNotFound) {
		return nil, invalid("%s", err.Error())
	}
	if err != nil {
		return nil, err
	}
	return &sdk.GetPromptResult{
		Description: "The prompt for the channel " + channel + ".",
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: out.Text}}},
	}, nil
}

// get is prompts/get: the text of a prompt tool as an agent gets it in its
// catalog, and its input.
func (s prompts) get(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	p := req.Params
	if asked(ctx) == agentPrompt {
		return s.whole(ctx, p)
	}
	d, err := s.gateway.Describe(ctx, s.caller, asked(ctx))
	var refused *gateway.Error
	if errors.As(err, &refused) || err == nil && d.Tool.Definition.Tool.Kind != registry.PromptTool {
		return nil, invalid("you have no prompt tool called %s", jsondoc.Quote(asked(ctx)))
	}
	if err != nil {
		return nil, err
	}
	l := d.Tool
	t := *l.Definition.Tool
	given := jsondoc.NewObject()
	known := map[string]bool{}
	for _, a := range promptArguments(t) {
		known[a.Name] = true
		v, ok := p.Arguments[a.Name]
		if !ok && a.Required {
			return nil, invalid("arguments.%s is missing", a.Name)
		}
		if ok {
			given.Set(a.Name, jsondoc.NewString(v))
		}
	}
	for key := range p.Arguments {
		if !known[key] {
			return nil, invalid("%s is no argument of %s", jsondoc.Quote("arguments."+key), t.ID)
		}
	}
	out := prompt.Render(prompt.Input{
		Agent: registry.Agent{PromptTemplate: "$tool_catalog"}, Tools: []prompt.Tool{{Tool: &t, Locked: l.Locked}},
	}, "web")
	text := out.Text
	if len(given.Members) > 0 {
		text += "\n\nUse it now with these arguments:\n\n" + string(jsondoc.Indent(given))
	}
	return &sdk.GetPromptResult{
		Description: visible.Text(about(t)),
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: strings.TrimRight(text, "\n")}}},
	}, nil
}

// Expose is which tools a client is listed.
type Expose string

// Sets of tools that can be exposed. Prompts and resources are the same for all.
const (
	// ExposeMeta lists toolcrib's own tools, which find and call the approved
	// ones and propose changes. It is the default.
	ExposeMeta Expose = "meta"
	// ExposeTools lists the approved tools as the server's own, and call_outcome
	// for calls that wait for the user.
	ExposeTools Expose = "tools"
	// ExposeBoth lists both. A name of toolcrib's own is not given away.
	ExposeBoth Expose = "both"
)

// callOutcome is the tool that replaces execute_tool if that is not listed.
const callOutcome = "call_outcome"

// lists reports whether one of toolcrib's own tools is listed.
func (e Expose) lists(own string) bool {
	if own == callOutcome {
		return e == ExposeTools
	}
	return e != ExposeTools
}

// native reports whether approved tools are listed.
func (e Expose) native() bool { return e == ExposeTools || e == ExposeBoth }

// nativeTools are the approved tools of an agent as a list of tools, behind those of
// toolcrib's own.
type nativeTools struct {
	expose   Expose
	gateway  Gateway
	upstream Upstream
	caller   gateway.Caller
	own      []*sdk.Tool // toolcrib's own tools, those that are listed
	// written has the approved tools as they are listed.
	written writtenPages
}

// owns reports whether a name is that of a tool of toolcrib's own.
func (s *nativeTools) owns(name string) bool {
	return slices.ContainsFunc(s.own, func(t *sdk.Tool) bool { return t.Name == name })
}

// list is tools/list with approved tools: toolcrib's own first, then those of
// the agent by id, each with its approved definition under its one name.
func (s *nativeTools) list(ctx context.Context, p *sdk.ListToolsParams) (*sdk.ListToolsResult, error) {
	after := ""
	if p != nil {
		after = p.Cursor
	}
	if after != "" && !registry.ValidID(after) {
		return nil, invalid("the cursor is none of ours")
	}
	entries, err := s.exposed(ctx)
	if err != nil {
		return nil, err
	}
	s.await(ctx, entries)
	entries = slices.DeleteFunc(entries, func(e registry.Entry) bool {
		return e.Subject.ID <= after || s.upstream.Drifted(e.Definition.Tool)
	})
	slices.SortFunc(entries, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	out := &sdk.ListToolsResult{Tools: []*sdk.Tool{}, Cacheable: fresh()}
	if after == "" {
		out.Tools = append(out.Tools, s.own...)
	}
	if len(entries) > pageSize {
		entries = entries[:pageSize]
		out.NextCursor = entries[pageSize-1].Subject.ID
	}
	approved, err := s.written.of(entries)
	out.Tools = append(out.Tools, approved...)
	return out, err
}

// exposed returns the approved tools of the agent.
func (s *nativeTools) exposed(ctx context.Context) ([]registry.Entry, error) {
	_, entries, err := s.gateway.Tools(ctx, s.caller)
	return slices.DeleteFunc(entries, func(e registry.Entry) bool {
		t := e.Definition.Tool
		return t.Kind != registry.ActionTool || s.owns(t.WireName())
	}), err
}

// upstreamTime sets how long a list waits for servers that have not yet said what
// they list. The tools of a slower one are listed as they were approved, and the
// client hears when that turns out to be wrong.
const upstreamTime = 10 * time.Second

// await waits for the first answers of the servers of tools: a client may
// read the list only once.
func (s *nativeTools) await(ctx context.Context, entries []registry.Entry) {
	ctx, stop := context.WithTimeout(ctx, upstreamTime)
	defer stop()
	s.upstream.Asked(ctx, upstreamServers(entries))
}

// upstreamServers returns the names of the MCP servers that tools are from.
func upstreamServers(entries []registry.Entry) []string {
	var names []string
	for _, e := range entries {
		p := e.Definition.Tool.Provider
		if p != nil && p.Type == registry.ProviderMCP && !slices.Contains(names, p.Server) {
			names = append(names, p.Server)
		}
	}
	return names
}

// maxWritten is how many pages of approved tools are kept as they are listed.
const maxWritten = 32

// writtenPages caches pages of approved tools, by the versions on them, because
// clients request the same list repeatedly. It is safe for concurrent use; callers
// must not change the returned tools.
type writtenPages struct {
	mu    sync.Mutex
	pages map[string][]*sdk.Tool
}

// of returns entries as they are listed.
func (w *writtenPages) of(entries []registry.Entry) ([]*sdk.Tool, error) {
	fields := make([]string, 0, 2*len(entries))
	for _, e := range entries {
		fields = append(fields, e.Subject.String()+" "+strconv.Itoa(e.Version), e.ContentHash)
	}
	key := history.Seal(fields...)
	w.mu.Lock()
	known, ok := w.pages[key]
	w.mu.Unlock()
	if ok {
		return known, nil
	}
	tools, err := approvedTools(entries)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.pages) >= maxWritten || w.pages == nil {
		w.pages = map[string][]*sdk.Tool{}
	}
	w.pages[key] = tools
	return tools, nil
}

// approvedTools writes tools as an MCP server lists them, with the approved
// version and its hash.
func approvedTools(entries []registry.Entry) ([]*sdk.Tool, error) {
	all := make([]wire.Listed, len(entries))
	for i, e := range entries {
		all[i].Tool = *e.Definition.Tool
	}
	text, _, err := wire.Encode(wire.MCP, all)
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []definition `json:"tools"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	tools := make([]*sdk.Tool, len(entries))
	for i, d := range list.Tools {
		tools[i] = d.tool()
		tools[i].Meta = sdk.Meta{"toolcrib/version": entries[i].Version, "toolcrib/contentHash": entries[i].ContentHash}
	}
	return tools, nil
}

// callNative implements tools/call of an approved tool. The call passes every gate,
// as by execute_tool, but the result is that of the tool itself. A name that is not
// listed is an error of the protocol.
func (s *Server) callNative(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := asked(ctx)
	var unknown error
	run := func(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
		r, err := s.config.Gateway.Execute(ctx, s.caller(actor), gateway.Request{Tool: name, Args: jsondoc.Canonical(args)})
		var refused *gateway.Error
		if errors.As(err, &refused) && refused.Code == gateway.CodeUnknown {
			unknown = invalid("unknown tool %q: %s", name, refused.Message)
		}
		return nativeRun(r), err
	}
	r, err := s.handler(run, nil)(ctx, req)
	if unknown != nil {
		return nil, unknown
	}
	if err == nil && r.IsError {
		r.StructuredContent = nil // clients hold it against the tool's own output schema
	}
	return r, err
}

// outcome is call_outcome: the outcome of a call that waited for the user.
func (s *Server) outcome(ctx context.Context, actor proposals.Actor, args *jsondoc.Node) (any, error) {
	var in struct {
		Pending string `json:"pending"`
	}
	if err := bind(args, &in, "pending"); err != nil {
		return nil, err
	}
	r, err := s.config.Gateway.Outcome(ctx, s.caller(actor), in.Pending)
	return nativeRun(r), err
}

// nativeRun is the result of a call, to be returned as that of the tool itself.
type nativeRun gateway.Result

// result returns what an MCP server answered with, as it came, and what another
// provider did as a structured result.
func (r nativeRun) result() (*sdk.CallToolResult, error) {
	out, err := result(r.Output, false)
	if err != nil {
		return nil, err
	}
	var theirs sdk.CallToolResult
	if json.Unmarshal(r.Output, &theirs) == nil && theirs.Content != nil {
		var exact struct {
			Structured json.RawMessage `json:"structuredContent"` // with every digit of its numbers
		}
		if err := json.Unmarshal(r.Output, &exact); err != nil {
			return nil, err
		}
		out.Content, out.StructuredContent = theirs.Content, nil
		if len(exact.Structured) > 0 {
			out.StructuredContent = exact.Structured
		}
	}
	out.Meta = sdk.Meta{"toolcrib/call": r.Call, "toolcrib/tool": r.Tool.String(), "toolcrib/version": r.Version}
	if len(r.Warnings) > 0 {
		out.Meta["toolcrib/warnings"] = r.Warnings
	}
	if len(r.Answer) > 0 {
		out.Meta["toolcrib/answer"] = r.Answer
	}
	return out, nil
}

// howToPoll adds to a refusal that waits for the user how to learn what became
// of the call, for a client that has call_outcome.
func (s *Server) howToPoll(err error) error {
	var refused *gateway.Error
	if s.config.Expose != ExposeTools || !errors.As(err, &refused) || refused.Pending == "" {
		return err
	}
	told := *refused
	told.Message = fmt.Sprintf("%s Ask %s with {\"pending\":%q}.", refused.Message, callOutcome, refused.Pending)
	return &told
}
