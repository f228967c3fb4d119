package serve

import "toolcrib/internal/turns"

// budgets bound what clients may have under way, together and of one token.
type budgets struct {
	requests *turns.Turns // streams apart
	large    *turns.Turns // requests with bodies of more than largeBody bytes
	events   *turns.Turns // streams of events
	listens  *turns.Turns // streams of MCP
	calls    *turns.Turns // of MCP, whose clients may have gone
}

// newBudgets returns the limits of open requests, of all clients and of one token.
func newBudgets() budgets {
	return budgets{
		requests: turns.New(512, 128), large: turns.New(4, 2), events: turns.New(256, 16), listens: turns.New(512, 128), calls: turns.New(512, 128),
	}
}
