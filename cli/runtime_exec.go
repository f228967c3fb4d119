package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/gateway"
	"toolcrib/internal/visible"
)

func newExec(a *app) *cobra.Command {
	var who callerFlags
	var args, callContext string
	cmd := &cobra.Command{
		Use:   "exec TOOL --agent A [--args JSON | @FILE | -]",
		Short: "Call a tool as an agent, through every gate",
		Long: `Call an action tool by its wire name, id, or alias. The gates, in this order:
the tool is registered, the agent may use it, the arguments are valid, approval
tier, cooldown, daily limit, eval gate (if required), provider. toolcrib logs
every call, including refusals (toolcrib calls log).

--call-context describes the reason for the call: an object with any of
user_message, chat_id, conversation_id, mission_id, confidence (0 to 1), and
context (an object). The eval gate and the hub receive it unverified.

A tool that requires user approval does not run. The call waits, and the error
has its id (code approval_required). Answer it with toolcrib calls approve or
refuse.

Exit status 3: no such tool; 5: a gate refused; 1: invalid arguments, or the
provider failed.`,
		Example: `  toolcrib exec get_tasks --agent assistant
  toolcrib exec create_tasks --agent assistant --args '{"tasks": [{"title": "Read the proofs"}]}'
  toolcrib exec create_tasks --agent assistant --args @args.json --json
  toolcrib exec get_tasks --agent assistant --call-context '{"chat_id": "c-7", "confidence": 0.9}'`,
		Args: exact(1, "a tool"),
		RunE: func(cmd *cobra.Command, tools []string) error {
			return runExec(cmd.Context(), a, who, tools[0], args, callContext)
		},
	}
	who.register(cmd.Flags())
	cmd.Flags().StringVar(&args, "args", "", "the arguments: a `JSON` object, @FILE for a file's content, - for standard input (default: {})")
	cmd.Flags().StringVar(&callContext, "call-context", "", "context of the call for the eval gate and the hub: a `JSON` object, @FILE or -")
	return cmd
}

func runExec(ctx context.Context, a *app, who callerFlags, tool, args, callContext string) error {
	if a.flags.dryRun {
		return errNoDryRun("exec", "what a provider does cannot be taken back")
	}
	caller, err := who.acting(a)
	if err != nil {
		return err
	}
	if args == "-" && callContext == "-" {
		return usagef("--args and --call-context cannot both be read from standard input")
	}
	req := gateway.Request{Tool: tool}
	if req.Args, err = a.arguments(ctx, args); err != nil {
		return err
	}
	raw, err := a.arguments(ctx, callContext)
	if err != nil {
		return err
	}
	if req.Said, err = gateway.ParseCallContext(raw); err != nil {
		return usagef("--call-context is not a call context: %v", err)
	}
	return a.withGateway(ctx, func(g *openGateway) error {
		return a.printCall(g.Execute(ctx, caller, req))
	})
}

// errNoDryRun refuses --dry-run where nothing can be tried.
func errNoDryRun(command, why string) error {
	return usagef("%s has no --dry-run: %s", command, why)
}

// arguments reads what --args names.
func (a *app) arguments(ctx context.Context, text string) (json.RawMessage, error) {
	switch name, isFile := strings.CutPrefix(text, "@"); {
	case text == "-":
		return a.readAll(ctx, "-")
	case isFile:
		return a.readAll(ctx, name)
	case text == "":
		return nil, nil
	}
	return json.RawMessage(text), nil
}

// printCall prints what a call gave, unless it failed: for a person its output alone.
func (a *app) printCall(res gateway.Result, err error) error {
	if err != nil {
		return err
	}
	return a.print(newDocCall(res), func(p *page) { p.json("", res.Output) })
}

// json writes a JSON document over several lines, each after prefix.
func (p *page) json(prefix string, doc json.RawMessage) {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		text = doc
	}
	for line := range strings.Lines(string(visible.JSON(text))) {
		p.raw(prefix + strings.TrimSuffix(line, "\n"))
	}
}
