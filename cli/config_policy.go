package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
)

// policyConfig is a [[policy]] entry: who owns some subjects, and how many owners
// approve a change of one before it goes live.
type policyConfig struct {
	Subjects  []string `toml:"subjects"`  // patterns, such as "tool:project/*/*"
	Owners    []string `toml:"owners"`    // users, such as "user:mara"
	Approvals *int     `toml:"approvals"` // 1 when it is left out
	Since     string   `toml:"since"`     // it judges what is approved from then on
	Until     string   `toml:"until"`     // and before that
}

// policyRule is an entry that was read, with the place where it stands.
type policyRule struct {
	approval.Rule
	place string // "FILE, line 12"
}

var policyHead = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*policy[ \t]*\]\]`)

// readPolicies adds the entries of a file to those of other files: all that match a
// subject have to be satisfied, whichever file they stand in.
func (c *config) readPolicies(file string, text []byte, entries []policyConfig) error {
	heads := policyHead.FindAllIndex(text, -1)
	rules := slices.Clone(c.rules)
	for i, entry := range entries {
		place := fmt.Sprintf("%s, policy %d", file, i+1)
		if i < len(heads) {
			place = fmt.Sprintf("%s, line %d", file, 1+bytes.Count(text[:heads[i][1]], []byte("\n")))
		}
		rule, err := entry.rule()
		if err == nil {
			err = rule.Check()
		}
		if err != nil {
			return fmt.Errorf("configuration %s: [[policy]]: %w", place, err)
		}
		rules = append(rules, policyRule{rule, place})
	}
	c.rules = rules
	return nil
}

// rule reads an entry.
func (p policyConfig) rule() (approval.Rule, error) {
	r := approval.Rule{Owners: p.Owners, Approvals: 1}
	if p.Approvals != nil {
		r.Approvals = *p.Approvals
	}
	for _, s := range p.Subjects {
		pattern, err := approval.ParsePattern(s)
		if err != nil {
			return r, fmt.Errorf("subjects: %w", err)
		}
		r.Subjects = append(r.Subjects, pattern)
	}
	for _, owner := range p.Owners {
		if actor, err := proposals.ParseActor(owner); err != nil || actor.Kind != proposals.User {
			return r, fmt.Errorf(`owners has %q; write users such as "user:mara", because nobody else approves`, owner)
		}
	}
	for _, bound := range []struct {
		key, text string
		to        *time.Time
	}{{"since", p.Since, &r.Since}, {"until", p.Until, &r.Until}} {
		if bound.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, bound.text)
		if err != nil {
			return r, fmt.Errorf(`%s is %q; write a time with its zone, such as "2026-12-01T00:00:00Z"`, bound.key, bound.text)
		}
		*bound.to = at.UTC()
	}
	return r, nil
}

// setOrigin sets the origin of the entries read last.
func (c *config) setOrigin(from string, read int) {
	c.rules = slices.Clone(c.rules)
	for i := read; i < len(c.rules); i++ {
		c.rules[i].From = from
	}
}

// approvals returns the policy as the review service has it.
func (c config) approvals() approval.Rules {
	return mapped(c.rules, func(r policyRule) approval.Rule { return r.Rule })
}

func (c config) listPolicies(values settingValues, sources map[string]string) {
	for i, r := range c.rules {
		key := toml.Key{"policy", itoa(i + 1)}.String()
		values[key], sources[key] = r.String(), r.place
	}
}

// policyProblems reports entries that cannot be satisfied where decisions are
// signed, because owners cannot sign.
func (c config) policyProblems(now time.Time) []string {
	if c.Signatures != signaturesRequired {
		return nil
	}
	s, err := c.signers.Signers()
	if err != nil || s == nil {
		return nil // the signers are reported by themselves
	}
	var problems []string
	for _, r := range c.rules {
		able := 0
		for _, owner := range r.Owners {
			if canSign(s, owner, now) {
				able++
				continue
			}
			problems = append(problems, fmt.Sprintf("%s: %s owns %s and cannot sign, because the signers file has no key of that name that is valid now; add one with toolcrib signers add, or name another owner",
				r.place, owner, r.Subjects[0]))
		}
		if able < r.Approvals {
			problems = append(problems, fmt.Sprintf("%s: %d of its owners can sign and it asks for %d approvals, so nothing that it applies to can go live", r.place, able, r.Approvals))
		}
	}
	return problems
}

// canSign reports whether the signers file has a key by which a user may sign now.
func canSign(s *signers.Signers, user string, now time.Time) bool {
	return slices.ContainsFunc(s.Entries(), func(e signers.Entry) bool {
		return slices.Contains(e.Principals, user) && (s.Revoked() == nil || !s.Revokes(e.Key)) && e.ValidAt(now)
	})
}

// fromProject is the origin of a setting that a project's file tightened.
const fromProject = approval.FromProject

// origins returns for each setting of a file, flag or variable the kind of source
// it comes from: what decisions record names no path of this machine.
func (c config) origins() map[string]string {
	kinds := map[string]string{}
	for key, source := range c.sources {
		switch {
		case source == c.userFile:
			kinds[key] = "user"
		case source == c.projectFile:
			kinds[key] = fromProject
		case source == c.systemFile():
			kinds[key] = "system"
		case strings.HasPrefix(source, "-"):
			kinds[key] = "flag"
		case source != "":
			kinds[key] = "environment"
		}
	}
	return kinds
}

func newDocPolicy(settings review.Settings) []docSetting {
	return mapped(settings, func(s review.Setting) docSetting { return docSetting{Key: s.Key, Value: s.Value, Source: s.From} })
}

// tellDeciding prints which settings of a project's file a decision depends on:
// others may be able to write that file.
func (a *app) tellDeciding(c config) {
	if s := c.policy().Settings().Deciding().From(fromProject); len(s) > 0 {
		a.note("toolcrib: decided under %s: %s", c.projectFile, stop(s.String()))
	}
}
