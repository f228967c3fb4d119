package ruleset

import (
	"slices"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// TestShippedDefinitions proposes the shipped definitions again. A finding means that either the
// rule or the definition is wrong.
func TestShippedDefinitions(t *testing.T) {
	shortrun.OneGoroutine(t)
	list := slices.Concat(family("D"), family("R"), family("B"))
	for _, d := range slices.Concat(shipped.Core(), shipped.Assistant(), shipped.Agents(), shipped.Lists()) {
		draft := rulestest.Sample()
		draft.Subject = registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}
		draft.Type, draft.Definition = proposals.New, d
		for _, r := range list {
			for _, f := range rulestest.Check(t, r.Rule, rulestest.Example{Draft: draft}) {
				if r.Severity == rules.Info {
					t.Logf("%s %s: %s %s", r.ID, draft.Subject, f.Path, f.Message)
					continue
				}
				t.Errorf("%s %s: %s %s", r.ID, draft.Subject, f.Path, f.Message)
			}
		}
	}
}
