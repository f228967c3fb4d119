package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

func writePreviews(p *page, docs []docPreview, show string) {
	if len(docs) == 0 {
		p.linef("No agent's prompt changes.")
	}
	for i, d := range docs {
		if i > 0 && docs[i-1].Subject == d.Subject {
			continue
		}
		if i > 0 {
			p.blank()
		}
		same := docs[i:]
		if end := slices.IndexFunc(same, func(o docPreview) bool { return o.Subject != d.Subject }); end > 0 {
			same = same[:end]
		}
		writeAgentPreview(p, same, show)
	}
}

// writeAgentPreview writes the channels of one agent.
func writeAgentPreview(p *page, docs []docPreview, show string) {
	p.linef("%s in the view of %s", docs[0].Subject, docs[0].View)
	p.blank()
	costTable(p, docs)
	writeCuts(p, docs)
	switch show {
	case showDiff:
		writeChanges(p, docs)
	case showNow, showAfter:
		for _, d := range docs {
			text := &d.docPrompt
			if show == showNow && d.Change != nil {
				text = d.Before
			}
			p.blank()
			p.raw(p.paint(inkStrong, "── "+safe(d.Channel)+" ──"))
			if text == nil || show == showAfter && d.Gone {
				p.linef("There is no such prompt.")
				continue
			}
			p.text("", text.Text)
		}
	}
}

// costTable lists the cost of each channel, and what the proposals add.
func costTable(p *page, docs []docPreview) {
	if docs[0].Change == nil {
		p.table([]string{"CHANNEL", "CHARACTERS", "O200K_BASE", "CL100K_BASE"}, mapped(docs, func(d docPreview) []string {
			return []string{d.Channel, itoa(d.Chars), itoa(d.Tokens.O200k), itoa(d.Tokens.Cl100k)}
		}))
		return
	}
	p.table([]string{"CHANNEL", "CHARACTERS", "O200K_BASE", "CL100K_BASE", ""}, mapped(docs, func(d docPreview) []string {
		var before docCost
		if d.Before != nil {
			before = d.Before.docCost
		}
		return []string{
			d.Channel, fromTo(before.Chars, d.Chars), fromTo(before.Tokens.O200k, d.Tokens.O200k),
			fromTo(before.Tokens.Cl100k, d.Tokens.Cl100k), becomes(d),
		}
	}))
}

// fromTo writes a count before and after with the difference.
func fromTo(before, after int) string {
	if before == after {
		return itoa(after)
	}
	return fmt.Sprintf("%d → %d (%+d)", before, after, after-before)
}

func becomes(d docPreview) string {
	switch {
	case d.Untouched:
		return "untouched"
	case d.Gone:
		return "gone"
	case d.Before == nil:
		return "new"
	}
	return "changed"
}

// writeCuts lists where hosts cut a text, and a cut of every channel only once.
func writeCuts(p *page, docs []docPreview) {
	said := map[string]bool{}
	for _, d := range docs {
		for _, c := range d.Cuts {
			if !said[c.Message] {
				p.linef("Limit: %s", c.Message)
			}
			said[c.Message] = true
		}
	}
}

// writeChanges writes the diff of every channel that changes; channels that
// change in the same way share one.
func writeChanges(p *page, docs []docPreview) {
	var done []string
	for i, d := range docs {
		if d.Untouched || d.Diff == nil || slices.Contains(done, d.Channel) {
			continue
		}
		var channels []string
		for _, other := range docs[i:] {
			if !other.Untouched && reflect.DeepEqual(other.Diff, d.Diff) {
				channels = append(channels, other.Channel)
			}
		}
		done = append(done, channels...)
		p.blank()
		p.raw(p.paint(inkStrong, "── "+safe(strings.Join(channels, ", "))+" ──"))
		for _, h := range *d.Diff {
			writeHunk(p, h)
		}
	}
}
