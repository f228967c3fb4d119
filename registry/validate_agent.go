package registry

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// The longest texts of an agent in characters (code points). MaxText is the
// limit of every text that has no own one.
const (
	MaxAgentDescription = 4_000
	MaxVibe             = 1_000
	MaxSoul             = 32_000
	MaxText             = 1 << 20
)

// Problems returns everything that keeps a from being a complete definition, each
// with its path below path and the expected value. It is nil when nothing does.
func (a Agent) Problems(path string) jsondoc.Problems {
	c := &checker{path: path}
	c.id("id", a.ID)
	c.require("name", a.Name, fmt.Sprintf("a label of 1 to %d characters", MaxName))
	c.text("name", a.Name, MaxName)
	c.text("description", a.Description, MaxAgentDescription)
	c.text("vibe", a.Vibe, MaxVibe)
	c.text("soul", a.Soul, MaxSoul)
	c.text("promptTemplate", a.PromptTemplate, MaxText)
	c.text("operatingModel", a.OperatingModel, MaxText)
	c.text("interactionLearning", a.InteractionLearning, MaxText)
	c.channels("channelGuidance", a.ChannelGuidance, MaxText)
	if a.SessionOpen != nil {
		s := c.at("sessionOpen")
		s.text("bootstrap", a.SessionOpen.Bootstrap, MaxText)
		s.text("returning", a.SessionOpen.Returning, MaxText)
		c.join(s)
	}
	c.text("onboarding", a.Onboarding, MaxText)
	if a.AllowList != nil {
		c.problems.Append(a.AllowList.Problems(jsondoc.Join(path, "allowList"))...)
	}
	c.categories("categories", a.Categories)
	if a.Timezone != "" && !plausibleZone(a.Timezone) {
		c.add("timezone", "expected the IANA name of a time zone such as Europe/Berlin, got %s", jsondoc.Quote(a.Timezone))
	}
	oneOf(c, "status", a.Status, Active, Deactivated)
	return c.problems
}

// plausibleZone reports whether name has the form of the names in the IANA time
// zone database; whether the zone exists is found out when it is used.
func plausibleZone(name string) bool {
	const letters = lower + upper + digits + "_+-"
	return madeOf(name, letters, letters+"/") && !strings.HasSuffix(name, "/") && !strings.Contains(name, "//")
}

// Problems returns all problems of the allow-list at path. A list is referred to
// by its name, which has the form of an id; resolving it shows whether the list
// exists.
func (a AllowList) Problems(path string) jsondoc.Problems {
	if a.Reference() {
		var ps jsondoc.Problems
		if !ValidID(a.Name) {
			ps.Add(path, "expected the name of an allow-list, a list of tool ids or an object, got %s", jsondoc.Quote(a.Name))
		}
		return ps
	}
	c := &checker{path: path}
	if a.Name != "" {
		c.id("name", a.Name)
	}
	c.allows(a)
	return c.problems
}

// few reports a list that repeats an entry or holds another than the allowed
// ones.
func few[T ~string](c *checker, key string, list []T, allowed ...T) {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = string(v)
	}
	c.names(key, names, len(allowed), func(s string) bool { return slices.Contains(allowed, T(s)) }, either(allowed))
}
