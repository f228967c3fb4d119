// Package preview implements the preview command. The command shows the current prompts of agents, or the prompts and
// files that agents would read after the approval of proposals.
package preview

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/builtin"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/impact"
)

// Family returns the preview command.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newPreview},
		},
		Documents: map[string]any{
			"preview":      document.OnePreview{},
			"preview.list": document.PreviewList{},
		},
	}
}

// Values of --show.
const (
	showSummary = "summary"
	showNow     = "now"
	showAfter   = "after"
	showDiff    = "diff"
)

// everyChannel is the value of --channel that selects all channels.
const everyChannel = "all"

type previewFlags struct {
	agent, channel, show string
	user, customer       string
	reference            bool
	notLocal, noSemantic bool
	to                   impact.Scene
	at, context          string
}

func newPreview(a *command.App) *cobra.Command {
	var f previewFlags
	cmd := &cobra.Command{
		Use:  "preview [ID…]",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, refs []string) error {
			ctx := cmd.Context()
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
			var loads []document.Loads // skills and instruction files that the proposals would add to the context
			if compared {
				actor, err := a.Actor()
				if err != nil {
					return err
				}
				counter := tokens.NewCounter()
				for _, id := range ids {
					d, err := desk.Reading.Show(ctx, actor, id)
					if err != nil {
						return err
					}
					if changes := document.LoadChanges(d); len(changes) > 0 {
						doc, err := document.NewLoads(d, changes, counter)
						if err != nil {
							return err
						}
						loads = append(loads, doc)
					}
				}
			}
			if f.agent != "" && !compared && len(previews) > 0 {
				_, res, err := desk.Impact.Toolset(ctx, f.agent, scene.Layer, scene.Where)
				if err != nil {
					return err
				}
				for _, w := range res.Warnings {
					a.Note("toolcrib: %s", output.FullStop(w+"; the entry is skipped"))
				}
			}
			for _, p := range previews { // the prompt of an unknown channel is that of another channel, so warn the user
				if scene.Channel != "" && !slices.Contains(p.Channels, scene.Channel) {
					a.Note("toolcrib: %s is not a channel of %s%s; the preview shows the prompt for the channel %s instead.", scene.Channel, p.Agent.ID, output.DidYouMean(scene.Channel, "", p.Channels), prompt.Web)
				}
			}
			if f.agent != "" && f.channel != everyChannel && len(docs) == 1 {
				return a.Print(document.OnePreview{Head: output.NewHead("preview"), Preview: docs[0]}, func(p *output.Page) { writePreviews(p, docs, f.show) })
			}
			list := document.PreviewList{Head: output.NewHead("preview.list"), Previews: append([]document.Preview{}, docs...), Files: loads}
			return a.Print(list, func(p *output.Page) {
				if len(docs) > 0 || len(loads) == 0 {
					writePreviews(p, docs, f.show)
				}
				writeLoads(p, loads, f.show)
			})
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.agent, "agent", "", "the `ID` or subject of the agent")
	set.StringVar(&f.channel, "channel", everyChannel, "`CHANNEL` such as web or telegram, or all")
	set.StringVar(&f.show, "show", "", "print `WHAT`: summary, now, after or diff")
	set.BoolVar(&f.to.SkipTools, "skip-tools", false, "leave out the tool catalog")
	set.BoolVar(&f.to.Where.IncludeDeferred, "deferred", false, "include deferred tools")
	set.BoolVar(&f.notLocal, "not-local", false, "assume that the agent does not work on the user's machine")
	set.BoolVar(&f.noSemantic, "no-embedding", false, "assume that the agent has no semantic search")
	set.StringVar(&f.user, "user", "", "use the stored data of the user `NAME` (default: the login name; with proposals, no user)")
	set.StringVar(&f.customer, "customer", "", "use the data that the user has for the customer `NAME`")
	set.BoolVar(&f.reference, "reference", false, "render the prompt as reviews do: at a fixed time, without user data")
	set.StringVar(&f.at, "at", "", "use `TIME` as the current time (RFC 3339; default: now)")
	set.StringVar(&f.context, "context", "", "read the time, the zone, and the user data from `FILE`, - for standard input")
	return cmd
}

func (f *previewFlags) check(compared bool) error {
	switch {
	case f.reference && (f.user != "" || f.customer != "" || f.at != "" || f.context != ""):
		return process.Usagef("--reference renders at a fixed time and without user data; it cannot be combined with --user, --customer, --at, or --context")
	case !compared && (f.show == showAfter || f.show == showDiff):
		return process.Usagef("--show %s needs a proposal to compare with", f.show)
	case f.show == "" && compared:
		f.show = showDiff
	case f.show == "" && f.channel != everyChannel:
		f.show = showNow
	case f.show == "":
		f.show = showSummary
	case !slices.Contains([]string{showSummary, showNow, showAfter, showDiff}, f.show):
		return process.Usagef("--show is %q: use summary, now, after, or diff", f.show)
	}
	if !registry.ValidChannel(f.channel) {
		return process.Usagef("--channel is %q: use a name such as web, or all", f.channel)
	}
	return nil
}

// scenery returns the time, the channel, the user's data, and other conditions for rendering the prompts. It reads them
// from the flags, the context file, and the database, which must be open.
func (f *previewFlags) scenery(ctx context.Context, a *command.App, compared bool) (impact.Scene, error) {
	s := f.to
	s.Layer, s.Where.Local, s.Where.Embedding = a.Config.Layer, !f.notLocal, !f.noSemantic
	if f.channel != everyChannel {
		s.Channel = f.channel
	}
	if f.reference {
		s.Context = prompt.Reference()
		return s, nil
	}
	var file struct { // content of the context file; all keys are optional
		At               string `json:"at"`   // RFC 3339
		Zone             string `json:"zone"` // IANA name
		UserInstructions string `json:"user_instructions"`
		MemoryNotes      string `json:"memory_notes"`
		LastMessageAt    string `json:"last_message_at"` // RFC 3339
		BootstrapContext string `json:"bootstrap_context"`
	}
	if f.context != "" {
		data, err := a.ReadAll(ctx, f.context)
		if err != nil {
			return s, err
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err == nil {
			err = jsondoc.Bind(n, jsondoc.Root, &file).Err()
		}
		if err != nil {
			return s, process.Usagef("%s is not a valid file for --context: %v", f.context, err)
		}
	}
	at, err := command.ParseTime(cmp.Or(f.at, file.At))
	if err != nil {
		return s, err
	}
	s.Context = prompt.Context{Now: at, Zone: file.Zone, UserInstructions: file.UserInstructions, MemoryNotes: file.MemoryNotes, BootstrapContext: file.BootstrapContext}
	if at.IsZero() {
		s.Context.Now = a.Env.Now()
	}
	last, err := command.ParseTime(file.LastMessageAt)
	if err != nil {
		return s, err
	}
	if !last.IsZero() {
		s.Context.LastMessageAt = &last
	}
	if compared && f.user == "" {
		return s, nil
	}
	user := cmp.Or(f.user, a.User())
	return s, command.AddStoredContext(ctx, builtin.New(a.DB, builtin.Options{NewID: a.Env.NewID}), builtin.Owner{Customer: f.customer, User: user}, &s.Context)
}

func writePreviews(p *output.Page, docs []document.Preview, show string) {
	if len(docs) == 0 {
		p.Linef("No agent's prompt changes.")
	}
	for i, d := range docs {
		if i > 0 && docs[i-1].Subject == d.Subject {
			continue
		}
		p.Gap()
		same := docs[i:]
		if end := slices.IndexFunc(same, func(o document.Preview) bool { return o.Subject != d.Subject }); end > 0 {
			same = same[:end]
		}
		writeAgentPreview(p, same, show)
	}
}

// writeAgentPreview prints the previews of an agent, one for each channel.
func writeAgentPreview(p *output.Page, docs []document.Preview, show string) {
	p.Linef("%s for layer %s", docs[0].Subject, docs[0].View)
	p.Blank()
	columns, compared := []string{"CHANNEL", "CHARACTERS", "O200K_BASE", "CL100K_BASE"}, docs[0].Change != nil
	if compared {
		columns = append(columns, "")
	}
	p.Table(columns, lists.Map(docs, func(d document.Preview) []string {
		if compared {
			return append([]string{d.Channel}, costCells(d.Compared)...)
		}
		return []string{d.Channel, output.Itoa(d.Chars), output.Itoa(d.Tokens.O200k), output.Itoa(d.Tokens.Cl100k)}
	}))
	reported := map[string]bool{} // most channels truncate the same texts
	for _, d := range docs {
		for _, c := range d.Cuts {
			if !reported[c.Message] {
				p.Linef("Limit: %s", c.Message)
			}
			reported[c.Message] = true
		}
	}
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
				p.Linef("This prompt does not exist.")
				continue
			}
			p.Text("", text.Text)
		}
	}
}

// costCells returns the last cells of a row: the costs before and after the change, and the kind of change.
func costCells(d document.Compared) []string {
	before := cmp.Or(d.Before, &document.Prompt{}).Cost
	return []string{document.FromTo(before.Chars, d.Chars), document.FromTo(before.Tokens.O200k, d.Tokens.O200k), document.FromTo(before.Tokens.Cl100k, d.Tokens.Cl100k), d.Becomes()}
}

// writeChanges prints the diffs of the prompts that change. If several channels have the same diff, it prints the diff
// only once, below the names of these channels.
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

// writeLoads prints which texts of files enter the context of an agent, with their costs and changes.
func writeLoads(p *output.Page, docs []document.Loads, show string) {
	for _, d := range docs {
		p.Gap()
		p.Linef("%s, %s", d.Subject, d.Path)
		document.WriteContextCosts(p, d.Cost)
		p.Blank()
		p.Table([]string{"ENTERS", "FILE", "CHARACTERS", "O200K_BASE", "CL100K_BASE", ""}, lists.Map(d.Parts, func(part document.Part) []string {
			file := part.File
			if part.Note != "" {
				file += ": " + part.Note
			}
			if unknown := instructions.Occasion(part.When); unknown == instructions.Printed || unknown == instructions.NotText {
				return []string{part.When, file, "-", "-", "-", part.Becomes()}
			}
			return append([]string{part.When, file}, costCells(part.Compared)...)
		}))
		for _, part := range d.Parts {
			text := part.Text
			if show == showNow {
				text = cmp.Or(part.Before, &document.Prompt{}).Text
			}
			hunks := *cmp.Or(part.Diff, &[]document.Hunk{})
			if show == showSummary || show == showDiff && len(hunks) == 0 || show != showDiff && text == "" {
				continue
			}
			p.Blank()
			p.Raw(p.Paint(output.InkStrong, "── "+output.Safe(part.When)+": "+output.Safe(part.File)+" ──"))
			if show != showDiff {
				p.Text("", text)
				continue
			}
			for _, h := range hunks {
				document.WriteHunk(p, h)
			}
		}
	}
}
