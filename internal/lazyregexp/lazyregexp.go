// Package lazyregexp compiles regular expressions on first use. A command therefore
// compiles only the expressions that it needs.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. The first call of the
// function compiles the expression, and panics if the expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
