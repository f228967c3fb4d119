package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"toolcrib/gateway/builtin"
	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// What of a preview is printed for a person.
const (
	showSummary = "summary"
	showNow     = "now"
	showAfter   = "after"
	showDiff    = "diff"
)

// everyChannel is what --channel calls all of them.
const everyChannel = "all"

type previewFlags struct {
	agent, channel, show string
	user, customer       string
	skipTools, deferred  bool
	reference            bool
	notLocal, noSemantic bool
	scene                sceneFlags
}

func newPreview(a *app) *cobra.Command {
	var f previewFlags
	cmd := &cobra.Command{
		Use:   "preview [ID…]",
		Short: "Show the exact prompt that a channel gets, now or after an approval",
		Long: `Render the prompt of an agent for one channel or all of them, with its length in
characters and tokens and where hosts would cut it.

With proposals (an ID, #N or set:NAME) it is rendered as it would be after they
are approved, together with the rest of their change sets, and held against what
it is now. Without --agent every agent is shown whose prompts they can change.

Without proposals it is the prompt as it is used: with the instructions and notes
that are stored of a user (--user), and for the time that it is. With proposals
nothing is known of the user unless --user names one, before and after alike.
What the flags and --context say stands over what is stored. --reference renders
what a review seals and an export writes: at a fixed time, for a user of whom
nothing is known. The same registry, user, time and flags give the same bytes.

The agent is taken to work on the user's machine with semantic search, as in a
review.

For people hidden characters are shown as such; --json holds the exact text.
Nothing is sent to a model, and nothing is approved. An agent that has no tools is
an error: it does not run.`,
		Example: `  toolcrib preview --agent assistant --channel telegram
  toolcrib preview --agent assistant --channel web --user ada
  toolcrib preview 4
  toolcrib preview set:rollout --agent assistant --channel all --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runPreview(cmd.Context(), a, args, f) },
	}
	set := cmd.Flags()
	set.StringVar(&f.agent, "agent", "", "the `ID` or subject of the agent")
	set.StringVar(&f.channel, "channel", everyChannel, "`CHANNEL` such as web or telegram, or all")
	set.StringVar(&f.show, "show", "", "print `WHAT`: summary, now, after or diff")
	set.BoolVar(&f.skipTools, "skip-tools", false, "leave the catalog of tools out")
	set.BoolVar(&f.deferred, "deferred", false, "with the tools that wait to be discovered")
	set.BoolVar(&f.notLocal, "not-local", false, "the agent works away from the user's machine")
	set.BoolVar(&f.noSemantic, "no-embedding", false, "there is no semantic search")
	set.StringVar(&f.user, "user", "", "with what is stored of the user `NAME` (default: the login name; nobody with proposals)")
	set.StringVar(&f.customer, "customer", "", "with what is stored of that user at the customer `NAME`")
	set.BoolVar(&f.reference, "reference", false, "as a review renders it, whatever is stored and whatever the time is")
	f.scene.register(set)
	return cmd
}

func (f *previewFlags) check(compared bool) error {
	switch {
	case f.reference && (f.user != "" || f.customer != "" || f.scene != sceneFlags{}):
		return usagef("--reference fixes the time and the user; leave out what says another")
	case !compared && (f.show == showAfter || f.show == showDiff):
		return usagef("--show %s needs a proposal to compare with", f.show)
	case f.show == "" && compared:
		f.show = showDiff
	case f.show == "" && f.channel != everyChannel:
		f.show = showNow
	case f.show == "":
		f.show = showSummary
	case !slices.Contains([]string{showSummary, showNow, showAfter, showDiff}, f.show):
		return usagef("--show is %q; write summary, now, after or diff", f.show)
	}
	if !registry.ValidChannel(f.channel) {
		return usagef("--channel is %q; a channel is a name such as web, or all", f.channel)
	}
	return nil
}

func runPreview(ctx context.Context, a *app, refs []string, f previewFlags) error {
	compared := len(refs) > 0
	if err := f.check(compared); err != nil {
		return err
	}
	desk, err := a.openDesk(ctx)
	if err != nil {
		return err
	}
	scene, err := f.scenery(ctx, a, compared)
	if err != nil {
		return err
	}
	var ids []proposals.ID
	if compared {
		if ids, err = a.ids(ctx, desk, refs); err != nil {
			return err
		}
	}
	previews, err := desk.Preview(ctx, ids, f.agent, scene)
	if err != nil {
		return err
	}
	for _, p := range previews {
		switch {
		case p.Toolless == nil:
		case len(previews) == 1:
			return p.Toolless
		default:
			a.note("toolcrib: %s", stop(p.Toolless.Error()))
		}
	}
	docs, err := newDocPreviews(previews, compared)
	if err != nil {
		return err
	}
	a.noteChannel(scene.Channel, previews)
	if f.agent != "" && f.channel != everyChannel && len(docs) == 1 {
		return a.print(docOnePreview{Schema: schema, Kind: "preview", docPreview: docs[0]}, func(p *page) { writePreviews(p, docs, f.show) })
	}
	list := docPreviewList{Schema: schema, Kind: "preview.list", Previews: append([]docPreview{}, docs...)}
	return a.print(list, func(p *page) { writePreviews(p, docs, f.show) })
}

// noteChannel says which agents do not have the channel that is shown: it gets
// the text of web, which nobody would tell from a channel of its own.
func (a *app) noteChannel(channel string, previews []review.Preview) {
	for _, p := range previews {
		if channel != "" && !slices.Contains(p.Channels, channel) {
			a.note("toolcrib: %s is no channel of %s, so it gets the text of %s%s.", channel, p.Agent.ID, prompt.Web, perhaps(channel, "", p.Channels))
		}
	}
}

// scenery is what the prompts are rendered for. The desk is open.
func (f *previewFlags) scenery(ctx context.Context, a *app, compared bool) (review.Scene, error) {
	s := review.Scene{
		Where:     registry.Context{Local: !f.notLocal, Embedding: !f.noSemantic, IncludeDeferred: f.deferred},
		SkipTools: f.skipTools,
	}
	if f.channel != everyChannel {
		s.Channel = f.channel
	}
	var err error
	if s.Layer, err = a.layer(); err != nil {
		return s, err
	}
	if f.reference {
		s.Context = prompt.Reference()
		return s, nil
	}
	if s.Context, err = f.scene.context(ctx, a); err != nil || compared && f.user == "" {
		return s, err
	}
	user := f.user
	if user == "" {
		user = loginName(a.env)
	}
	return s, recall(ctx, builtin.New(a.db, builtin.Options{NewID: a.env.NewID}), builtin.Owner{Customer: f.customer, User: user}, &s.Context)
}
