package cli

import (
	"cmp"
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
	"toolcrib/tui"
)

type importFlags struct {
	server, layer, set, capabilities string
	draft                            bool
	from                             fromServer
	watched                          bool     // nobody asked for this very import
	observed                         bool     // toolcrib itself proposes what a guarded server lists
	tell                             tui.Tell // how far it has come, nil for nobody
}

func newImport(a *app) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE | - | --mcp COMMAND | --mcp-url URL | --server NAME",
		Short: "Import tools from a server or a file as proposals",
		Long: `Read tools from a saved MCP tools/list answer, an OpenAI or Anthropic tool
array, a v0 prompt file, or a toolcrib export, and compare them with the live
ones. New, changed, and vanished tools become proposals; nothing goes live
before approval.

toolcrib stores the JSON of every tool as it was read and pins the tool to its
hash. Prompts, exports, exec, parse, and MCP use one name for it: the name that
was read, prefixed with the server's name and "_" for tools of an MCP server. If
not every host accepts that name (letters, digits, _ and -, at most 64), the id
is used. The id and the server's own name are aliases.

--mcp starts a server and --mcp-url connects to one for the import; --server
alone uses the server of that name in the configuration.

Servers may list tools by the client's capabilities: pass those of the saved
answer with --client-capabilities, or save them in it as "clientCapabilities".
toolcrib declares none to a live server.

Incomplete prompts of a v0 file become drafts; --draft drafts everything.
Unknown keys are stored and exported again. Tools that the MCP protocol has
clients exclude (an invalid x-mcp-header) are skipped. Exit status 6: something
was skipped; each is listed with its reason.`,
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
	set.StringVar(&f.layer, "layer", "", "propose new tools in `LAYER`: global, user or project/NAME")
	set.StringVar(&f.set, "change-set", "", "put the proposals into the change set `NAME`")
	set.StringVar(&f.capabilities, "client-capabilities", "", "the capabilities that the client declared, as `JSON`")
	set.BoolVar(&f.draft, "draft", false, "save the proposals as drafts")
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
		p := a.progress()
		defer p.end()
		f.tell = p.tell
		taken, err := f.take(ctx, a, args[0], data, nil)
		p.end()
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
	p := a.progress()
	defer p.end()
	f.tell = p.tell
	f.at("Asking " + from.shown + " for its tools")
	data, err := from.ask(ctx, a)
	if err != nil {
		return err
	}
	taken, err := f.take(ctx, a, from.shown, data, &from)
	p.end()
	if err != nil {
		return err
	}
	return a.printImport(taken)
}

// at reports the current step.
func (f importFlags) at(step string) {
	if f.tell != nil {
		f.tell(0, 0, step)
	}
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
	if f.observed {
		b.actor = a.config.observer()
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
	f.at("Comparing " + counted(len(doc.Items)+len(doc.Entries), "definition") + " with the live ones")
	steps := intake.Plan(doc, origin, intake.Live{All: live, Raw: func(hash string) ([]byte, bool) {
		body, ok, rawErr := a.db.Raw(ctx, hash)
		err = errors.Join(err, rawErr)
		return body, ok
	}})
	if err != nil {
		return intaken{}, err
	}
	if err := errors.Join(a.leaveOutUndeclared(ctx, steps, live, doc.Capabilities), a.leaveOutPending(ctx, steps, f.watched)); err != nil {
		return intaken{}, err
	}
	f.at("Proposing what changed")
	made, err := b.takeIn(ctx, a, doc, origin, steps, !f.draft)
	if err == nil && f.observed {
		err = b.retract(ctx, a, steps, live)
	}
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
	name := cmp.Or(f.server, doc.Server)
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
