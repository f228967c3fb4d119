package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/proposals/filter"
	"toolcrib/registry"
	"toolcrib/review"
)

func newList(a *command.App) *cobra.Command {
	var q review.Query
	var state, order, view string
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List proposals",
		Long: `List proposals: issue, id, state, type, subject, author, age, recommendation,
and worst finding. A truncated list ends with the cursor for --after.

A filter is a list of terms, all of which must match:

` + filter.Help() + `
A minus negates a term, commas separate alternatives: -state:draft,rejected.
Quotation marks look for exactly that text. [views] in your configuration
file names filters.`,
		Example: `  toolcrib list --state user_review
  toolcrib list --author agent: --sort risk
  toolcrib list --filter 'scene state:open -blocked' --limit 20 --json
  toolcrib list --view mine`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.State = proposals.State(strings.ReplaceAll(state, "-", "_"))
			if q.Order = review.Order(order); order == "newest" {
				q.Order = review.ByNewest
			}
			if err := a.ApplyView(&q, view); err != nil {
				return err
			}
			return runList(cmd.Context(), a, q)
		},
	}
	f := cmd.Flags()
	f.StringVar(&state, "state", "", "only those in `STATE`: draft, chief_review, user_review, needs_changes, approved, rejected or withdrawn")
	f.StringVar(&q.Author, "author", "", "only those by `ACTOR`, or by a kind of actor: \"agent:\"")
	f.StringVar(&q.Subject, "subject", "", "only those on `SUBJECT`")
	f.StringVar(&q.Filter, "filter", "", "only those that `FILTER` matches")
	f.StringVar(&view, "view", "", "only those that the filter called `NAME` in your configuration matches")
	f.StringVar(&order, "sort", "newest", "sort by `ORDER`: newest, oldest, risk (worst findings first), subject or author")
	f.IntVar(&q.Limit, "limit", review.DefaultPage, "at most `N` entries")
	f.StringVar(&q.After, "after", "", "continue a list at its `CURSOR`")
	return cmd
}

func runList(ctx context.Context, a *command.App, q review.Query) error {
	switch {
	case q.State != "" && !slices.Contains(proposals.States(), q.State):
		return process.Usagef("there is no state %q; write %s", q.State, strings.Join(stateNames(), ", "))
	case !slices.Contains(review.Orders(), q.Order):
		return process.Usagef("there is no order %q; write newest, oldest, risk, subject or author", q.Order)
	case q.Limit < 1 || q.Limit > review.MaxPage:
		return process.Usagef("--limit is %d; write 1 to %d", q.Limit, review.MaxPage)
	}
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return err
	}
	found, err := desk.List(ctx, q)
	if err != nil {
		return err
	}
	if a.Audience != nil {
		a.Audience.Listed(found.Proposals)
	}
	return a.Print(document.NewProposalList(found.Proposals, found.Next, false), func(p *output.Page) {
		if len(found.Proposals) == 0 {
			p.Remark("No proposals.")
			return
		}
		p.List(queueTable(p, found, a.Env.Now()))
		if found.Next != "" {
			p.Remark("More: --after %s", found.Next)
		}
	})
}

func stateNames() []string {
	return output.Mapped(proposals.States(), func(s proposals.State) string { return string(s) })
}

// queueTable lays proposals out by the facts that have a column.
func queueTable(p *output.Page, found review.Page, now time.Time) (header []string, rows [][]string) {
	rows = make([][]string, len(found.Proposals))
	view := facts.View{Age: func(t time.Time) string { return p.Age(t, now) }}
	for _, f := range facts.All() {
		if f.List.Heading == "" {
			continue
		}
		header = append(header, f.List.Heading)
		for i, m := range found.Proposals {
			if n := found.Prefixes; i < len(n) && !p.Piped {
				view.Prefix = n[i]
			}
			text := f.Text(m, view)
			if f.List.Most > 0 {
				text = p.Cut(text, f.List.Most)
			}
			rows[i] = append(rows[i], text)
		}
	}
	for i, m := range found.Proposals {
		rows[i] = append(rows[i], strings.Join(facts.Marks(m), ", "))
	}
	return append(header, ""), rows
}

// content is one side of a comparison and what to call it.
type content struct {
	label string
	diff.Content
}

// parseFileRef reports whether ref names a file: it begins with a dot or a
// slash or ends as a proposal file does.
func isFileRef(ref string) bool {
	switch strings.ToLower(filepath.Ext(ref)) {
	case ".json", ".md", ".markdown", ".ndjson":
		return true
	}
	return strings.HasPrefix(ref, ".") || strings.HasPrefix(ref, "/")
}

// sides reads what one argument of diff compares: SUBJECT@A..B or ID@A..B.
func sides(ctx context.Context, b command.Session, a *command.App, arg string) (left, right content, err error) {
	thing, span, hasSpan := strings.Cut(arg, "@")
	from, to, hasTo := strings.Cut(span, "..")
	if hasSpan && hasTo && from != "" && to != "" {
		if left, err = contentOf(ctx, b, a, thing+"@"+from); err != nil {
			return left, right, err
		}
		right, err = contentOf(ctx, b, a, thing+"@"+to)
		return left, right, err
	}
	return left, right, process.Usagef("%q is not a comparison; write %s@A..B, with versions, revisions, or live", arg, thing)
}

// proposed returns the two sides of a proposal: the version that its current
// revision was made from, and that revision.
func proposed(d review.Dossier) (left, right content) {
	left, right = content{label: "nothing"}, content{label: fmt.Sprintf("revision %d of %s", d.Revision.Number, d.Proposal.Handle())}
	if d.Base != nil {
		left.label = versionName(d.Proposal.BaseVersion)
	}
	left.Content, right.Content = d.Change()
	return left, right
}

// contentOf finds a definition: in a file, a version or the live one of a
// subject, or a revision of a proposal.
func contentOf(ctx context.Context, b command.Session, a *command.App, ref string) (content, error) {
	if isFileRef(ref) {
		return fileContent(ctx, a, ref)
	}
	thing, which, _ := strings.Cut(ref, "@")
	if isProposalRef(thing) {
		ids, err := b.Desk.Resolve(ctx, thing)
		switch {
		case err == nil && len(ids) == 1:
			return revisionContent(ctx, b, ids[0], which)
		case err != nil && !errors.Is(err, proposals.ErrNotFound):
			return content{}, err
		}
	}
	subject, err := a.Subject(ctx, thing)
	if err != nil {
		return content{}, err
	}
	return versionContent(ctx, a, subject, which)
}

// isProposalRef reports whether a reference is a proposal's number or the
// beginning of its id, which no tool's id looks like.
func isProposalRef(ref string) bool {
	return ref != "" && (ref[0] == '#' || ref[0] >= '0' && ref[0] <= '9')
}

// asTyped is a reference to a proposal as messages write it.
func asTyped(ref string) string {
	if strings.Trim(ref, "0123456789") == "" {
		return "#" + ref
	}
	return ref
}

func fileContent(ctx context.Context, a *command.App, name string) (content, error) {
	drafts, err := a.ReadDrafts(ctx, []string{name}, false)
	if err != nil {
		return content{}, err
	}
	if len(drafts) != 1 || drafts[0].Definition.IsZero() {
		return content{}, fmt.Errorf("%s holds %w to compare, or more than one", name, command.ErrNoContent)
	}
	return content{label: name, Content: drafted(drafts[0])}, nil
}

// drafted returns the definition of a draft, with its rationale, examples and test
// cases.
func drafted(d proposals.Draft) diff.Content {
	return diff.Content{Definition: d.Definition, Beside: d.Beside()}
}

func revisionContent(ctx context.Context, b command.Session, id proposals.ID, which string) (content, error) {
	d, err := b.Desk.Show(ctx, b.Actor, id)
	if err != nil {
		return content{}, err
	}
	number := d.Revision.Number
	switch which {
	case "":
	case "live":
		if d.Live == nil {
			return content{label: "nothing"}, nil
		}
		return content{label: "live " + versionName(d.Live.Version), Content: diff.Content{Definition: d.Live.Definition}}, nil
	case "base":
		if d.Base == nil {
			return content{label: "nothing"}, nil
		}
		return content{label: versionName(d.Proposal.BaseVersion), Content: diff.Content{Definition: *d.Base}}, nil
	default:
		if number, err = strconv.Atoi(strings.TrimPrefix(which, "r")); err != nil {
			return content{}, process.Usagef("%q is not a revision; write its number, base or live", which)
		}
	}
	for _, r := range d.Revisions {
		if r.Number == number {
			return content{label: fmt.Sprintf("revision %d of %s", number, d.Proposal.Handle()), Content: drafted(r.Draft)}, nil
		}
	}
	return content{}, command.NotFoundf("revision %d of %s", number, d.Proposal.Handle())
}

func versionContent(ctx context.Context, a *command.App, subject registry.Subject, which string) (content, error) {
	before, label := 0, ""
	if which != "" && which != "live" {
		number, err := command.ParseVersion(which)
		if err != nil {
			return content{}, err
		}
		before, label = number+1, fmt.Sprintf("version %d of %s", number, subject)
	}
	versions, err := a.DB.Versions(ctx, subject, before, 1)
	if err != nil {
		return content{}, err
	}
	if len(versions) == 0 || before > 0 && versions[0].Number != before-1 {
		return content{}, command.NotFoundf("%s", label)
	}
	v := versions[0]
	if label == "" {
		label = fmt.Sprintf("live version %d of %s", v.Number, subject)
	}
	d, err := registry.DecodeDefinition(subject.Kind, v.Definition)
	if err != nil {
		return content{}, fmt.Errorf("%s: %w", label, err)
	}
	return content{label: label, Content: diff.Content{Definition: d}}, nil
}
