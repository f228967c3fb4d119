// This file finds tools that are similar to core tools.

package overlaps

import (
	"bytes"
	_ "embed" // the words of the core
	"encoding/gob"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/overlap"
	"toolcrib/review/rules"
)

// LikeCore is the id of the rule that finds definitions similar to a core tool.
const LikeCore = "O101"

// A tool is too similar to a core tool if it reaches one of these thresholds. coreCopied is the
// share of the shingles of the tool that occur in the core tool. coreCovered is the share of the
// shingles of the core tool that occur in the tool. Both apply to texts of at least fewShingles.
// corePurpose is the similarity of the purposes. For two different tools that cover the same topic,
// these values are at most 0.20 for the purpose and 0.1 for the text.
const (
	coreCopied  = 0.35
	coreCovered = 0.25
	corePurpose = 0.215
	fewShingles = 20
)

// coreCorpus returns the core tools. Because there are only a few core tools, a tool is compared
// with all of them. Their words are embedded in preprocessed form, which avoids parsing all core
// tools for a proposal of a single tool.
var coreCorpus = sync.OnceValue(func() *overlap.Corpus {
	var words overlap.CorpusWords
	if err := gob.NewDecoder(bytes.NewReader(coreWords)).Decode(&words); err != nil {
		panic("overlaps: " + err.Error()) // the words are embedded; a test compares them with the tools
	}
	return overlap.NewCorpus(words)
})

//go:embed core_words.gob
var coreWords []byte

func likeCore(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil || shipped.IsCore(t.ID) {
		return nil
	}
	near := similarCore(*t)
	before := map[string]bool{}
	if c.Before != nil && c.Before.Definition.Tool != nil && len(near) > 0 {
		for _, k := range similarCore(*c.Before.Definition.Tool) {
			before[k.ID] = true
		}
	}
	fork, _ := forkOf(t.ID)
	var found []rules.Finding
	for _, k := range near {
		f := coreLikeness(*t, k)
		if fork || before[k.ID] {
			f.Severity = rules.Info
		}
		if found = append(found, f); len(found) == rules.MostLikenesses {
			break
		}
	}
	return found
}

// similarCore returns the core tools that are too similar to t. If a text is several times longer
// than permitted, similarCore ignores the end of the text, because such a text cannot go live
// anyway.
func similarCore(t registry.Tool) []overlap.Comparison {
	t.Prompt, t.Description = truncated(t.Prompt), truncated(t.Description)
	return lists.Filter(coreCorpus().Compare(t), func(k overlap.Comparison) bool {
		return k.Shingles >= fewShingles && (k.Text.Contained >= coreCopied || k.Covered >= coreCovered) || k.Purpose >= corePurpose
	})
}

// truncated returns the beginning of s. The result is at least as long as any text that may go
// live.
func truncated(s string) string {
	const most = 4 * registry.MaxPrompt // in bytes, because a character has at most four bytes in UTF-8
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// coreLikeness returns a finding about the tool t, which is too similar to a core tool. k is the
// result of comparing the two tools.
func coreLikeness(t registry.Tool, k overlap.Comparison) rules.Finding {
	subject := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: k.ID}.String()
	f := rules.Finding{Path: "definition", Passage: subject}
	switch {
	case k.Shingles < fewShingles || k.Text.Contained < coreCopied && k.Covered < coreCovered:
		f.Message = fmt.Sprintf("The tool has the same purpose as %s: both are about %s.", subject, strings.Join(k.Words, ", "))
		return f
	case k.Text.Contained >= coreCopied:
		f.Message = fmt.Sprintf("%.0f%% of the text is also in %s.", 100*k.Text.Contained, subject)
	default:
		f.Message = fmt.Sprintf("This tool contains %.0f%% of the text of %s.", 100*k.Covered, subject)
	}
	core := shipped.Core()
	core = core[slices.IndexFunc(core, func(d registry.Definition) bool { return d.ID() == k.ID }):]
	if path, passage := firstPassage(t, overlap.Passages(t, *core[0].Tool)); passage != "" {
		f.Path, f.Passage = path, passage
	}
	return f
}

// forkOf reports whether id is the id of a fork of a core tool, such as "file_reader_custom" or
// "file_reader_custom_2". It also returns the id of the core tool.
func forkOf(id string) (fork bool, core string) {
	core, rest, ok := strings.Cut(id, "_custom")
	if !ok || !shipped.IsCore(core) {
		return false, ""
	}
	number, numbered := strings.CutPrefix(rest, "_")
	return rest == "" || numbered && number != "" && strings.Trim(number, "0123456789") == "", core
}
