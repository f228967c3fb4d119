package cli

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/visible"
	"toolcrib/review/rules"
	"toolcrib/review/rules/wording"
)

// explained describes how the rules judged one sentence of a file.
type explained struct {
	file, subject string
	wording.Explanation
}

// docSentence is a sentence in the document of lint --explain.
type docSentence struct {
	File      string     `json:"file"`
	Subject   string     `json:"subject"`
	Path      string     `json:"path"`
	Sentence  string     `json:"sentence"`
	Concepts  []string   `json:"concepts"`
	Score     float64    `json:"score"`
	Threshold float64    `json:"threshold"`
	Warns     bool       `json:"warns_without_frame"`
	Frames    []docFrame `json:"frames"`
}

// docFrame is a turn of phrase that was seen in a sentence.
type docFrame struct {
	Rule     string   `json:"rule"`
	Name     string   `json:"name"`
	Passage  string   `json:"passage"`
	Seen     string   `json:"seen,omitempty"`
	Stance   []string `json:"stance,omitempty"`
	Severity string   `json:"severity"` // off when it is not a finding
	Why      string   `json:"why"`
}

func docSentences(list []explained) []docSentence {
	return mapped(list, func(x explained) docSentence {
		return docSentence{
			File: x.file, Subject: x.subject, Path: x.Path, Sentence: x.Sentence, Concepts: append([]string{}, x.Concepts...),
			Score: x.Score, Threshold: x.Threshold, Warns: x.Warns,
			Frames: mapped(x.Frames, func(f wording.ExplainedFrame) docFrame {
				return docFrame{Rule: f.Rule, Name: f.Name, Passage: f.Passage, Seen: f.Seen, Stance: f.Stance, Severity: string(f.Severity), Why: f.Why}
			}),
		}
	})
}

// verdict compares the score of a sentence with the threshold of S139.
func verdict(x wording.Explanation) string {
	switch {
	case x.Warns:
		return "S139 warns: at least"
	case x.Score < x.Threshold:
		return "below"
	case slices.ContainsFunc(x.Frames, func(f wording.ExplainedFrame) bool { return f.Severity.Rank() >= rules.Warn.Rank() }):
		return "a frame warns, so S139 does not: at least"
	}
	return "no warning, as it says too little, or only what its frames quote or deny: at least"
}

// explainedText writes the concepts and frames of each sentence.
func explainedText(list []explained) string {
	var b strings.Builder
	for i, x := range list {
		if i == 0 || x.file != list[i-1].file || x.subject != list[i-1].subject || x.Path != list[i-1].Path {
			fmt.Fprintf(&b, "%s: %s: %s\n", visible.Line(x.file), visible.Line(x.subject), visible.Line(x.Path))
		}
		fmt.Fprintf(&b, "  \"%s\"\n", visible.Line(x.Sentence))
		fmt.Fprintf(&b, "    score %.2f, %s %.2f\n", x.Score, verdict(x.Explanation), x.Threshold)
		if len(x.Concepts) > 0 {
			fmt.Fprintf(&b, "    concepts: %s\n", strings.Join(x.Concepts, ", "))
		}
		for _, f := range x.Frames {
			outcome := "no finding"
			if f.Severity != rules.Off {
				outcome = string(f.Severity)
			}
			fmt.Fprintf(&b, "    %s (%s): %s: \"%s\"\n", f.Rule, f.Name, outcome, visible.Line(f.Passage))
			if f.Seen != "" {
				fmt.Fprintf(&b, "      seen: %s\n", visible.Line(f.Seen))
			}
			fmt.Fprintf(&b, "      why:  %s\n", f.Why)
		}
	}
	if len(list) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
