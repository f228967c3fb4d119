package proposal

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/screen"
)

// resumed opens the dialog of an unsent text once its proposal is loaded.
func (pp *Page) resumed() tea.Cmd {
	t := pp.resume
	pp.resume = nil
	name := map[string]string{"comment": "comment", "approve": "approve", "changes": "needs-changes", "reject": "reject", "waive": "waive"}[t.Kind]
	switch t.Kind {
	case "comment":
		if at, ok := anchorOf(t.File); ok {
			return pp.askCommentAt(at)
		}
	case "waive":
		pp.turn(tabAssessment)
		for i, s := range pp.dossier.Standing {
			if strings.Contains(t.File, s.PassageHash()[:8]) {
				pp.pagers[tabAssessment].SetStop(i)
			}
		}
	}
	for _, k := range pp.Keys() {
		if k.Name != name {
			continue
		}
		if why := k.Why(); why != "" {
			pp.say(screen.Warning, "Cannot send it: %s. The draft is in %s", why, pp.KeptIn(t.File))
			return nil
		}
		intent, cmd := k.Do()
		pp.want(intent)
		return cmd
	}
	return nil
}

// draftOf names the file of a comment by what it is on.
func draftOf(id proposals.ID, at review.Anchor) string {
	name := "comment-" + string(id)
	if at.Field == "" {
		return name
	}
	long := name + "@" + url.PathEscape(at.Field) + "@" + strconv.Itoa(at.Line) + "@" + strconv.Itoa(at.Revision)
	if len(long) > 200 {
		return name
	}
	return long
}

// anchorOf reads what draftOf wrote.
func anchorOf(file string) (review.Anchor, bool) {
	parts := strings.Split(strings.TrimSuffix(file, filepath.Ext(file)), "@")
	if len(parts) != 4 {
		return review.Anchor{}, false
	}
	field, err := url.PathUnescape(parts[1])
	line, errLine := strconv.Atoi(parts[2])
	revision, errRevision := strconv.Atoi(parts[3])
	return review.Anchor{Field: field, Line: line, Revision: revision}, err == nil && errLine == nil && errRevision == nil
}
