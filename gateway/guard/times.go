package guard

import (
	"cmp"
	"time"
)

// Times are the periods and limits of a guard. A zero stands for the one that every
// guard has.
type Times struct {
	// Compare is the time between comparisons of the server's tools without a reason.
	Compare time.Duration
	// Propose is the time between proposals from a server that changes all the time.
	Propose time.Duration
	// List limits how long the server may take to list its tools for a comparison.
	List time.Duration
	// Dial limits how long a connection to a URL may take.
	Dial time.Duration
	// Answer is how long a server may answer what it was asked before the client's
	// input ended, while somebody reads the answers.
	Answer time.Duration
	// End is how long a server has to end by itself after its input has ended, and
	// Stop how long it has after it was told to; then its process group is killed. A
	// client waits two seconds or more before it tells the guard to end, which then
	// does not wait for End, and two more before it kills the guard.
	End, Stop time.Duration
	// Drain is how long the output of a server is waited for after its end: a process
	// that it started may hold it open.
	Drain time.Duration
}

// orUsual returns t with the usual time in place of every zero.
func (t Times) orUsual() Times {
	return Times{
		Compare: cmp.Or(t.Compare, time.Minute),
		Propose: cmp.Or(t.Propose, time.Minute),
		List:    cmp.Or(t.List, 30*time.Second),
		Dial:    cmp.Or(t.Dial, 10*time.Second),
		Answer:  cmp.Or(t.Answer, 30*time.Second),
		End:     cmp.Or(t.End, time.Second),
		Stop:    cmp.Or(t.Stop, time.Second),
		Drain:   cmp.Or(t.Drain, time.Second),
	}
}
