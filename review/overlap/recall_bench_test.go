package overlap

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

var toolFiles = flag.String("tools", "", "files of tools to measure recall with, comma-separated: tools/list answers, or a row with a tool a line")

// Thresholds from which tools count as similar for the rules, and thresholds for searching an index
// for such tools.
const (
	alikeText, askedText       = 0.4, 0.4
	alikePurpose, askedPurpose = 0.6, 0.55
)

// BenchmarkRecall finds all pairs of similar tools, both exactly and by sketches, and reports the
// share that the sketches find: among the shipped tools with copies in which a tenth to a half of
// the words are edited, and among the tools in files.
//
//	go test ./review/overlap -run '^$' -bench Recall -benchtime 1x -args -tools a.jsonl,b.json
func BenchmarkRecall(b *testing.B) {
	b.Run("generated", func(b *testing.B) { benchmarkRecall(b, editedTools()) })
	if *toolFiles != "" {
		b.Run("files", func(b *testing.B) { benchmarkRecall(b, readTools(b, *toolFiles)) })
	}
}

func benchmarkRecall(b *testing.B, tools []registry.Tool) {
	b.Helper()
	for b.Loop() {
		var text, purpose Index
		fingerprints := make([]*Fingerprint, len(tools))
		for i, t := range tools {
			fingerprints[i] = NewFingerprint(t)
			s, p := fingerprints[i].Sketches()
			text.Add(int64(i), s)
			purpose.Add(int64(i), p)
		}
		var texts, purposes share
		for i, p := range fingerprints {
			s, about := p.Sketches()
			byText, byPurpose := found(text.Scan(s, askedText, len(tools))), found(purpose.Scan(about, askedPurpose, len(tools)))
			for j, q := range fingerprints[:i] {
				texts.count(p.Text(q).Resemblance >= alikeText, byText[int64(j)])
				purposes.count(p.Purpose(q).Resemblance >= alikePurpose, byPurpose[int64(j)])
			}
		}
		b.ReportMetric(float64(texts.of), "text-pairs")
		b.ReportMetric(texts.share(), "text-recall")
		b.ReportMetric(float64(purposes.of), "purpose-pairs")
		b.ReportMetric(purposes.share(), "purpose-recall")
	}
}

func found(matches []Match) map[int64]bool {
	ids := map[int64]bool{}
	for _, m := range matches {
		ids[m.ID] = true
	}
	return ids
}

// share is the number of relevant pairs that were found.
type share struct{ found, of int }

func (s *share) count(counts, found bool) {
	if !counts {
		return
	}
	s.of++
	if found {
		s.found++
	}
}

func (s *share) share() float64 { return float64(s.found) / float64(max(s.of, 1)) }

// editedTools returns the shipped tools and ten edited copies of each.
func editedTools() []registry.Tool {
	r := chance(9)
	var tools []registry.Tool
	for _, d := range append(shipped.Core(), shipped.Assistant()...) {
		tools = append(tools, *d.Tool)
		for n := range 10 {
			t, p := *d.Tool, float64(n+1)/20
			for _, text := range []*string{&t.Name, &t.Goals, &t.Prompt, &t.Description, &t.ShortDescription} {
				*text = editedText(r, *text, p)
			}
			tools = append(tools, t)
		}
	}
	return tools
}

func editedText(r *rand.Rand, s string, p float64) string {
	return text(edited(r, strings.Fields(s), p))
}

// readTools reads the files in toolFiles.
func readTools(b *testing.B, files string) []registry.Tool {
	b.Helper()
	var tools []registry.Tool
	for file := range strings.SplitSeq(files, ",") {
		data, err := os.ReadFile(file) //nolint:gosec // named by who runs the benchmark
		if err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, len(data)+1)
		for lines.Scan() {
			type wire struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
			var row struct {
				Tool  *wire
				Tools []wire
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				b.Fatal(err)
			}
			if row.Tool != nil {
				row.Tools = append(row.Tools, *row.Tool)
			}
			for _, t := range row.Tools {
				tools = append(tools, registry.Tool{ID: t.Name, Name: t.Name, Kind: registry.ActionTool, Description: t.Description, InputSchema: t.InputSchema})
			}
		}
	}
	return tools
}
