package proposal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/history/diff"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

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
		ids, err := b.Desk.Reading.Resolve(ctx, thing)
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
	d, err := b.Desk.Reading.Show(ctx, b.Actor, id)
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
