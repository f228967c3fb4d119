// Package lazyregexp compiles regular expressions when they are first used, so that a command does
// not compile those that it does not need.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. It compiles the expression on the
// first call, and panics if the expression is not valid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
