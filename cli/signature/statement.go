package signature

import (
	"cmp"
	"fmt"

	"toolcrib/cli/output"
	"toolcrib/signing/statement"
)

// DefaultTier selects the tool's own default tier on the command line.
const DefaultTier = "default"

// DescribeStatement describes a statement, a line for each item.
func DescribeStatement(st statement.Statement) []string {
	verdict := statement.VerdictOf(st.Act)
	switch act := st.Act.(type) {
	case *statement.Decision:
		lines := make([]string, len(act.Items))
		for i, item := range act.Items {
			lines[i] = fmt.Sprintf("%s %s, revision %d, content %.12s", verdict, item.Subject, item.Revision, item.ContentHash)
			if item.Version > 0 {
				lines[i] += fmt.Sprintf(", as version %d", item.Version)
			}
		}
		return lines
	case *statement.Waiver:
		return []string{fmt.Sprintf("%s %s in %s, revision %d", verdict, act.Rule, act.Subject, act.Revision)}
	case *statement.CallAnswer:
		return []string{fmt.Sprintf("%s %s of %s version %d, digest %.12s", verdict, act.Pending, act.Tool, act.Version, act.Digest)}
	case *statement.Tier:
		return output.Mapped(act.Tools, func(tool string) string {
			return fmt.Sprintf("%s of %s to %s", verdict, tool, cmp.Or(act.Tier, DefaultTier))
		})
	case *statement.Signers:
		return []string{fmt.Sprintf("%s to state %d, %.12s", verdict, act.Number, act.State)}
	}
	return nil
}
