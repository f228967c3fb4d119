package registry

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// TextHash returns a hash over what agents read of t apart from what names it.
// Two tools have one hash when their texts are the same but for white space,
// whatever else is different; it is "" when t has no text.
func (t Tool) TextHash() string {
	texts := []string{t.UsageNotes, t.Goals, t.Guardrails, t.Prompt, t.Description, string(t.InputSchema)}
	for _, channel := range slices.Sorted(maps.Keys(t.Guidance)) {
		texts = append(texts, channel, t.Guidance[channel])
	}
	for i, text := range texts {
		texts[i] = strings.Join(strings.Fields(text), " ")
	}
	if strings.Join(texts, "") == "" {
		return ""
	}
	b, err := json.Marshal(texts)
	if err != nil {
		panic("registry: texts do not marshal: " + err.Error())
	}
	return HashBytes(b)
}
