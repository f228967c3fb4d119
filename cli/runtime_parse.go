package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway"
	"toolcrib/gateway/builtin"
	"toolcrib/prompt"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
)

type docParsed struct {
	output.Head
	Protocol string          `json:"protocol"`
	Calls    []docParsedCall `json:"calls"`
	Problems []docParseFault `json:"problems"`
	Display  string          `json:"display"`
}

type docParsedCall struct {
	Tool     string          `json:"tool"` // its id
	WireName string          `json:"wire_name"`
	Subject  string          `json:"subject"`
	Version  int             `json:"version"`
	Name     string          `json:"name"` // as it was called
	Args     json.RawMessage `json:"args"`
	Line     int             `json:"line,omitempty"`
}

type docParseFault struct {
	Line    int    `json:"line"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The protocols by which models call tools.
const (
	protocolTags = "tags"
	protocolJSON = "json"
)

func newParse(a *command.App) *cobra.Command {
	var who command.CallerFlags
	var protocol, nonce string
	cmd := &cobra.Command{
		Use:   "parse [FILE | -] --agent A",
		Short: "Find the tool calls in a model's answer",
		Long: `Print the calls in a model's answer, for the tools of an agent. Nothing runs.

tags    lines "PREFIX: argument", as the tags of the agent's tools define them.
        Lines that begin like a call but are not valid are listed, with exit
        status 6. Lines of tools that ask for it are stripped from the text
        shown to the user.
json    the whole answer is one object {"tool":…,"args":{…},"nonce":…} with the nonce
        of the turn. Otherwise the error has one of the codes
        tool_call_invalid_format, tool_call_multiple, tool_call_unknown_tool,
        tool_call_invalid_args, tool_call_nonce_invalid.`,
		Example: `  toolcrib parse answer.txt --agent assistant
  toolcrib parse call.json --agent assistant --protocol json --nonce 7f3a`,
		Args: command.Between(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{"-"}
			}
			return runParse(cmd.Context(), a, who, files[0], protocol, nonce)
		},
	}
	who.Register(cmd.Flags())
	cmd.Flags().StringVar(&protocol, "protocol", protocolTags, "`tags` or json")
	cmd.Flags().StringVar(&nonce, "nonce", "", "the `NONCE` that the model was given for this turn")
	return cmd
}

func runParse(ctx context.Context, a *command.App, who command.CallerFlags, file, protocol, nonce string) error {
	switch {
	case protocol != protocolTags && protocol != protocolJSON:
		return process.Usagef("--protocol is %q; write tags or json", protocol)
	case protocol == protocolJSON && nonce == "":
		return process.Usagef("the json protocol needs the nonce of the turn: --nonce NONCE")
	case protocol == protocolTags && nonce != "":
		return process.Usagef("--nonce belongs to --protocol json")
	}
	caller, err := who.Acting(a)
	if err != nil {
		return err
	}
	answer, err := a.ReadAll(ctx, file)
	if err != nil {
		return err
	}
	doc := docParsed{Head: output.NewHead("parsed"), Protocol: protocol, Calls: []docParsedCall{}, Problems: []docParseFault{}}
	err = a.WithGateway(ctx, func(g *command.OpenGateway) error {
		if protocol == protocolJSON {
			call, err := g.ParseJSON(ctx, caller, string(answer), nonce)
			if err == nil {
				doc.Calls = append(doc.Calls, newDocParsedCall(call))
			}
			return err
		}
		parsed, err := g.ParseTags(ctx, caller, string(answer))
		doc.Calls, doc.Display = output.Mapped(parsed.Calls, newDocParsedCall), parsed.Display
		doc.Problems = output.Mapped(parsed.Problems, func(p gateway.ParseProblem) docParseFault {
			return docParseFault{Line: p.Line, Code: string(p.Code), Message: p.Message}
		})
		return err
	})
	if err != nil {
		return err
	}
	return a.PrintChecked(doc, len(doc.Problems) == 0, func(p *output.Page) { writeParsed(p, doc) })
}

func newDocParsedCall(c gateway.ParsedCall) docParsedCall {
	return docParsedCall{
		Tool: c.Tool.Subject.ID, WireName: c.Tool.Definition.Tool.WireName(), Subject: c.Tool.Subject.String(), Version: c.Tool.Version, Name: c.Name, Args: c.Args, Line: c.Line,
	}
}

func writeParsed(p *output.Page, doc docParsed) {
	for _, c := range doc.Calls {
		p.Linef("%s %s", c.WireName, string(c.Args))
	}
	for _, f := range doc.Problems {
		p.Linef("line %d: %s: %s", f.Line, f.Code, f.Message)
	}
	if len(doc.Calls)+len(doc.Problems) == 0 {
		p.Linef("There is no call in it.")
	}
}

// sceneFlags hold the context that a prompt is rendered with: the time, the user,
// the channel. A flag wins over the same value in the file.
type sceneFlags struct {
	file string
	sceneFile
}

func (s *sceneFlags) register(set *pflag.FlagSet) {
	set.StringVar(&s.At, "at", "", "render it for `TIME` (RFC 3339; default: now)")
	set.StringVar(&s.Zone, "zone", "", "the user's time zone, by its IANA `NAME` (default: the agent's)")
	set.StringVar(&s.file, "context", "", "read the user data from `FILE`, - for standard input")
	set.StringVar(&s.UserInstructions, "user-instructions", "", "the user's instructions")
	set.StringVar(&s.MemoryNotes, "memory-notes", "", "the memory notes")
	set.StringVar(&s.LastMessageAt, "last-message", "", "when the user last wrote (RFC 3339)")
	set.StringVar(&s.BootstrapContext, "bootstrap-context", "", "text looked up beforehand")
}

// sceneFile is a context file: one JSON object, every key of which may be
// missing.
type sceneFile struct {
	At               string `json:"at"`   // RFC 3339
	Zone             string `json:"zone"` // IANA name
	UserInstructions string `json:"user_instructions"`
	MemoryNotes      string `json:"memory_notes"`
	LastMessageAt    string `json:"last_message_at"` // RFC 3339
	BootstrapContext string `json:"bootstrap_context"`
}

// context returns what the flags and the file say.
func (s *sceneFlags) context(ctx context.Context, a *command.App) (prompt.Context, error) {
	var f sceneFile
	if s.file != "" {
		data, err := a.ReadAll(ctx, s.file)
		if err != nil {
			return prompt.Context{}, err
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err == nil {
			err = jsondoc.Bind(n, jsondoc.Root, &f).Err()
		}
		if err != nil {
			return prompt.Context{}, process.Usagef("%s is not a context: %v", s.file, err)
		}
	}
	return sceneFile{
		At: cmp.Or(s.At, f.At), Zone: cmp.Or(s.Zone, f.Zone), UserInstructions: cmp.Or(s.UserInstructions, f.UserInstructions),
		MemoryNotes: cmp.Or(s.MemoryNotes, f.MemoryNotes), LastMessageAt: cmp.Or(s.LastMessageAt, f.LastMessageAt), BootstrapContext: cmp.Or(s.BootstrapContext, f.BootstrapContext),
	}.scene(a.Env.Now())
}

func (f sceneFile) scene(now time.Time) (prompt.Context, error) {
	c := prompt.Context{
		Now: now, Zone: f.Zone, UserInstructions: f.UserInstructions, MemoryNotes: f.MemoryNotes, BootstrapContext: f.BootstrapContext,
	}
	at, err := command.ParseTime(f.At)
	if err != nil {
		return c, err
	}
	if !at.IsZero() {
		c.Now = at
	}
	last, err := command.ParseTime(f.LastMessageAt)
	if err == nil && !last.IsZero() {
		c.LastMessageAt = &last
	}
	return c, err
}

// prompter renders prompts as they are used: for a user of whom something is
// stored, and for the time that it is.
type prompter struct {
	desk   *review.Desk
	stored *builtin.Provider
	now    func() time.Time
}

// Prompt implements mcp.Prompter.
func (p prompter) Prompt(ctx context.Context, c gateway.Caller, channel string) (prompt.Output, error) {
	where := c.Where
	where.IncludeDeferred = false // the prompt explains how to find the others
	in, err := p.desk.PromptInput(ctx, c.Agent, c.Layer, where)
	if err != nil {
		return prompt.Output{}, err
	}
	in.Context.Now = p.now()
	if err := command.Recall(ctx, p.stored, builtin.Owner{Customer: c.Customer, User: c.User}, &in.Context); err != nil {
		return prompt.Output{}, err
	}
	return prompt.Render(in, channel), nil
}
