// This file finds proposals with the same text.

package overlaps

import (
	"fmt"
	"strings"

	"toolcrib/review/rules"
)

func checkTwin(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil {
		return nil
	}
	var found []rules.Finding
	for _, twin := range c.Twins {
		if !twin.Rejected && sameServer(*t, *twin.Tool) {
			continue
		}
		f := rules.Finding{Path: "definition", Passage: twin.Name, Message: message(twin)}
		if !twin.Rejected {
			hintIfIdentical(&f, twin.Name, "open", *t, *twin.Tool)
		}
		if before := c.Before; before != nil && before.Definition.Tool != nil && before.Definition.Tool.TextHash() == t.TextHash() {
			f.Severity = rules.Info
		}
		if found = append(found, f); len(found) == rules.MostLikenesses {
			break
		}
	}
	return found
}

// mostReason limits the number of characters of the reason for a rejection that a message quotes.
const mostReason = 300

func message(t rules.Twin) string {
	if !t.Rejected {
		return fmt.Sprintf("%s, which is open, has the same text.", t.Name)
	}
	reason := []rune(strings.Join(strings.Fields(t.Reason), " "))
	if len(reason) > mostReason {
		reason = append(reason[:mostReason-1], '…')
	}
	return fmt.Sprintf("%s, which was rejected, has the same text. The reason was: %s", t.Name, string(reason))
}
