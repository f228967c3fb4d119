// This file implements the exec command, which runs a tool call, and the parse command, which finds the tool calls in
// a model's answer.

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
	"toolcrib/internal/lists"
)

func newExec(a *command.App) *cobra.Command {
	var who command.CallerFlags
	var args, callContext string
	cmd := &cobra.Command{
		Use:  "exec TOOL --agent A [--args JSON | @FILE | -]",
		Args: command.ExactArgs(1, "a tool"),
		RunE: func(cmd *cobra.Command, tools []string) error {
			ctx := cmd.Context()
			caller, err := who.Acting(a)
			if err != nil {
				return err
			}
			if args == "-" && callContext == "-" {
				return process.Usagef("--args and --call-context cannot both be read from standard input")
			}
			req := gateway.Request{Tool: tools[0]}
			if req.Args, err = arguments(ctx, a, args); err != nil {
				return err
			}
			raw, err := arguments(ctx, a, callContext)
			if err != nil {
				return err
			}
			if req.CallContext, err = gateway.ParseCallContext(raw); err != nil {
				return process.Usagef("--call-context is not valid: %v", err)
			}
			return a.WithGateway(ctx, func(g *command.OpenGateway) error {
				res, err := g.Execute(ctx, caller, req)
				return printCall(a, res, err)
			})
		},
	}
	who.Register(cmd.Flags())
	cmd.Flags().StringVar(&args, "args", "", "the arguments: a `JSON` object, @FILE for a file's content, - for standard input (default: {})")
	cmd.Flags().StringVar(&callContext, "call-context", "", "description of the call and the conversation for the eval gate and the hub: a `JSON` object, @FILE, or -")
	return cmd
}

// arguments returns the JSON for a flag. text is the value of the flag: the JSON itself, @FILE for the content of a
// file, or "-" for standard input.
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

// printCall prints the result of a call. In the text format, it prints only the output of the tool.
func printCall(a *command.App, res gateway.Result, err error) error {
	if err != nil {
		return err
	}
	doc := docCall{
		Head: output.NewHead("call"), Call: res.Call, Tool: res.Tool.String(), Version: res.Version, Output: res.Output, Answer: res.Answer,
		Warnings: append([]string{}, res.Warnings...), At: res.At, Micros: res.Duration.Microseconds(),
	}
	return a.Print(doc, func(p *output.Page) { p.JSON("", res.Output) })
}

type docParsed struct {
	output.Head
	Protocol string                 `json:"protocol"`
	Calls    []docParsedCall        `json:"calls"`
	Problems []gateway.ParseProblem `json:"problems"`
	Display  string                 `json:"display"`
}

type docParsedCall struct {
	Tool     string          `json:"tool"` // id of the tool
	WireName string          `json:"wire_name"`
	Subject  string          `json:"subject"`
	Version  int             `json:"version"`
	Name     string          `json:"name"` // name of the tool as the model wrote it
	Args     json.RawMessage `json:"args"`
	Line     int             `json:"line,omitempty"`
}

// Formats that models use to write tool calls.
const (
	protocolTags = "tags"
	protocolJSON = "json"
)

func newParse(a *command.App) *cobra.Command {
	var who command.CallerFlags
	var protocol, nonce string
	cmd := &cobra.Command{
		Use:  "parse [FILE | -] --agent A",
		Args: command.ArgsBetween(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				files = []string{"-"}
			}
			ctx := cmd.Context()
			switch {
			case protocol != protocolTags && protocol != protocolJSON:
				return process.Usagef("--protocol is %q: use tags or json", protocol)
			case protocol == protocolJSON && nonce == "":
				return process.Usagef("the json protocol needs the nonce of the turn: --nonce NONCE")
			case protocol == protocolTags && nonce != "":
				return process.Usagef("--nonce needs --protocol json")
			}
			caller, err := who.Acting(a)
			if err != nil {
				return err
			}
			answer, err := a.ReadAll(ctx, files[0])
			if err != nil {
				return err
			}
			doc := docParsed{Head: output.NewHead("parsed"), Protocol: protocol, Calls: []docParsedCall{}, Problems: []gateway.ParseProblem{}}
			err = a.WithGateway(ctx, func(g *command.OpenGateway) error {
				if protocol == protocolJSON {
					call, err := g.ParseJSON(ctx, caller, string(answer), nonce)
					if err == nil {
						doc.Calls = append(doc.Calls, newDocParsedCall(call))
					}
					return err
				}
				parsed, err := g.ParseTags(ctx, caller, string(answer))
				doc.Calls, doc.Display = lists.Map(parsed.Calls, newDocParsedCall), parsed.Display
				doc.Problems = append(doc.Problems, parsed.Problems...)
				return err
			})
			if err != nil {
				return err
			}
			return a.PrintChecked(doc, len(doc.Problems) == 0, func(p *output.Page) {
				for _, c := range doc.Calls {
					p.Linef("%s %s", c.WireName, string(c.Args))
				}
				for _, f := range doc.Problems {
					p.Linef("line %d: %s: %s", f.Line, f.Code, f.Message)
				}
				if len(doc.Calls)+len(doc.Problems) == 0 {
					p.Linef("The text contains no calls in the tag form. To find a call in the JSON form, add --protocol json and --nonce NONCE.")
				}
			})
		},
	}
	who.Register(cmd.Flags())
	cmd.Flags().StringVar(&protocol, "protocol", protocolTags, "the form of the calls in the text: `tags` or json")
	cmd.Flags().StringVar(&nonce, "nonce", "", "the `NONCE` that the model was given for this turn")
	return cmd
}

func newDocParsedCall(c gateway.ParsedCall) docParsedCall {
	return docParsedCall{
		Tool: c.Tool.Subject.ID, WireName: c.Tool.Definition.Tool.WireName(), Subject: c.Tool.Subject.String(), Version: c.Tool.Version, Name: c.Name, Args: c.Args, Line: c.Line,
	}
}
