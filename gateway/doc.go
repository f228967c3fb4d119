// Package gateway finds approved tools for agents and runs their calls. Every call must pass a sequence of gates: the
// tool is registered, the agent has the tool, the arguments are valid, the user has approved the call if necessary, the
// cooldown is over, the daily limit is not reached, the eval gate approves the call, and the provider is available.
// Different gates return different error codes. Every call is logged with its outcome.
package gateway
