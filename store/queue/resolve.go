// This file finds proposals by number, by id or its prefix, or by subject.

package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/store/table"
)

// idLength is the length of a UUID in its text form.
const idLength = 36

// ResolveIDs implements review.ProposalReader. It looks up all complete ids with a single statement.
func (s Proposals) ResolveIDs(ctx context.Context, refs []string) ([]proposals.ID, error) {
	whole := make([]string, 0, len(refs))
	for _, ref := range refs {
		if len(ref) == idLength {
			whole = append(whole, strings.ToLower(ref))
		}
	}
	found, err := table.All(ctx, s, table.ScanValue[proposals.ID], "SELECT p.id FROM json_each($1, '$') j CROSS JOIN proposals p WHERE p.id = j.value", table.JSONArray(whole))
	if err != nil {
		return nil, err
	}
	known := lists.Set(found, func(id proposals.ID) proposals.ID { return id })
	ids := make([]proposals.ID, len(refs))
	for i, ref := range refs {
		if ids[i] = proposals.ID(strings.ToLower(ref)); known[ids[i]] {
			continue
		}
		if ids[i], err = s.resolveID(ctx, ref); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// resolveID finds the proposal that ref refers to. The argument ref is the number of a proposal, a unique
// prefix of its id, its subject, or the id of the tool or other object that it defines. The last two forms
// require that only one open proposal matches.
func (s Proposals) resolveID(ctx context.Context, ref string) (proposals.ID, error) {
	number, marked := strings.CutPrefix(ref, "#")
	prefix := strings.ToLower(ref)
	switch {
	case marked, ref != "" && strings.Trim(ref, "0123456789") == "":
		return s.byNumber(ctx, number)
	case strings.Contains(ref, ":"):
		subject, err := registry.ParseSubject(ref)
		if err != nil {
			return "", fmt.Errorf("%s: %w: %v", jsondoc.Quote(ref), proposals.ErrNotFound, err) //nolint:errorlint // %v hides ErrSubject, which callers would treat as a usage error
		}
		return s.onlyOpen(ctx, ref, "subject = $1", subject.String())
	case len(ref) >= proposals.MinPrefix && ref[0] == '0' && len(ref) <= idLength && strings.Trim(prefix, "0123456789abcdef-") == "":
		// A UUIDv7 starts with 0 until the year 10889.
		found, err := s.some(ctx, "p.id >= $1 AND p.id < $2 ORDER BY p.id LIMIT 3", prefix, prefix+"g")
		switch {
		case err != nil:
			return "", err
		case len(found) == 0:
			return "", table.NotFound("proposal %s", prefix)
		case len(found) > 1:
			return "", ambiguous(prefix+" matches the ids of the proposals", found, 2)
		}
		return found[0].ID, nil
	case registry.ValidID(ref):
		return s.onlyOpen(ctx, ref, "subject_id = $1", ref)
	}
	return "", proposals.Reason(proposals.ErrNotFound, "no proposal matches %s; use the number or the subject of a proposal, or at least the first eight characters of its id", jsondoc.Quote(ref))
}

func (s Proposals) byNumber(ctx context.Context, number string) (proposals.ID, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || strings.Trim(number, "0123456789") != "" {
		return "", proposals.Reason(proposals.ErrNotFound, "%s is not the number of a proposal", jsondoc.Quote("#"+number))
	}
	var id proposals.ID
	err = s.Row(ctx, "SELECT id FROM proposals WHERE issue = $1 AND issue > 0", []any{n}, &id)
	if err = table.Missing(err, "proposal #%d", n); !errors.Is(err, proposals.ErrNotFound) {
		return id, err
	}
	var last int
	if rowErr := s.Row(ctx, "SELECT coalesce(max(number), 0) FROM issues", nil, &last); rowErr != nil {
		return "", rowErr
	}
	if last == 0 {
		return "", fmt.Errorf("%w; no proposal has a number yet", err)
	}
	return "", fmt.Errorf("%w; the newest is #%d", err, last)
}

// onlyOpen returns the open proposal that satisfies condition. It returns an error if there is none or more
// than one.
func (s Proposals) onlyOpen(ctx context.Context, ref, condition string, value string) (proposals.ID, error) {
	found, err := s.some(ctx, "p."+condition+" AND p."+openStates+" ORDER BY p.seq LIMIT 4", value)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) > 1:
		return "", ambiguous(ref+" matches the subjects of the proposals", found, 3)
	}
	if found, err = s.some(ctx, "p."+condition+" ORDER BY p.seq DESC LIMIT 1", value); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", proposals.Reason(proposals.ErrNotFound, "no proposal for %s; list the proposals with toolcrib list, or the live tools with toolcrib tools", ref)
	}
	return "", proposals.Reason(proposals.ErrNotFound, "no open proposal for %s; the newest proposal is %s (%s); to show the live definition, run toolcrib tools %s", ref, found[0].Handle(), found[0].State, found[0].Subject)
}

func (s Proposals) some(ctx context.Context, where string, args ...any) ([]proposals.Proposal, error) {
	return table.All(ctx, s, table.Reading(proposalRow), "SELECT"+listColumns+fromProposals+"WHERE "+where, args...)
}

// ambiguous returns an error that lists the handles of at most limit of the proposals that a reference
// matches.
func ambiguous(what string, found []proposals.Proposal, limit int) error {
	names := lists.Map(found[:min(len(found), limit)], func(p proposals.Proposal) string { return p.Handle() + " (" + p.Subject.String() + ")" })
	if len(found) > limit {
		names = append(names, "more")
	}
	return fmt.Errorf("%s %s; use the number of a proposal: %w", what, strings.Join(names, ", "), review.ErrAmbiguous)
}
