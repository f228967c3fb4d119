package statement

import "strings"

// About returns what an act is about where a later statement about the same replaces an
// earlier one: the subject of each version that it approves, the tiers of a tool, a
// finding, or the signers. It is empty for acts that nothing replaces. The triggers of the
// store write the same texts.
func About(a Act) []string {
	switch act := a.(type) {
	case *Decision:
		if act.Verdict != Approved {
			return nil
		}
		about := make([]string, len(act.Items))
		for i, item := range act.Items {
			about[i] = item.Subject
		}
		return about
	case *Tier:
		about := make([]string, len(act.Tools))
		for i, tool := range act.Tools {
			about[i] = "tier " + tool
		}
		return about
	case *Waiver:
		return []string{strings.Join([]string{"finding", act.Proposal, act.Rule, act.PassageHash, act.Path}, " ")}
	case *Signers:
		return []string{"signers"}
	}
	return nil
}
