// Package gateway is the run time: it finds tools for agents and calls them. A
// call passes, in this order, each with an error code and an audit row:
// registered, allowed for the agent, arguments valid, approval tier, cooldown,
// daily limit, eval gate, provider.
package gateway
