// Package preview has the command that shows the prompts and the files that a change would bring
// into the context of an agent.
package preview

import (
	"cmp"
	"context"
	"embed"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/builtin"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

//go:embed help
var help embed.FS

// Family returns the command that previews prompts.
func Family() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newPreview},
		},
		Documents: func() map[string]reflect.Type {
			return map[string]reflect.Type{
				"preview":      reflect.TypeFor[document.OnePreview](),
				"preview.list": reflect.TypeFor[document.PreviewList](),
			}
		},
	}
}

// Parts of a preview that people can ask for.
const (
	showSummary = "summary"
	showNow     = "now"
	showAfter   = "after"
	showDiff    = "diff"
)

// everyChannel is the value of --channel for all of them.
const everyChannel = "all"

type previewFlags struct {
	agent, channel, show string
	user, customer       string
	skipTools, deferred  bool
	reference            bool
	notLocal, noSemantic bool
	scene                sceneFlags
}

func newPreview(a *command.App) *cobra.Command {
	var f previewFlags
	cmd := &cobra.Command{
		Use:  "preview [ID…]",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runPreview(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.agent, "agent", "", "the `ID` or subject of the agent")
	set.StringVar(&f.channel, "channel", everyChannel, "`CHANNEL` such as web or telegram, or all")
	set.StringVar(&f.show, "show", "", "print `WHAT`: summary, now, after or diff")
	set.BoolVar(&f.skipTools, "skip-tools", false, "leave out the tool catalog")
	set.BoolVar(&f.deferred, "deferred", false, "include deferred tools")
	set.BoolVar(&f.notLocal, "not-local", false, "the agent does not work on the user's machine")
	set.BoolVar(&f.noSemantic, "no-embedding", false, "without semantic search")
	set.StringVar(&f.user, "user", "", "use the stored data of the user `NAME` (default: the login name; none with proposals)")
	set.StringVar(&f.customer, "customer", "", "use that user's data at the customer `NAME`")
	set.BoolVar(&f.reference, "reference", false, "render it as reviews do: at a fixed time, without user data")
	f.scene.register(set)
	return cmd
}

func (f *previewFlags) check(compared bool) error {
	switch {
	case f.reference && (f.user != "" || f.customer != "" || f.scene != sceneFlags{}):
		return process.Usagef("--reference fixes the time and the user; leave out flags that set others")
	case !compared && (f.show == showAfter || f.show == showDiff):
		return process.Usagef("--show %s needs a proposal to compare with", f.show)
	case f.show == "" && compared:
		f.show = showDiff
	case f.show == "" && f.channel != everyChannel:
		f.show = showNow
	case f.show == "":
		f.show = showSummary
	case !slices.Contains([]string{showSummary, showNow, showAfter, showDiff}, f.show):
		return process.Usagef("--show is %q; write summary, now, after or diff", f.show)
	}
	if !registry.ValidChannel(f.channel) {
		return process.Usagef("--channel is %q; a channel is a name such as web, or all", f.channel)
	}
	return nil
}

func runPreview(ctx context.Context, a *command.App, refs []string, f previewFlags) error {
	compared := len(refs) > 0
	if err := f.check(compared); err != nil {
		return err
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return err
	}
	scene, err := f.scenery(ctx, a, compared)
	if err != nil {
		return err
	}
	var ids []proposals.ID
	if compared {
		if ids, err = a.IDs(ctx, desk, refs); err != nil {
			return err
		}
	}
	previews, err := desk.Impact.Preview(ctx, ids, f.agent, scene)
	if err != nil {
		return err
	}
	for _, p := range previews {
		switch {
		case p.Toolless == nil:
		case len(previews) == 1:
			return p.Toolless
		default:
			a.Note("toolcrib: %s", output.FullStop(p.Toolless.Error()))
		}
	}
	docs, err := document.NewPreviews(previews, compared)
	if err != nil {
		return err
	}
	loads, err := loadedBy(ctx, a, desk, ids)
	if err != nil {
		return err
	}
	noteChannel(a, scene.Channel, previews)
	if f.agent != "" && f.channel != everyChannel && len(docs) == 1 {
		return a.Print(document.OnePreview{Head: output.NewHead("preview"), Preview: docs[0]}, func(p *output.Page) { writePreviews(p, docs, f.show) })
	}
	list := document.PreviewList{Head: output.NewHead("preview.list"), Previews: append([]document.Preview{}, docs...), Files: loads}
	return a.Print(list, func(p *output.Page) {
		if len(docs) > 0 || len(loads) == 0 {
			writePreviews(p, docs, f.show)
		}
		writeLoads(p, loads, len(docs) > 0, f.show)
	})
}

// noteChannel names the agents that do not have the channel that is shown: it gets
// the text of web, which nobody would tell from a channel of its own.
func noteChannel(a *command.App, channel string, previews []impact.Preview) {
	for _, p := range previews {
		if channel != "" && !slices.Contains(p.Channels, channel) {
			a.Note("toolcrib: %s is not a channel of %s, so it gets the text of %s%s.", channel, p.Agent.ID, prompt.Web, output.Perhaps(channel, "", p.Channels))
		}
	}
}

// scenery returns the scene that the prompts are rendered for. The desk is open.
func (f *previewFlags) scenery(ctx context.Context, a *command.App, compared bool) (impact.Scene, error) {
	s := impact.Scene{
		Where:     registry.Context{Local: !f.notLocal, Embedding: !f.noSemantic, IncludeDeferred: f.deferred},
		SkipTools: f.skipTools,
	}
	if f.channel != everyChannel {
		s.Channel = f.channel
	}
	var err error
	if s.Layer, err = a.Layer(); err != nil {
		return s, err
	}
	if f.reference {
		s.Context = prompt.Reference()
		return s, nil
	}
	if s.Context, err = f.scene.context(ctx, a); err != nil || compared && f.user == "" {
		return s, err
	}
	mine, err := a.User()
	if err != nil {
		return s, err
	}
	user := cmp.Or(f.user, mine)
	return s, command.Recall(ctx, builtin.New(a.DB, builtin.Options{NewID: a.Env.NewID}), builtin.Owner{Customer: f.customer, User: user}, &s.Context)
}

func writePreviews(p *output.Page, docs []document.Preview, show string) {
	if len(docs) == 0 {
		p.Linef("No agent's prompt changes.")
	}
	for i, d := range docs {
		if i > 0 && docs[i-1].Subject == d.Subject {
			continue
		}
		if i > 0 {
			p.Blank()
		}
		same := docs[i:]
		if end := slices.IndexFunc(same, func(o document.Preview) bool { return o.Subject != d.Subject }); end > 0 {
			same = same[:end]
		}
		writeAgentPreview(p, same, show)
	}
}

// writeAgentPreview writes the channels of one agent.
func writeAgentPreview(p *output.Page, docs []document.Preview, show string) {
	p.Linef("%s in the view of %s", docs[0].Subject, docs[0].View)
	p.Blank()
	costTable(p, docs)
	writeCuts(p, docs)
	switch show {
	case showDiff:
		writeChanges(p, docs)
	case showNow, showAfter:
		for _, d := range docs {
			text := &d.Prompt
			if show == showNow && d.Change != nil {
				text = d.Before
			}
			p.Blank()
			p.Raw(p.Paint(output.InkStrong, "── "+output.Safe(d.Channel)+" ──"))
			if text == nil || show == showAfter && d.Gone {
				p.Linef("There is no such prompt.")
				continue
			}
			p.Text("", text.Text)
		}
	}
}

// costTable lists the cost of each channel, and what the proposals add.
func costTable(p *output.Page, docs []document.Preview) {
	if docs[0].Change == nil {
		p.Table([]string{"CHANNEL", "CHARACTERS", "O200K_BASE", "CL100K_BASE"}, output.Mapped(docs, func(d document.Preview) []string {
			return []string{d.Channel, output.Itoa(d.Chars), output.Itoa(d.Tokens.O200k), output.Itoa(d.Tokens.Cl100k)}
		}))
		return
	}
	p.Table([]string{"CHANNEL", "CHARACTERS", "O200K_BASE", "CL100K_BASE", ""}, output.Mapped(docs, func(d document.Preview) []string {
		var before document.Cost
		if d.Before != nil {
			before = d.Before.Cost
		}
		return []string{
			d.Channel, document.FromTo(before.Chars, d.Chars), document.FromTo(before.Tokens.O200k, d.Tokens.O200k),
			document.FromTo(before.Tokens.Cl100k, d.Tokens.Cl100k), d.Becomes(),
		}
	}))
}

// writeCuts lists where hosts cut a text, and a cut of every channel only once.
func writeCuts(p *output.Page, docs []document.Preview) {
	said := map[string]bool{}
	for _, d := range docs {
		for _, c := range d.Cuts {
			if !said[c.Message] {
				p.Linef("Limit: %s", c.Message)
			}
			said[c.Message] = true
		}
	}
}

// writeChanges writes the diff of every channel that changes; channels that
// change in the same way share one.
func writeChanges(p *output.Page, docs []document.Preview) {
	var done []string
	for i, d := range docs {
		if d.Untouched || d.Diff == nil || slices.Contains(done, d.Channel) {
			continue
		}
		var channels []string
		for _, other := range docs[i:] {
			if !other.Untouched && reflect.DeepEqual(other.Diff, d.Diff) {
				channels = append(channels, other.Channel)
			}
		}
		done = append(done, channels...)
		p.Blank()
		p.Raw(p.Paint(output.InkStrong, "── "+output.Safe(strings.Join(channels, ", "))+" ──"))
		for _, h := range *d.Diff {
			document.WriteHunk(p, h)
		}
	}
}
