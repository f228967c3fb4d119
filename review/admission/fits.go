// This file checks whether a draft fits its base version, the live version, and the type of the proposal.

package admission

import (
	"context"
	"errors"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/records"
)

// Fits returns the conflicts of draft with its base version and with the live version. It is not a conflict if the
// base is older than the live version: the proposal is then stale and can be rebased.
func Fits(ctx context.Context, r review.RegistryReader, draft proposals.Draft) (proposals.Problems, error) {
	now, err := impact.Live(ctx, r, draft.Subject)
	switch {
	case err != nil:
		return nil, err
	case draft.Type == proposals.New:
		var ps proposals.Problems
		if now != nil {
			ps = misfit(proposals.RuleSubject, "type", "is new, but %s already exists in version %d (%s); propose to modify or reactivate it",
				draft.Subject, now.Version, now.Definition.Status())
		}
		if draft.Definition.Status() != registry.Active {
			ps = append(ps, misfit(proposals.RuleDefinition, "definition.status", "is deactivated; a new definition must be active")...)
		}
		return ps, nil
	case now == nil:
		return misfit(proposals.RuleSubject, "type", "is %s, but %s does not exist; propose it as new", draft.Type, draft.Subject), nil
	case draft.Type == proposals.Deactivate && now.Refused != nil: // its text would go live unseen if it is reactivated later
		return misfit(proposals.RuleSubject, "type", "is %s, but version %d is not trusted, so agents do not get it; propose to modify or restore it", draft.Type, now.Version), nil
	case draft.Base() > now.Version:
		return misfit(proposals.RuleBaseVersion, "baseVersion", "is %d, but the live version is %d", draft.Base(), now.Version), nil
	}
	base := now.Definition
	if draft.Base() < now.Version || now.Refused != nil {
		if base, err = records.Definition(ctx, r, draft.Subject, draft.Base()); err != nil {
			return nil, err
		}
	}
	// A version without a valid signature can be approved again with the same content.
	again := now.Refused != nil && draft.Base() == now.Version
	if draft.Type == proposals.Modify {
		var ps proposals.Problems
		if draft.Definition.Hash() == base.Hash() && !again {
			ps = misfit(proposals.RuleDefinition, "definition", "is the same as version %d; change something, or withdraw the proposal", draft.Base())
		}
		if draft.Definition.Status() != base.Status() && !again {
			ps = append(ps, misfit(proposals.RuleDefinition, "definition.status", "cannot be changed by a proposal of the type modify; propose to deactivate or reactivate instead")...)
		}
		return ps, nil
	}
	from := base
	if draft.Type == proposals.Restore {
		from, err = records.Definition(ctx, r, draft.Subject, draft.RestoreVersion)
		if errors.Is(err, proposals.ErrNotFound) {
			return misfit(proposals.RuleRestoreVersion, "restoreVersion", "is %d, but the newest version of %s is %d", draft.RestoreVersion, draft.Subject, now.Version), nil
		}
		if err != nil {
			return nil, err
		}
	}
	want := Implied(draft.Type, from)
	var ps proposals.Problems
	if want.Hash() == base.Hash() && !again {
		ps = misfit(proposals.RuleSubject, "type", "is %s, but this would change nothing: version %d is %s and has the same content",
			draft.Type, draft.Base(), base.Status())
	}
	if draft.Definition.Hash() != want.Hash() {
		ps = append(ps, misfit(proposals.RuleDefinition, "definition", "differs from the result of the type %s; omit definition, or propose to modify", draft.Type)...)
	}
	return ps, nil
}

func misfit(rule, path, format string, args ...any) proposals.Problems {
	return proposals.Problems{{Rule: rule, Problem: jsondoc.Problem{Path: path, Message: fmt.Sprintf(format, args...)}}}
}

// Implied returns the definition that a proposal of type t creates from source, which is the base or, for a
// restoration, the version to restore.
func Implied(t proposals.Type, source registry.Definition) registry.Definition {
	switch t {
	case proposals.Deactivate:
		return source.WithStatus(registry.Deactivated)
	case proposals.Reactivate:
		return source.WithStatus(registry.Active)
	default:
		return source
	}
}
