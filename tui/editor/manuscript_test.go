package editor

import (
	"bytes"
	"path/filepath"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestEditorReceivesNoHiddenCharacters checks S12: the file for the user's editor contains no raw hidden characters from any
// field of the proposal, and an unchanged file yields the same proposal to the byte.
func TestEditorReceivesNoHiddenCharacters(t *testing.T) {
	shortrun.OneGoroutine(t)
	const hidden = "Reads\u202e the\u200b scene\U000e0041.\u3164"
	for name, change := range map[string]func(*proposals.Draft){
		"nothing":   func(*proposals.Draft) {},
		"front":     func(d *proposals.Draft) { d.Definition.Tool.Description = hidden },
		"body":      func(d *proposals.Draft) { d.Definition.Tool.Prompt += "\n" + hidden + "\nEnd." },
		"rationale": func(d *proposals.Draft) { d.Rationale = hidden },
		"example":   func(d *proposals.Draft) { d.Examples[0] = hidden },
		"test case": func(d *proposals.Draft) { d.TestCases[0].Input = hidden },
		"emoji":     func(d *proposals.Draft) { d.Definition.Tool.Prompt = "Mind the gap ⚠\ufe0f here." },
		"selectors": func(d *proposals.Draft) { d.Definition.Tool.Prompt = "Mind\ufe0f the\ufe0e\ufe0f gap." },
	} {
		t.Run(name, func(t *testing.T) {
			d := storetest.Prompt("scene_pacer")
			change(&d)
			c := Editor{Folder: t.TempDir()}
			w := c.Revision(review.Dossier{Proposal: proposals.Proposal{ID: "1", Revision: 1, Subject: d.Subject}, Revision: proposals.Revision{Draft: d}})
			markdown := filepath.Ext(w.File) == ".md"
			if want := name == "nothing" || name == "emoji"; markdown != want {
				t.Errorf("the file is %s", w.File)
			}
			if name != "emoji" && !visible.Clean(string(w.Text)) {
				t.Errorf("the file holds hidden characters:\n%q", w.Text)
			}
			back, problems := w.Parse(w.Text)
			if back == nil || !bytes.Equal(back.Canonical(), d.Canonical()) {
				t.Errorf("%v; it came back as\n%s", problems, w.Text)
			}
		})
	}
}
