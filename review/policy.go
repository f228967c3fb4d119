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
)

// Setting is one value of the policy, and where it comes from.
type Setting struct {
	Key   string // as toolcrib.toml has it
	Value string
	From  string // "default", "user", "project", …
}

// Settings are a policy as decisions record it and as deciders are shown it.
type Settings []Setting

// Settings returns everything of p that a decision stands on.
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
	s = append(s, Setting{Key: "max_open_per_agent", Value: strconv.Itoa(p.MaxOpen)},
		Setting{Key: "max_open_all_agents", Value: strconv.Itoa(p.MaxOpenAll)}, Setting{Key: "max_writes_per_agent_hour", Value: strconv.Itoa(p.MaxWrites)})
	for i := range s {
		if s[i].From = p.Origins[s[i].Key]; s[i].From == "" {
			s[i].From = "default"
		}
	}
	return s
}

// ownership returns the rules of a need as settings.
func ownership(need approval.Need) Settings {
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

// record returns the policy as an event keeps it.
func (s Settings) record() map[string]any {
	record := map[string]any{}
	for _, one := range s {
		record[one.Key] = map[string]any{"value": one.Value, "from": one.From}
	}
	return record
}

// version names the policy as far as a decision depends on it.
func (p Policy) version() string {
	b, err := jsondoc.Marshal(p.Severities)
	if err != nil {
		panic(fmt.Sprintf("review: severities do not marshal: %v", err))
	}
	return history.Seal("toolcrib policy 2", fmt.Sprint(p.ManualChief), fmt.Sprint(p.FourEyes), fmt.Sprint(p.RequireExpect), string(b))[:12]
}
