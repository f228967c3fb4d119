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
	// ManualChief makes submissions wait for the assessment of a chief. Otherwise, the built-in reviewer assesses them
	// at once.
	ManualChief bool
	// FourEyes prevents the author of a revision from approving it.
	FourEyes bool
	// RequireExpect makes the review digest mandatory for approvals.
	RequireExpect bool
	// MaxOpen limits the open proposals per agent; 0 means DefaultMaxOpen.
	MaxOpen int
	// MaxOpenAll limits the open proposals of all agents together, so that an agent gains nothing by changing its name.
	// 0 means DefaultMaxOpenAll, or MaxOpen if that is larger.
	MaxOpenAll int
	// MaxWrites limits the drafts, revisions, and comments per agent and hour; 0 means DefaultMaxWrites.
	MaxWrites int
	// Approvals lists the owners of subjects and the number of owners who must approve.
	Approvals approval.Rules
	// Severities overrides the severities of rules by id.
	Severities map[string]rules.Severity
	// Reach contains decisions about facts of reach.
	Reach fact.Decisions
	// Origins maps keys of toolcrib.toml to the origins of their values, such as "user" or "project". A missing key has
	// its default.
	Origins map[string]string
	// Consultants review all submissions in addition to the rules.
	Consultants []Consultant
	// Model answers test cases that have no recorded answer. It may be nil.
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

// OpenOfAll returns the limit of open proposals of all agents.
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

// Settings is a policy in the form in which it is recorded with decisions and shown to deciders.
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

// Ownership returns the rules of a need as settings.
func Ownership(need approval.Need) Settings {
	settings := make(Settings, len(need))
	for i, r := range need {
		settings[i] = Setting{Key: fmt.Sprintf("policy.%d", i+1), Value: r.String(), From: r.From}
	}
	return settings
}

// Deciding returns the settings that affect whether an approval is accepted. The limits for agents do not.
func (s Settings) Deciding() Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return strings.HasPrefix(s.Key, "max_") })
}

// From returns the settings with the given origin.
func (s Settings) From(origin string) Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return s.From != origin })
}

// String returns the settings on one line. If there are many rules, it counts them by origin.
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

// namedRules limits the number of rules per origin that String lists.
const namedRules = 3

// Record returns the settings in the format of an event.
func (s Settings) Record() map[string]any {
	return lists.Index(s, func(one Setting) (string, any) { return one.Key, map[string]any{"value": one.Value, "from": one.From} })
}

// Version returns an identifier of the parts of the policy on which decisions depend.
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
