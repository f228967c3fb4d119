// This file defines the server, its configuration, and the interfaces that it uses.

package mcp

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"syscall"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
)

// Desk contains the methods of the review service that agents may use.
type Desk interface {
	Proposer
	Reader
	Previewer
}

// Proposer drafts, revises, and withdraws proposals, comments on them, and applies the rules to drafts.
type Proposer interface {
	Propose(ctx context.Context, actor proposals.Actor, drafts []proposals.Draft, submit bool) ([]proposals.Proposal, error)
	Revise(ctx context.Context, actor proposals.Actor, id proposals.ID, draft proposals.Draft) (proposals.Proposal, error)
	Submit(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error)
	Rebase(ctx context.Context, actor proposals.Actor, id proposals.ID) (proposals.Proposal, error)
	Withdraw(ctx context.Context, actor proposals.Actor, id proposals.ID, note string) (proposals.Proposal, error)
	Comment(ctx context.Context, actor proposals.Actor, id proposals.ID, body string, at review.Anchor) (proposals.Comment, error)
	Lint(ctx context.Context, actor proposals.Actor, draft proposals.Draft) (review.Lint, error)
	LintProposal(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Lint, error)
}

// Reader reads proposals.
type Reader interface {
	List(ctx context.Context, q review.Query) (review.Page, error)
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
	Resolve(ctx context.Context, refs ...string) ([]proposals.ID, error)
}

// Previewer renders the prompts that proposals would change.
type Previewer interface {
	Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error)
}

// Gateway finds and calls approved tools.
type Gateway interface {
	// Tools returns the profile of the caller's agent and the agent's tools.
	Tools(ctx context.Context, c gateway.Caller) (registry.Live, []registry.Entry, error)
	Search(ctx context.Context, c gateway.Caller, query string, limit int) ([]gateway.Hit, error)
	Describe(ctx context.Context, c gateway.Caller, name string) (gateway.Description, error)
	Execute(ctx context.Context, c gateway.Caller, r gateway.Request) (gateway.Result, error)
	// Outcome returns the outcome of the pending call with the given id.
	Outcome(ctx context.Context, c gateway.Caller, pending string) (gateway.Result, error)
}

// Upstream polls the current tool lists of upstream servers.
type Upstream interface {
	// Follow polls the server with the given name until ctx is done. It calls changed whenever a list differs from the
	// previous list.
	Follow(ctx context.Context, name string, changed func())
	// WaitPolled waits until the first poll of each of the named servers has succeeded or failed, or until ctx is done.
	WaitPolled(ctx context.Context, names []string)
	// Drifted reports whether t is missing in the newest list of its server, or whether the list contains a definition
	// of t that differs from the approved definition.
	Drifted(t *registry.Tool) bool
}

// Registry reads the approved definitions that clients may read. Its methods return proposals.ErrNotFound for unknown
// subjects.
type Registry interface {
	// Wait waits until another process may have approved a proposal. It returns a value that the caller must pass as
	// previous in the next call. In the first call, previous is 0. If the database does not announce changes, Wait
	// returns after interval.
	Wait(ctx context.Context, previous int64, interval time.Duration) int64
	// State returns a number that increases with every approval.
	State(ctx context.Context) (int64, error)
	// List returns the allow-list with the given id.
	List(ctx context.Context, id string) (registry.Live, error)
	// Files returns the live skills and instruction files of the view, without their definitions.
	Files(ctx context.Context) ([]registry.Live, error)
	// Version returns the version of s with the given number. The subject s must be in the view.
	Version(ctx context.Context, s registry.Subject, number int) (history.Version, error)
}

// Prompter renders the whole prompt of the caller's agent for a channel. The prompt contains the stored data of the
// caller's user and the current time.
type Prompter interface {
	Prompt(ctx context.Context, c gateway.Caller, channel string) (prompt.Output, error)
}

// Documents converts proposals and errors from and to the JSON documents that the command line also uses.
type Documents struct {
	// Draft parses the JSON form of a proposal. If complete is true, missing parts are errors.
	Draft func(text []byte, complete bool) (proposals.Draft, error)
	// Proposal, Dossier, Comment, and Finding return values that marshal to JSON objects.
	Proposal func(proposals.Proposal) any
	Dossier  func(review.Dossier) any
	Comment  func(proposals.Comment) any
	Finding  func(registry.Subject, review.Standing) any
	// Preview returns the JSON form of a preview: the future prompt of a channel, and its differences from the current
	// prompt.
	Preview func(impact.Preview) (any, error)
	// Fault returns the JSON form of an error.
	Fault func(error) Fault
}

// Fault is the JSON form of an error for agents.
type Fault struct {
	Code     string    `json:"code"`
	Message  string    `json:"message"`
	Problems []Problem `json:"problems,omitempty"`
	// Details of a provider's error.
	Details json.RawMessage `json:"details,omitempty"`
	// The id of the pending call that waits for the user.
	Pending string `json:"pending,omitempty"`
	// The id of the pending approval at the provider.
	ApprovalRequest string `json:"approval_request_id,omitempty"`
	// Other fields of the provider's answer.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// Problem is a problem of a request.
type Problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Rule    string `json:"rule,omitempty"`
}

// Config configures a server.
type Config struct {
	Desk      Desk // nil omits the tools for proposals
	Gateway   Gateway
	Upstream  Upstream // polls the tool lists of upstream servers; may be nil if Expose is ExposeMeta
	Registry  Registry
	Prompter  Prompter
	Documents Documents

	Version string // version of toolcrib
	// As is the actor of every client. If As is zero, each client acts as an agent with the name that the client
	// reports.
	As proposals.Actor
	// Caller is the caller of all lookups and calls. The server replaces the actor of Caller by the actor of the
	// client.
	Caller gateway.Caller
	// Expose selects the tools that the server lists; "" means ExposeMeta.
	Expose Expose
	// Every is the polling interval for approvals; 0 means DefaultEvery.
	Every time.Duration
	// Turn limits the number of requests that are processed at the same time; nil for no limit.
	Turn Turn
}

// Turn waits until a request may be processed. The caller must process the request in the returned context, and call
// done at the end.
type Turn func(ctx context.Context) (held context.Context, done func(), err error)

// DefaultEvery is the default of Config.Every.
const DefaultEvery = 500 * time.Millisecond

// Server serves agents. It is safe for concurrent use.
type Server struct {
	config  Config
	sdk     *sdk.Server
	heavy   chan struct{} // semaphore for calls with more than heavyArguments bytes of arguments
	own     []*sdk.Tool   // listed built-in tools
	written pageCache
}

// name is the server's name in serverInfo, and the name of the placeholders.
const name = "toolcrib"

// instructions are the instructions for the model.
const instructions = `toolcrib stores the tools and prompts of AI agents. Nothing changes without the user's approval.
` + proposingInstructions + `To use a tool: search_tools, describe_tool, execute_tool. A call that requires user approval waits as a pending call; poll its outcome with execute_tool and only the id of the pending call.`

const proposingInstructions = `To change a tool, a prompt or an agent: get the live definition (describe_tool), write the complete new definition, check it with lint_proposal, and submit it with propose_tool. The answer contains the findings; resolve them with revise_proposal. comment_proposal adds a comment for the user. preview_proposal shows how a proposal would change your own prompt. submit_proposal submits a draft, rebase_proposal merges a stale proposal onto the live version, and withdraw_proposal withdraws a proposal. Only the user can approve or reject a proposal.
`

// nativeInstructions are the instructions for a model that calls approved tools directly.
const nativeInstructions = `The user approved these tools, exactly as listed, through toolcrib.
A call that requires user approval does not run: the error contains the id of a pending call. Poll its outcome with call_outcome; do not retry.`

// instructionsFor contains the instructions for each value of Config.Expose.
var instructionsFor = map[Expose]string{
	"": instructions, ExposeMeta: instructions, ExposeTools: nativeInstructions,
	ExposeBoth: instructions + "\nYour approved tools are also listed, and you can call them directly.",
}

// maxMessage is the maximum size of a message from a client, in bytes.
const maxMessage = 28 << 20

// heavyArguments is the maximum length of arguments, in bytes, that are parsed without a limit on concurrency. Parsed
// arguments require a hundred times their length in memory. Therefore, only a few longer arguments are parsed at the
// same time.
const heavyArguments = 256 << 10

// New returns a server with the given configuration. It returns an error if c.As is not an agent, or if c.Upstream is
// missing.
func New(c Config) (*Server, error) {
	if c.As != (proposals.Actor{}) && c.As.Kind != proposals.Agent {
		return nil, fmt.Errorf("%w: an MCP client acts as an agent, not as %s; use --as agent:NAME", proposals.ErrAuthority, c.As)
	}
	if c.Expose.listsTools() && c.Upstream == nil {
		return nil, errors.New("mcp: Upstream is missing, so approved tools cannot be compared with the current tools of their servers")
	}
	if c.Every <= 0 {
		c.Every = DefaultEvery
	}
	s := &Server{config: c, heavy: make(chan struct{}, 2)}
	text := instructionsFor[c.Expose]
	if c.Desk == nil {
		text = strings.Replace(text, proposingInstructions, "", 1)
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: name, Title: "toolcrib", Version: c.Version}, &sdk.ServerOptions{
		Instructions:              text,
		Logger:                    slog.New(slog.DiscardHandler),
		SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"},
		Capabilities: &sdk.ServerCapabilities{
			Tools:     &sdk.ToolCapabilities{ListChanged: c.Expose.listsTools()},
			Prompts:   &sdk.PromptCapabilities{ListChanged: true},
			Resources: &sdk.ResourceCapabilities{ListChanged: true},
		},
	})
	s.sdk.AddReceivingMiddleware(s.intercept)
	if err := s.addTools(); err != nil {
		return nil, err
	}
	s.addPlaceholders()
	return s, nil
}

//go:embed tools.json
var toolsJSON []byte

// ProposalSchema returns the JSON Schema of the arguments of propose_tool. The arguments are the same as in a proposal
// file, with the additional flag draft.
func ProposalSchema() (json.RawMessage, error) {
	var listed []definition
	if err := json.Unmarshal(toolsJSON, &listed); err != nil {
		return nil, fmt.Errorf("mcp: the embedded tools: %w", err)
	}
	for _, d := range listed {
		if d.Name == "propose_tool" {
			return d.InputSchema, nil
		}
	}
	return nil, errors.New("mcp: the embedded tools lack propose_tool")
}

// runtimeTools are the tools that find and call approved tools.
var runtimeTools = []string{"search_tools", "describe_tool", "execute_tool", callOutcome}

// definition is an entry of a tool list, as in tools.json.
type definition struct {
	Name         string               `json:"name"`
	Title        string               `json:"title"`
	Description  string               `json:"description"`
	InputSchema  json.RawMessage      `json:"inputSchema"`
	OutputSchema json.RawMessage      `json:"outputSchema"`
	Annotations  *sdk.ToolAnnotations `json:"annotations"`
}

func (d definition) tool() *sdk.Tool {
	t := &sdk.Tool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema, Annotations: d.Annotations}
	if len(d.OutputSchema) > 0 {
		t.OutputSchema = d.OutputSchema
	}
	return t
}

// addTools adds the built-in tools to the SDK's server. The handlers parse the arguments without the SDK, because typed
// handlers of the SDK would coerce arguments and report errors without a path.
func (s *Server) addTools() error {
	var tools []definition
	if err := json.Unmarshal(toolsJSON, &tools); err != nil {
		return fmt.Errorf("mcp: the embedded tools: %w", err)
	}
	handlers := s.handlers()
	for _, d := range tools {
		if s.config.Desk == nil && !slices.Contains(runtimeTools, d.Name) {
			continue
		}
		handle, ok := handlers[d.Name]
		if !ok {
			return fmt.Errorf("mcp: the embedded tool %s has no handler", d.Name)
		}
		schema, err := jsondoc.Parse(d.InputSchema, jsondoc.DefaultLimits)
		if err != nil {
			return fmt.Errorf("mcp: the embedded tool %s: %w", d.Name, err)
		}
		var known []string
		if properties := schema.Get("properties"); properties != nil {
			for _, m := range properties.Members {
				known = append(known, m.Key)
			}
		}
		if (d.Name == callOutcome) == (s.config.Expose == ExposeTools) {
			s.own = append(s.own, d.tool())
			s.sdk.AddTool(d.tool(), s.handler(handle, known))
		}
	}
	return nil
}

// ServeStdio serves a single client until the client disconnects or ctx is done. It reads the client's messages from r
// and writes messages for the client to w.
func (s *Server) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.follow(ctx)
	to := &responseWriter{to: w}
	from := &messageReader{lines: bufio.NewReaderSize(r, 64<<10), out: to, last: 5 * time.Second}
	err := s.sdk.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(from), Writer: to, MaxLineLength: 2 * maxMessage})
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		return nil // the client has disconnected
	}
	return err
}
