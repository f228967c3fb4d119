package rules

import "testing"

func TestGrammarCompiles(t *testing.T) { grammar() }
