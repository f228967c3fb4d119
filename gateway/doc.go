// Package gateway finds approved tools for agents and calls them. A call passes the following gates in this order, each
// with an error code and an audit record: registered, allowed for the agent, arguments valid, approval tier, cooldown,
// daily limit, eval gate, provider.
package gateway
