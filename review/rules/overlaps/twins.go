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
		f := rules.Finding{Path: "definition", Passage: twin.Name}
		if twin.Rejected {
			reason := []rune(strings.Join(strings.Fields(twin.Reason), " "))
			if len(reason) > mostReason {
				reason = append(reason[:mostReason-1], '…')
			}
			f.Message = fmt.Sprintf("%s, which was rejected, has the same text. The reason was: %s", twin.Name, string(reason))
		} else {
			f.Message = fmt.Sprintf("%s, which is open, has the same text.", twin.Name)
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

// mostReason is the maximum number of characters of the reason for a rejection that a message
// quotes.
const mostReason = 300
