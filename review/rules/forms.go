package rules

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules/rulebook"
)

// forms are the blocks of the rules that are not about wording, by id.
var forms = sync.OnceValue(func() map[string]*rulebook.Form {
	list := rulebook.Forms()
	byID := make(map[string]*rulebook.Form, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	return byID
})

// described fills in what the block of a rule says. A rule about wording has it
// already.
func described(r Rule) Rule {
	f, ok := forms()[r.ID]
	if !ok {
		return r
	}
	r.Name, r.Severity, r.Locked, r.Waivable = f.Name, Severity(f.Severity), f.Locked, f.Waivable
	r.Doc, r.Suggestion = figures().Replace(string(f.Doc)), figures().Replace(f.Suggestion)
	return r
}

// exemplified makes the examples of a rule, which only its documentation and its
// tests need.
func exemplified(r Rule) Rule {
	if f, ok := forms()[r.ID]; ok {
		r.Bad, r.Good = exampleOf(f.Bad, r.Bad), exampleOf(f.Good, r.Good)
		return r
	}
	for i := range attacks() {
		if a := &attacks()[i]; a.ID == r.ID {
			r.Bad, r.Good = example(a.Bad[0]), example(a.Good[0])
		}
	}
	return r
}

// figures puts in what the blocks do not repeat: numbers and lists that code
// goes by.
var figures = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"{verbs}", strings.Join(shipped.Verbs(), ", "), "{categories}", strings.Join(registry.Categories(), ", "),
		"{descriptionLimit}", strconv.Itoa(prompt.DescriptionLimit), "{promptLimit}", strconv.Itoa(prompt.PromptLimit),
		"{promptGrowth}", strconv.Itoa(PromptGrowth), "{manyCharacters}", strconv.Itoa(manyCharacters), "{manyBytes}", strconv.Itoa(manyBytes),
	)
})

// exampleOf makes an example from a sample of a data file, or from built, where the
// sample only names the example that Go code builds.
func exampleOf(s rulebook.Sample, built Example) Example {
	var e Example
	switch {
	case s.Built:
		e = built
	case s.Text != "":
		e = example(s.Text)
	default:
		e.Draft = patched(rulebook.Patched{Of: s.Of, Draft: s.Draft})
		for _, l := range s.Live {
			d := patched(l)
			e.Live = append(e.Live, registry.Live{Subject: d.Subject, Version: 1, Definition: d.Definition})
		}
	}
	e.Show = s.Show
	return e
}

// patched returns the proposal of a file of samples with a merge patch applied.
func patched(p rulebook.Patched) proposals.Draft {
	d, err := patch(p)
	if err != nil {
		panic(fmt.Sprintf("rules: the sample %s: %v", p.Draft, err)) // the blocks are embedded; a test reads them
	}
	return d
}

func patch(p rulebook.Patched) (proposals.Draft, error) {
	of := p.Of
	if of == "" {
		of = "prompt"
	}
	raw, err := rulebook.Base(of)
	if err != nil {
		return proposals.Draft{}, err
	}
	var base, change any
	if err := json.Unmarshal(raw, &base); err != nil {
		return proposals.Draft{}, err
	}
	if p.Draft != "" {
		if err := json.Unmarshal([]byte(p.Draft), &change); err != nil {
			return proposals.Draft{}, err
		}
		base = merged(base, change)
	}
	if raw, err = json.Marshal(base); err != nil {
		return proposals.Draft{}, err
	}
	parsed, err := proposals.DecodeJSON(raw)
	if err != nil || len(parsed) != 1 {
		return proposals.Draft{}, fmt.Errorf("no proposal: %w", err)
	}
	return parsed[0].Draft, nil
}

// merged applies a JSON merge patch (RFC 7386).
func merged(value, change any) any {
	fields, ok := change.(map[string]any)
	if !ok {
		return change
	}
	object, ok := value.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for key, c := range fields {
		if c == nil {
			delete(object, key)
			continue
		}
		object[key] = merged(object[key], c)
	}
	return object
}
