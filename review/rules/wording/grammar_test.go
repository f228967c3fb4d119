package wording

import "testing"

func TestGrammarCompiles(t *testing.T) { grammar() }
