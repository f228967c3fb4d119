package calls

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway"
)

func newExec(a *command.App) *cobra.Command {
	var who command.CallerFlags
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
		Args: command.Exact(1, "a tool"),
		RunE: func(cmd *cobra.Command, tools []string) error {
			return runExec(cmd.Context(), a, who, tools[0], args, callContext)
		},
	}
	who.Register(cmd.Flags())
	cmd.Flags().StringVar(&args, "args", "", "the arguments: a `JSON` object, @FILE for a file's content, - for standard input (default: {})")
	cmd.Flags().StringVar(&callContext, "call-context", "", "context of the call for the eval gate and the hub: a `JSON` object, @FILE or -")
	return cmd
}

func runExec(ctx context.Context, a *command.App, who command.CallerFlags, tool, args, callContext string) error {
	if a.Flags.DryRun {
		return process.ErrNoDryRun("exec", "what a provider does cannot be taken back")
	}
	caller, err := who.Acting(a)
	if err != nil {
		return err
	}
	if args == "-" && callContext == "-" {
		return process.Usagef("--args and --call-context cannot both be read from standard input")
	}
	req := gateway.Request{Tool: tool}
	if req.Args, err = arguments(ctx, a, args); err != nil {
		return err
	}
	raw, err := arguments(ctx, a, callContext)
	if err != nil {
		return err
	}
	if req.Said, err = gateway.ParseCallContext(raw); err != nil {
		return process.Usagef("--call-context is not a call context: %v", err)
	}
	return a.WithGateway(ctx, func(g *command.OpenGateway) error {
		res, err := g.Execute(ctx, caller, req)
		return printCall(a, res, err)
	})
}

// arguments reads what --args names.
func arguments(ctx context.Context, a *command.App, text string) (json.RawMessage, error) {
	switch name, isFile := strings.CutPrefix(text, "@"); {
	case text == "-":
		return a.ReadAll(ctx, "-")
	case isFile:
		return a.ReadAll(ctx, name)
	case text == "":
		return nil, nil
	}
	return json.RawMessage(text), nil
}

// printCall prints what a call gave, unless it failed: for a person its output alone.
func printCall(a *command.App, res gateway.Result, err error) error {
	if err != nil {
		return err
	}
	return a.Print(newDocCall(res), func(p *output.Page) { p.JSON("", res.Output) })
}
