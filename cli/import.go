package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/gateway/upstream"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
)

type importFlags struct {
	server, layer, set, capabilities string
	draft                            bool
	from                             fromServer
	watched                          bool // nobody asked for this very import
}

func newImport(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE | - | --mcp COMMAND | --mcp-url URL | --server NAME",
		Short: "Propose what a server, an application or a file says about its tools",
		Long: `Read tools from a saved tools/list answer of an MCP server, an OpenAI or
Anthropic tool array, a v0 prompt file, or an export of toolcrib, and hold them
against what is live. What is new, changed or vanished becomes a proposal;
nothing is live before it is approved. An import that finds nothing different
proposes nothing.

The JSON of every tool is kept as it was read, and its hash is what the tool is
pinned to. Prompts, exports, exec, parse and MCP call a tool by one name: the name
that was read, behind the server's name and "_" where --server or a list of MCP
names a server, so that one name on two servers is two tools. A name that not
every host takes (letters, digits, _ and -, 64 at most) gives way to the id. The
id is an alias, and so is the name that the server itself has for it.

A live server is started or connected to for the time of the import; --server
without anything else asks the one of that name in the configuration.

What the client had declared it can do changes what a server lists: pass it with
--client-capabilities, or save it with the answer as "clientCapabilities". To a
live server toolcrib declares nothing.

A prompt of a v0 file that lacks something, or has it blank, becomes a draft for
somebody to complete; --draft keeps everything as drafts. Keys that the format
does not have are kept, and an export writes them back. A tool that the MCP
protocol has clients exclude (an invalid x-mcp-header) is skipped. Exit status 6
when anything was skipped; each is listed with its reason.`,
		Example: `  toolcrib import tracker.json --server tracker
  toolcrib import --mcp 'npx -y @modelcontextprotocol/server-memory' --server memory
  toolcrib import --mcp-url https://mcp.example.com/mcp --server example
  toolcrib import tools.json --server app --change-set app --draft
  toolcrib export --format mcp | toolcrib import -`,
		Args: between(0, 1, "one file, - for standard input, or none with --mcp, --mcp-url or --server"),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.server, "server", "", "the `NAME` of the server the tools belong to (default: from the document, or the file's name)")
	set.StringVar(&f.layer, "layer", "", "propose what is new in `LAYER`: global, user or project/NAME")
	set.StringVar(&f.set, "change-set", "", "put the proposals into the change set `NAME`")
	set.StringVar(&f.capabilities, "client-capabilities", "", "the `JSON` that the client had declared")
	set.BoolVar(&f.draft, "draft", false, "only keep the proposals as drafts")
	f.from.register(set)
	return cmd
}

func runImport(ctx context.Context, a *app, args []string, f importFlags) error {
	switch {
	case len(args) == 1 && f.from.given():
		return usagef("a file and a live server exclude each other")
	case f.from.given() && f.capabilities != "":
		return usagef("--client-capabilities is for a saved answer; to a live server toolcrib declares %s", upstream.Declared)
	case len(args) == 1:
		data, err := a.readAll(ctx, args[0])
		if err != nil {
			return err
		}
		taken, err := f.take(ctx, a, args[0], data, nil)
		if err != nil {
			return err
		}
		return a.printImport(taken)
	case !f.from.given() && f.server == "":
		return usagef("name a file, or a live server with --mcp, --mcp-url or --server")
	}
	from, err := f.from.place(a, f.server)
	if err != nil {
		return err
	}
	data, err := from.ask(ctx, a)
	if err != nil {
		return err
	}
	taken, err := f.take(ctx, a, from.shown, data, &from)
	if err != nil {
		return err
	}
	return a.printImport(taken)
}

// intaken is an import that was made.
type intaken struct {
	file   string
	from   *place // nil for a file
	doc    wire.Document
	origin intake.Origin
	steps  []intake.Step
	made   []proposals.Proposal // of the steps that have a draft, in their order
}

// take takes in a document that was read from file, or from a live server.
func (f importFlags) take(ctx context.Context, a *app, file string, data []byte, from *place) (intaken, error) {
	doc, err := wire.Decode(data)
	if err != nil {
		return intaken{}, unreadable(file, data, err)
	}
	if doc.Format == wire.Names {
		return intaken{}, fmt.Errorf("%s: names alone define nothing; toolcrib check reads them", file)
	}
	if doc.Capabilities, err = f.declared(doc); err != nil {
		return intaken{}, err
	}
	origin, err := f.origin(a, file, doc)
	if err != nil {
		return intaken{}, err
	}
	b, err := a.openSession(ctx)
	if err != nil {
		return intaken{}, err
	}
	live, err := a.everything(ctx)
	if err != nil {
		return intaken{}, err
	}
	if from != nil {
		if err := from.claims(a, doc, live); err != nil {
			return intaken{}, err
		}
		origin.Server = true // whatever it calls itself
	}
	steps := intake.Plan(doc, origin, intake.Live{All: live, Raw: func(hash string) ([]byte, bool) {
		body, ok, rawErr := a.db.Raw(ctx, hash)
		err = errors.Join(err, rawErr)
		return body, ok
	}})
	if err != nil {
		return intaken{}, err
	}
	if err := a.leaveOutPending(ctx, steps, f.watched); err != nil {
		return intaken{}, err
	}
	made, err := b.takeIn(ctx, a, doc, origin, steps, !f.draft)
	return intaken{file: file, from: from, doc: doc, origin: origin, steps: steps, made: made}, err
}

// declared returns what the client had declared: the flag, else the document.
func (f importFlags) declared(doc wire.Document) (json.RawMessage, error) {
	if f.capabilities == "" {
		return doc.Capabilities, nil
	}
	n, err := jsondoc.Parse([]byte(f.capabilities), jsondoc.DefaultLimits)
	if err != nil || n.Kind != jsondoc.Object {
		return nil, usagef("--client-capabilities is no JSON object")
	}
	return jsondoc.Canonical(n), nil
}

func (f importFlags) origin(a *app, file string, doc wire.Document) (intake.Origin, error) {
	o := intake.Origin{Set: f.set}
	var err error
	if o.Layer, err = a.layer(); err != nil {
		return o, err
	}
	if f.layer != "" {
		if o.Layer, err = registry.ParseLayer(f.layer); err != nil {
			return o, err
		}
	}
	name := f.server
	if name == "" {
		name = doc.Server
	}
	o.Server = f.server != "" || doc.Format == wire.MCP && doc.Server != wire.SelfName
	if name == "" && file != "-" {
		name = file
	}
	if o.Label = registry.ServerName(name); o.Label == "" {
		if doc.Format == wire.MCP {
			return o, usagef("name the server with --server; the document does not say which one it is")
		}
		o.Label = "stdin"
	}
	return o, nil
}
