package cli

import (
	"github.com/spf13/pflag"

	"toolcrib/registry"
)

// whereFlags describe where an agent works; by default away from the user's
// machine, with semantic search.
type whereFlags struct{ local, noEmbedding bool }

func (w *whereFlags) register(set *pflag.FlagSet) {
	set.BoolVar(&w.local, "local", false, "the agent works on the user's own machine")
	set.BoolVar(&w.noEmbedding, "no-embedding", false, "there is no semantic search")
}

func (w *whereFlags) context(deferred bool) registry.Context {
	return registry.Context{Local: w.local, Embedding: !w.noEmbedding, IncludeDeferred: deferred}
}

// docWhere is the context that tools were resolved in.
type docWhere struct {
	Local           bool `json:"local"`
	Embedding       bool `json:"embedding"`
	IncludeDeferred bool `json:"include_deferred"`
}

func newDocWhere(c registry.Context) docWhere {
	return docWhere{Local: c.Local, Embedding: c.Embedding, IncludeDeferred: c.IncludeDeferred}
}
