// Package gateway is the run time: what an agent may find, and what happens
// when it calls a tool. A definition that was approved is worth what is
// enforced here, so a call passes, in this order, each with an error of its
// own and a row in the audit: registered, allowed for the agent, arguments
// valid, approval tier, cooldown, daily limit, eval gate, provider.
package gateway
