package tokens_test

import (
	"math/rand/v2"
	"testing"

	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/registry/shipped"
)

// assistant returns the prompts of the shipped agent with all its tools for its
// five channels.
func assistant(b *testing.B) []string {
	b.Helper()
	var tools []prompt.Tool
	for _, d := range shipped.Assistant() {
		tools = append(tools, prompt.Tool{Tool: d.Tool})
	}
	in := prompt.Input{Agent: *shipped.Agents()[0].Agent, Tools: tools, Context: prompt.Reference()}
	var texts []string
	for _, out := range prompt.NewRenderer(in).RenderAll() {
		texts = append(texts, out.Text)
	}
	return texts
}

// BenchmarkFirst counts five channels in a new process: run it with -benchtime 1x,
// because the vocabularies are loaded once.
func BenchmarkFirst(b *testing.B) {
	texts := assistant(b)
	for b.Loop() {
		count(b, tokens.NewCounter(), texts)
	}
}

// BenchmarkAgain counts five channels that are in the cache.
func BenchmarkAgain(b *testing.B) {
	texts := assistant(b)
	c := tokens.NewCounter()
	count(b, c, texts)
	for b.Loop() {
		count(b, c, texts)
	}
}

// BenchmarkHostile counts a run of 100,000 random letters.
func BenchmarkHostile(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	text := make([]byte, 100_000)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyz"[r.IntN(26)]
	}
	for b.Loop() {
		count(b, tokens.NewCounter(), []string{string(text)})
	}
}

func count(b *testing.B, c *tokens.Counter, texts []string) {
	b.Helper()
	if _, err := c.CountAll(texts); err != nil {
		b.Fatal(err)
	}
}
