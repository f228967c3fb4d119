// Package impact predicts the effects of a change before it is approved: the prompts of each agent before and after
// the change, the costs of the prompts, the changed test cases, and the tools of an agent. It does not write to the
// database.
package impact
