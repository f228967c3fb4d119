// This file defines the settings of a team for reviews and decisions.

package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/approval"
	"toolcrib/review/harness"
	"toolcrib/review/proof"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
)

// Policy contains the settings of a team for reviews and decisions.
type Policy struct {
	// ManualChief makes each submission wait until a chief assesses it. If it is false and no consultants are
	// configured, the built-in reviewer assesses submissions at once.
	ManualChief bool
	// FourEyes rejects an approval by the author of the revision.
	FourEyes bool
	// RequireExpect rejects an approval that does not specify the expected review digest.
	RequireExpect bool
	// MaxOpen limits the open proposals per agent; 0 means DefaultMaxOpen.
	MaxOpen int
	// MaxOpenAll limits the number of open proposals of all agents together. An agent therefore gains nothing by
	// changing its name. 0 means the greater of DefaultMaxOpenAll and MaxOpen.
	MaxOpenAll int
	// MaxWrites limits the number of drafts, revisions, and comments that an agent can write per hour; 0 means
	// DefaultMaxWrites.
	MaxWrites int
	// Approvals lists the owners of subjects and the number of owners who must approve a change.
	Approvals approval.Rules
	// Severities overrides the severities of rules by id.
	Severities map[string]rules.Severity
	// Reach lists the facts of reach that the team allows, warns about, or blocks.
	Reach fact.Decisions
	// Origins maps keys of toolcrib.toml to the origins of their values, such as "user" or "project". Keys without an
	// entry have their default values.
	Origins map[string]string
	// Consultants review all submissions in addition to the rules.
	Consultants []Consultant
	// Model answers the test cases that have no recorded answer. If it is nil, these test cases are not run.
	Model harness.Model
	// Signatures determines whether decisions must be signed.
	Signatures proof.Policy
}

// DefaultMaxOpen is the default limit of open proposals per agent.
const DefaultMaxOpen = 10

// DefaultMaxOpenAll is the default limit of open proposals of all agents.
const DefaultMaxOpenAll = 50

// DefaultMaxWrites is the default limit of drafts, revisions, and comments per agent and hour.
const DefaultMaxWrites = 120

// OpenOfAll returns the limit for the open proposals of all agents together.
func (p Policy) OpenOfAll() int {
	if p.MaxOpenAll > 0 {
		return p.MaxOpenAll
	}
	return max(DefaultMaxOpenAll, p.MaxOpen)
}

// Setting is a value of the policy with its origin.
type Setting struct {
	Key   string // key in toolcrib.toml
	Value string
	From  string // "default", "user", "project", …
}

// Settings is a list of settings of a policy. Each decision stores a copy of the list, and deciders see it.
type Settings []Setting

// Settings returns the settings of p that affect a decision.
func (p Policy) Settings() Settings {
	chief := "builtin"
	if p.ManualChief {
		chief = "manual"
	}
	s := Settings{
		{Key: "four_eyes", Value: strconv.FormatBool(p.FourEyes)},
		{Key: "require_expect", Value: strconv.FormatBool(p.RequireExpect)},
		{Key: "chief", Value: chief},
	}
	for _, id := range slices.Sorted(maps.Keys(p.Severities)) {
		s = append(s, Setting{Key: "rules." + id, Value: string(p.Severities[id])})
	}
	reach := p.Reach.Lists()
	for _, key := range slices.Sorted(maps.Keys(reach)) {
		s = append(s, Setting{Key: key, Value: reach[key]})
	}
	s = append(s, Setting{Key: "max_open_per_agent", Value: strconv.Itoa(p.MaxOpen)},
		Setting{Key: "max_open_all_agents", Value: strconv.Itoa(p.MaxOpenAll)}, Setting{Key: "max_writes_per_agent_hour", Value: strconv.Itoa(p.MaxWrites)})
	for i := range s {
		s[i].From = cmp.Or(p.Origins[s[i].Key], "default")
	}
	return s
}

// Ownership returns the rules in need as settings with the keys "policy.1", "policy.2", and so on.
func Ownership(need approval.Need) Settings {
	settings := make(Settings, len(need))
	for i, r := range need {
		settings[i] = Setting{Key: fmt.Sprintf("policy.%d", i+1), Value: r.String(), From: r.From}
	}
	return settings
}

// Deciding returns the settings that can affect whether an approval is accepted. It omits the limits for agents.
func (s Settings) Deciding() Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return strings.HasPrefix(s.Key, "max_") })
}

// From returns the settings with the given origin.
func (s Settings) From(origin string) Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return s.From != origin })
}

// String returns the settings on one line. If more than namedRules rules of one origin were changed, String shows
// their number instead of the rules.
func (s Settings) String() string {
	var words []string
	changed := map[string]int{}
	for _, one := range s {
		if strings.HasPrefix(one.Key, "rules.") {
			changed[one.From]++
		}
	}
	for _, one := range s {
		if n := changed[one.From]; n > namedRules && strings.HasPrefix(one.Key, "rules.") {
			if word := fmt.Sprintf("%d rules set (%s)", n, one.From); !slices.Contains(words, word) {
				words = append(words, word)
			}
			continue
		}
		words = append(words, fmt.Sprintf("%s = %s (%s)", one.Key, one.Value, one.From))
	}
	return strings.Join(words, ", ")
}

// namedRules is the maximum number of changed rules of one origin that Settings.String lists.
const namedRules = 3

// Record returns the settings as the value that events store: a map from keys to values and origins.
func (s Settings) Record() map[string]any {
	return lists.Index(s, func(one Setting) (string, any) { return one.Key, map[string]any{"value": one.Value, "from": one.From} })
}

// Version returns an identifier that changes with every part of the policy that affects assessments or approvals.
func (p Policy) Version() string {
	var decided any = p.Severities
	if len(p.Reach.Lists()) > 0 {
		decided = map[string]any{"rules": p.Severities, "reach": p.Reach}
	}
	b, err := jsondoc.Marshal(decided)
	if err != nil {
		panic(fmt.Sprintf("review: severities do not marshal: %v", err))
	}
	return history.Seal("toolcrib policy 2", fmt.Sprint(p.ManualChief), fmt.Sprint(p.FourEyes), fmt.Sprint(p.RequireExpect), string(b))[:12]
}
