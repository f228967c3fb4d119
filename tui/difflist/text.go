package difflist

import (
	"fmt"
	"strings"

	"toolcrib/history/diff"
)

// String writes the list as a unified diff, one file for each field. It is the
// texts' own and not safe to print.
func (l *List) String() string {
	var b strings.Builder
	for _, f := range l.fields {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", f.path, f.path)
		for _, h := range f.hunks {
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
			for _, x := range h.Lines {
				sign := byte(' ')
				switch x.Kind {
				case diff.Insert:
					sign = '+'
				case diff.Delete:
					sign = '-'
				case diff.Context:
				}
				b.WriteByte(sign)
				b.WriteString(x.Text)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
