// This file lists the findings and comments in the diff. It also determines the names of the files for unsent
// comments.

package proposal

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/wire"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// inDefinition is the prefix of the path of a field in the definition. Paths in the diff omit it.
const inDefinition = "definition."

// place describes the position of the given anchor.
func place(at review.Anchor) string {
	where := wording.FieldName(at.Field)
	if at.Line > 0 {
		where += ", line " + strconv.Itoa(at.Line)
	}
	return where + " of revision " + strconv.Itoa(at.Revision)
}

// draftOf returns the name of the file for an unsent comment at anchor. The name contains the anchor, unless
// the name would become too long.
func draftOf(id proposals.ID, anchor review.Anchor) string {
	name := "comment-" + string(id)
	if anchor.Field == "" {
		return name
	}
	long := name + "@" + url.PathEscape(anchor.Field) + "@" + strconv.Itoa(anchor.Line) + "@" + strconv.Itoa(anchor.Revision)
	if len(long) > 200 {
		return name
	}
	return long
}

// anchorOf parses the anchor in a file name from draftOf. It returns false if the name contains no anchor.
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

// notes returns the notes in the diff: the findings, followed by the comments on the current revision. Note.Of is
// the index of a finding, or the number of findings plus the index of a comment.
func notes(d review.Dossier) []difflist.Note {
	var out []difflist.Note
	times := 0 // number of times that the previous finding occurs on its line
	for i, s := range d.Standing {
		path, ok := inDiff(s.Path)
		if !ok {
			continue
		}
		before := d.Standing[max(0, i-1)]
		if i > 0 && before.Path == s.Path && before.Line == s.Line && before.Rule == s.Rule && before.Message == s.Message && (before.Waiver == nil) == (s.Waiver == nil) {
			times++
			out[len(out)-1].Text = fmt.Sprintf("%s (%d times)", s.Deed(), times)
			continue
		}
		times = 1
		sign, style := draw.Safe("□"), func(th theme.Theme) theme.Style { return th.Faint }
		if s.Waiver == nil {
			sign, _ = labels.SeveritySign(theme.Theme{}, s.Severity)
			style = func(th theme.Theme) theme.Style { _, style := labels.SeveritySign(th, s.Severity); return style }
		}
		out = append(out, difflist.Note{Path: path, Line: s.Line, Passage: s.Passage, Style: style, Sign: sign + " " + draw.Escape(s.Rule), Text: s.Deed(), Of: i})
	}
	for i, c := range d.Comments {
		path, ok := inDiff(c.Field)
		if !ok || c.Revision != d.Revision.Number {
			continue
		}
		out = append(out, difflist.Note{
			Path: path, Line: c.Line, Style: func(th theme.Theme) theme.Style { return th.Accent }, Sign: "» " + draw.Escape(c.Author.Name+":"),
			Text: strings.Join(strings.Fields(c.Body), " "), Of: len(d.Standing) + i,
		})
	}
	return out
}

// inDiff converts the path of a field of a proposal to its path in the diff. It returns false if the diff does not
// show the field.
func inDiff(field string) (path string, ok bool) {
	path, ok = strings.CutPrefix(field, inDefinition)
	return path, ok || strings.HasPrefix(field, wire.SourcePath)
}
