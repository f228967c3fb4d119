package harness

import (
	"strings"
	"testing"

	"toolcrib/proposals"
)

// report is a typical answer of a model, with about 5 KB.
var report = strings.Repeat("Two passages drag in this scene.\n\n"+
	"- The harbour is described twice, and nothing happens in between [Story/Scenes/SCN-harbour.md:52-53].\n"+
	"- The “end” is rushed: Mira decides, leaves and arrives within a line [Story/Scenes/SCN-harbour.md:70-80].\n\n"+
	"The second description could go (Story/Scenes/SCN-harbour.md:53). Which of them do you want to keep?\n\n", 14)

func BenchmarkChecks(b *testing.B) {
	for _, kind := range []proposals.CheckType{proposals.CheckEvidence, proposals.CheckNoFakeToolUse, proposals.CheckToolCall} {
		b.Run(string(kind), func(b *testing.B) {
			a := answer{text: report, input: "Pace Story/Scenes/SCN-harbour.md"}
			b.SetBytes(int64(len(report)))
			for b.Loop() {
				if reason, _ := a.check(proposals.Check{Type: kind}); kind != proposals.CheckToolCall && reason != "" {
					b.Fatal(reason)
				}
			}
		})
	}
}

func BenchmarkPatterns(b *testing.B) {
	for b.Loop() {
		compileReceipts()
		compileFalseClaims()
	}
}
