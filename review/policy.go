package review

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/approval"
	"toolcrib/review/harness"
	"toolcrib/review/proof"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
)

// Policy is how a team runs its desk.
type Policy struct {
	// ManualChief makes a submission wait for a chief to file an assessment;
	// otherwise the built-in reviewer files one at once.
	ManualChief bool
	// FourEyes keeps the author of a revision from approving it.
	FourEyes bool
	// RequireExpect makes the review digest mandatory for every approval.
	RequireExpect bool
	// MaxOpen bounds the open proposals of one agent; 0 means DefaultMaxOpen.
	MaxOpen int
	// MaxOpenAll limits the open proposals of all agents together, so that an agent gains nothing by changing its name.
	// 0 means DefaultMaxOpenAll, or MaxOpen if that is larger.
	MaxOpenAll int
	// MaxWrites bounds the drafts, revisions and comments of one agent in an
	// hour; 0 means DefaultMaxWrites.
	MaxWrites int
	// Approvals has the owners of subjects, and how many of them have to approve.
	Approvals approval.Rules
	// Severities changes rules by id.
	Severities map[string]rules.Severity
	// Reach decides about facts of reach.
	Reach fact.Decisions
	// Origins maps keys of toolcrib.toml to the origins of their values, such as "user" or "project". A missing key has
	// its default.
	Origins map[string]string
	// Consultants review every submission in addition to the built-in rules.
	Consultants []Consultant
	// Model answers the test cases without a recorded answer. It may be nil.
	Model harness.Model
	// Signatures asks for signed decisions.
	Signatures proof.Policy
}

// DefaultMaxOpen sets how many proposals an agent may have open.
const DefaultMaxOpen = 10

// DefaultMaxOpenAll sets how many proposals all agents may have open together.
const DefaultMaxOpenAll = 50

// DefaultMaxWrites sets how many drafts, revisions and comments an agent may write
// in an hour.
const DefaultMaxWrites = 120

// OpenOfAll returns how many proposals all agents together may have open.
func (p Policy) OpenOfAll() int {
	if p.MaxOpenAll > 0 {
		return p.MaxOpenAll
	}
	return max(DefaultMaxOpenAll, p.MaxOpen)
}

// Setting is one value of the policy and its origin.
type Setting struct {
	Key   string // as toolcrib.toml has it
	Value string
	From  string // "default", "user", "project", …
}

// Settings are a policy as decisions record it and as deciders are shown it.
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
		if s[i].From = p.Origins[s[i].Key]; s[i].From == "" {
			s[i].From = "default"
		}
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

// Deciding are the settings that decide whether an approval is accepted; the
// limits of agents do not.
func (s Settings) Deciding() Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return strings.HasPrefix(s.Key, "max_") })
}

// From are the settings of one origin.
func (s Settings) From(origin string) Settings {
	return slices.DeleteFunc(slices.Clone(s), func(s Setting) bool { return s.From != origin })
}

// String writes the settings on one line. More rules than a line has room for
// are counted by origin.
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

// namedRules sets how many rules of one origin are named on a line.
const namedRules = 3

// Record returns the policy as an event keeps it.
func (s Settings) Record() map[string]any {
	record := map[string]any{}
	for _, one := range s {
		record[one.Key] = map[string]any{"value": one.Value, "from": one.From}
	}
	return record
}

// Version names the policy as far as a decision depends on it.
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
