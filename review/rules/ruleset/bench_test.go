package ruleset

import (
	"context"
	"testing"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// BenchmarkRules runs the rules, all of them and only families S and P, on a text as a prompt and
// as the description of an action tool.
func BenchmarkRules(b *testing.B) {
	forms := map[string]func(string) *rules.Change{
		"prompt":      rulestest.PromptChange,
		"description": func(text string) *rules.Change { return rulestest.ToolChange("opening_hours", text) },
	}
	sets := map[string][]rules.Rule{"SP": plainRules(append(family("S"), family("P")...)), "all": All()}
	for name, size := range map[string]int{"10KB": 10 << 10, "1MB": 1 << 20} {
		for form, change := range forms {
			for family, list := range sets {
				b.Run(name+"/"+form+"/"+family, func(b *testing.B) { benchRules(b, rulestest.LongPrompt(size), change, list) })
			}
		}
	}
}

func benchRules(b *testing.B, text string, change func(string) *rules.Change, list []rules.Rule) {
	b.Helper()
	b.SetBytes(int64(len(text)))
	before := cpuTime()
	for b.Loop() {
		c := change(text)
		c.World = rules.Memory(nil)
		for _, r := range list {
			if _, err := r.Check(context.Background(), c); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
}
