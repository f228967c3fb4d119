// This file selects the definitions to export. It also encodes them as a toolcrib document, as a bundle, and as the
// list of an MCP server.

package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/review/bundle"
	"toolcrib/review/impact"
	"toolcrib/store/catalog"
)

// extract contains the definitions to export: all definitions in the view of a layer or, after a call of Only, an agent
// with its allow-list and its tools.
type extract struct {
	layer         registry.Layer
	Tools, Agents []catalog.Exported
	Lists         []catalog.Exported
	files         []catalog.Exported // skills and instructions
	agent         *registry.Agent    // requested agent, or nil for the whole registry
	merged        *registry.Merged
	Warnings      []string // warnings about names in the agent's allow-list
}

// NewExtract reads all definitions that q selects in the view of the given layer.
func NewExtract(ctx context.Context, a *command.App, layer registry.Layer, q catalog.Query) (extract, error) {
	c := extract{layer: layer}
	db, err := a.Database(ctx)
	if err != nil {
		return c, err
	}
	q.View = c.layer.View()
	for kind, rows := range map[registry.Kind]*[]catalog.Exported{registry.KindTool: &c.Tools, registry.KindAgent: &c.Agents, registry.KindList: &c.Lists} {
		q.Kind = kind
		if *rows, err = db.Export(ctx, q); err != nil {
			return c, err
		}
	}
	for _, q.Kind = range []registry.Kind{registry.KindSkill, registry.KindInstructions} {
		some, err := db.Export(ctx, q)
		if err != nil {
			return c, err
		}
		c.files = append(c.files, some...)
	}
	return c, nil
}

// Only removes all definitions except an agent, its allow-list, and its tools. id is the id or the subject of the
// agent. deferred is the number of the agent's deferred tools that were removed.
func (c *extract) Only(ctx context.Context, id string, where registry.Context) (deferred int, err error) {
	i := slices.IndexFunc(c.Agents, func(e catalog.Exported) bool { return e.Subject.ID == id || e.Subject.String() == id })
	if i < 0 {
		return 0, command.NotFoundf("agent %s", id)
	}
	profile, err := command.LiveOf(c.Agents[i])
	if err != nil {
		return 0, err
	}
	c.Agents, c.agent, c.files = c.Agents[i:i+1], profile.Definition.Agent, nil
	list := c.agent.AllowList
	c.Lists = slices.DeleteFunc(slices.Clone(c.Lists), func(e catalog.Exported) bool { return list == nil || !list.Reference() || e.Subject.ID != list.Name })
	lives, err := livesOf(slices.Concat(c.Tools, c.Lists))
	if err != nil {
		return 0, err
	}
	c.merged = registry.Merge(lives)
	res, err := registry.Resolve(ctx, *c.agent, where, c.merged)
	if err != nil && (!errors.Is(err, registry.ErrNoTools) || res.Deferred() == 0) {
		return 0, err
	}
	c.Warnings = res.Warnings
	in := lists.Set(res.Tools(), func(e registry.Entry) registry.Subject { return e.Subject })
	c.Tools = slices.DeleteFunc(slices.Clone(c.Tools), func(e catalog.Exported) bool { return !in[e.Subject] })
	return res.Deferred(), nil
}

// leaveOutCore removes the core tools from c if c contains the whole registry and the registry was created empty. It
// does not change the extract of a single agent.
func leaveOutCore(ctx context.Context, a *command.App, c *extract) error {
	if c.agent != nil {
		return nil
	}
	alone, err := command.CoreAlone(ctx, a.DB)
	if alone {
		c.Tools = slices.DeleteFunc(c.Tools, func(e catalog.Exported) bool { return e.Locked })
	}
	return err
}

// exportDocument returns the extract in the toolcrib format.
func exportDocument(ctx context.Context, a *command.App, c extract) ([]byte, error) {
	doc := docExport{
		Head: output.NewHead("export"), View: lists.Map(c.layer.View(), func(l registry.Layer) string { return string(l) }),
		Tools: []docExtent{}, Agents: lists.Map(c.Agents, newDocExtent), Lists: lists.Map(c.Lists, newDocExtent),
		Files: lists.Map(c.files, newDocExtent),
	}
	for _, e := range c.Tools {
		extent := newDocExtent(e)
		if bytes.Contains(e.Definition, []byte(`"source":`)) {
			l, err := command.LiveOf(e)
			if err != nil {
				return nil, err
			}
			if source := l.Definition.Tool.Source; source != nil {
				raw, _, err := a.DB.Raw(ctx, source.Hash)
				if err != nil {
					return nil, err
				}
				extent.SourceJSON = string(raw)
			}
		}
		doc.Tools = append(doc.Tools, extent)
	}
	if c.agent != nil { // render the agent's prompts as reviews do
		in, err := impact.Input(ctx, *c.agent, c.merged, impact.ReferenceContext())
		if err != nil {
			return nil, err
		}
		in.Context = prompt.Reference()
		doc.Prompts = lists.Map(prompt.NewRenderer(in).RenderAll(), func(o prompt.Output) docExportPrompt {
			return docExportPrompt{Agent: c.agent.ID, Channel: o.Channel, Text: o.Text, Hash: prompt.Hash(o.Text), Reference: true, At: prompt.Reference().Now}
		})
	}
	return jsondoc.EncodeIndented(doc)
}

// AsListed returns the tool l in a form that can be encoded in the format f. If the tool was imported from the format
// f, the result includes the imported JSON.
func AsListed(ctx context.Context, a *command.App, f wire.Format, l registry.Live, created, updated time.Time) (wire.Listed, error) {
	out := wire.Listed{Tool: *l.Definition.Tool, CreatedAt: output.Timestamp(created), UpdatedAt: output.Timestamp(updated)}
	s := l.Definition.Tool.Source
	if s == nil || s.Type != f.SourceType() {
		return out, nil
	}
	var err error
	out.Raw, _, err = a.DB.Raw(ctx, s.Hash)
	return out, err
}

// Bundle returns a bundle of the live registry in the view of the configured layer.
func Bundle(ctx context.Context, a *command.App, from *bundle.Collector) (bundle.Bundle, error) {
	c, err := NewExtract(ctx, a, a.Config.Layer, catalog.Query{})
	if err == nil {
		err = leaveOutCore(ctx, a, &c)
	}
	if err != nil {
		return bundle.Bundle{}, err
	}
	return c.bundle(ctx, a, from)
}

func (c extract) bundle(ctx context.Context, a *command.App, from *bundle.Collector) (bundle.Bundle, error) {
	lives := lists.Map(slices.Concat(c.Tools, c.Agents, c.Lists, c.files), func(e catalog.Exported) registry.Live {
		return registry.Live{Subject: e.Subject, Version: e.Version, ContentHash: e.ContentHash}
	})
	return command.ReadView(ctx, a.DB.View, func(r review.Reader) (bundle.Bundle, error) {
		return from.Collect(ctx, r, lives, c.layer.View())
	})
}

// encodeServer returns the approved tools and texts of an MCP server as a list in the format of MCP. Each entry is the
// JSON that the server sent, unchanged. The entries are in the order of the newest list from the server.
func encodeServer(ctx context.Context, a *command.App, server string, c extract) ([]byte, error) {
	order, err := a.DB.Listed(ctx, server)
	if err != nil {
		return nil, err
	}
	raws, texts := map[string][]byte{}, map[string][]byte{}
	for _, e := range c.Tools {
		l, err := command.LiveOf(e)
		if err != nil {
			return nil, err
		}
		s := l.Definition.Tool.Source
		if s == nil || s.Type != registry.SourceMCP && s.Type != registry.SourceMCPText || !strings.HasPrefix(s.Ref, server+"#") {
			continue
		}
		raw, ok, err := a.DB.Raw(ctx, s.Hash)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("the imported JSON of %s is not in this database; import the tool again", e.Subject)
		}
		stored := raws
		if s.Type == registry.SourceMCPText {
			stored = texts
		}
		stored[s.Hash] = raw
		if !slices.Contains(order, s.Hash) {
			order = append(order, s.Hash) // not in the newest list of the server
		}
	}
	if len(raws)+len(texts) == 0 {
		return nil, command.NotFoundf("approved tools of the server %s", server)
	}
	var doc bytes.Buffer
	fmt.Fprintf(&doc, `{"serverInfo":{"name":%s},"tools":[`, jsondoc.Canonical(jsondoc.NewString(server)))
	doc.Write(inOrder(raws, order))
	if len(texts) > 0 {
		doc.WriteString(`],"texts":[`)
		doc.Write(inOrder(texts, order))
	}
	doc.WriteString("]}\n")
	return doc.Bytes(), nil
}

// inOrder joins the values of raws with commas, in the order of their keys in order. The keys are hashes.
func inOrder(raws map[string][]byte, order []string) []byte {
	var list [][]byte
	for _, hash := range order {
		if raw, there := raws[hash]; there {
			list = append(list, raw)
		}
	}
	return bytes.Join(list, []byte(",\n"))
}
