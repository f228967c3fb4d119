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
		Use:  "exec TOOL --agent A [--args JSON | @FILE | -]",
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
