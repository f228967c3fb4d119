package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// Index ranks texts by a query.
type Index interface {
	// Rank returns the numbers of the texts that a query finds, the best
	// first, at most limit. key names the texts: texts is asked for only when
	// the index does not know them.
	Rank(ctx context.Context, key string, texts func() []Text, query string, limit int) ([]int, error)
}

// Text is the searchable text of a tool, by weight.
type Text struct {
	Names string // wire name, id, aliases, human name
	Short string // the short description and the category
	Long  string // the rest of its description
}

// Hit is a tool that was found.
type Hit struct {
	Tool     registry.Subject
	Wire     string // the name to call it by
	Name     string // the human label
	Kind     registry.ToolKind
	Category string
	Short    string // at most registry.MaxShortDescription characters
	Deferred bool   // it is not in the initial payload
	Approval registry.ApprovalTier
}

// Limits of a search.
const (
	DefaultHits = 10
	MaxHits     = 100
	maxQuery    = 1_000 // bytes that are looked at
)

// errNoIndex reports that the gateway was made without an index.
var errNoIndex = errors.New("this gateway has no search index")

// Search finds tools among those that the caller's agent has, deferred ones
// included, the best first. An empty query lists them in catalog order. Limit
// is 1 to MaxHits; anything else means the nearest of them, 0 DefaultHits.
func (g *Gateway) Search(ctx context.Context, c Caller, query string, limit int) ([]Hit, error) {
	if limit == 0 {
		limit = DefaultHits
	}
	limit = min(max(limit, 1), MaxHits)
	set, err := g.toolsets.of(ctx, c)
	if err != nil {
		return nil, err
	}
	if set.missing != nil {
		return nil, set.missing
	}
	order := make([]int, min(limit, len(set.entries)))
	for i := range order {
		order[i] = i
	}
	if query = plaintext.CutBytes(query, maxQuery); query != "" {
		if g.index == nil {
			return nil, errNoIndex
		}
		order, err = g.index.Rank(ctx, set.hash, set.texts, query, limit)
		if err != nil {
			return nil, err
		}
		order = set.exactFirst(query, order, limit)
	}
	hits := make([]Hit, len(order))
	err = g.ledger.View(ctx, func(r LedgerReader) error {
		for i, at := range order {
			e := set.entries[at]
			tier, err := tierOf(ctx, r, c, e.Live)
			if err != nil {
				return err
			}
			t := e.Definition.Tool
			hits[i] = Hit{
				Tool: e.Subject, Wire: t.WireName(), Name: t.Name, Kind: t.Kind, Category: t.Category, Short: short(*t),
				Deferred: t.DeferLoading, Approval: tier,
			}
		}
		return nil
	})
	return hits, err
}

// short returns the line of a tool in a list.
func short(t registry.Tool) string {
	if s := t.Short(); s != "" {
		return s
	}
	return registry.Tool{Description: t.UsageNotes}.Short()
}

// texts returns the searchable text of each tool, in the order of the entries.
func (s *toolset) texts() []Text {
	texts := make([]Text, len(s.entries))
	for i, e := range s.entries {
		t := e.Definition.Tool
		texts[i].Names = t.ID + "\n" + t.Name + "\n" + t.WireName()
		for _, alias := range t.Aliases {
			texts[i].Names += "\n" + alias
		}
		texts[i].Short = short(*t) + "\n" + t.Category
		texts[i].Long = t.Description + "\n" + t.UsageNotes + "\n" + t.Goals + "\n" + t.Archetype
	}
	return texts
}

// exactFirst puts the tools that have the query as a name before all others.
func (s *toolset) exactFirst(query string, order []int, limit int) []int {
	var exact []int
	for i, e := range s.entries {
		t := e.Definition.Tool
		if t.ID == query || t.WireName() == query || t.OriginName() == query || slices.Contains(t.Aliases, query) {
			exact = append(exact, i)
		}
	}
	for _, at := range order {
		if !slices.Contains(exact, at) {
			exact = append(exact, at)
		}
	}
	return exact[:min(len(exact), limit)]
}

// Tools returns the caller's agent, and the tools that it has, deferred ones
// included, in catalog order. An agent that is not there, or has no tools, is no
// error: there are none.
func (g *Gateway) Tools(ctx context.Context, c Caller) (registry.Live, []registry.Entry, error) {
	set, err := g.toolsets.of(ctx, c)
	if err != nil {
		return registry.Live{}, nil, err
	}
	return set.profile, slices.Clone(set.entries), nil
}

// Description is everything about one tool that the caller's agent has.
type Description struct {
	Tool     registry.Live
	Why      string // the reason for which the agent has it
	Approval registry.ApprovalTier
}

// Describe returns the whole definition of a tool that the caller's agent has,
// by id, alias or wire name. The error is an *Error when there is no such tool
// or the agent does not have it.
func (g *Gateway) Describe(ctx context.Context, c Caller, name string) (Description, error) {
	set, e, err := g.toolsets.lookup(ctx, c, name)
	if err != nil {
		return Description{}, err
	}
	d := Description{Tool: e.Live, Why: set.allowed[e.Subject].Why()}
	err = g.ledger.View(ctx, func(r LedgerReader) error {
		d.Approval, err = tierOf(ctx, r, c, e.Live)
		return err
	})
	return d, err
}

// tierOf returns the approval tier that applies to a caller's calls of a tool. Behind
// a guard the tool's default holds no call: its client asks the person in front of it.
func tierOf(ctx context.Context, r LedgerReader, c Caller, tool registry.Live) (registry.ApprovalTier, error) {
	t := tool.Definition.Tool
	if !t.Approval.Overridable() || t.NeedsConfirmation() {
		return t.EffectiveTier(""), nil
	}
	override, err := r.Override(ctx, c.User, tool.Subject)
	if err != nil {
		return "", err
	}
	if override == "" && c.guarded() {
		override = registry.AutoApprove
	}
	return t.EffectiveTier(override), nil
}

// toolSchemas are the schemas of a tool, ready to validate with; nil for what
// it does not say.
type toolSchemas struct {
	input, output *schemaguard.Schema
}

// schemas has the compiled schemas of tools.
type schemas struct {
	cache cache[string, *toolSchemas] // by content hash
}

// compiled returns the compiled schemas of a tool. A tool whose schemas cannot be
// used is refused before anything runs, because neither its arguments nor its
// results could be checked.
func (c *schemas) compiled(tool registry.Live) (*toolSchemas, error) {
	if s, ok := c.cache.get(tool.ContentHash); ok {
		return s, nil
	}
	t, s := tool.Definition.Tool, &toolSchemas{}
	var err error
	if len(t.InputSchema) > 0 {
		if s.input, err = schemaguard.Compile(t.InputSchema); err != nil {
			return nil, &Error{Code: CodeArguments, Message: fmt.Sprintf("The input schema of %s cannot be used, so the tool cannot be called: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
	}
	if len(t.OutputSchema) > 0 {
		if s.output, err = schemaguard.Compile(t.OutputSchema); err != nil {
			return nil, &Error{Code: CodeResult, Message: fmt.Sprintf("The output schema of %s cannot be used, so no result could be validated; nothing was called: %s.", tool.Subject, jsondoc.Printable(err.Error()))}
		}
	}
	c.cache.put(tool.ContentHash, s)
	return s, nil
}

// conforms validates the structured part of a result by the output schema of its
// tool. A tool with such a schema has to return that part (Model Context Protocol,
// server/tools, "Output Schema"); for a hub and the built-in tools it is the whole
// result.
func (c *schemas) conforms(tool registry.Live, structured json.RawMessage) error {
	s, err := c.compiled(tool)
	if err != nil || s.output == nil {
		return err
	}
	var wrong error = jsondoc.Problems{{Path: jsondoc.Root, Message: "the structured result that the schema requires is missing"}}
	if len(structured) > 0 {
		var n *jsondoc.Node
		n, wrong = jsondoc.Parse(structured, jsondoc.Limits{Bytes: MaxOutput, Depth: jsondoc.DefaultLimits.Depth})
		if wrong == nil {
			wrong = s.output.Validate(n)
		}
	}
	if wrong == nil {
		return nil
	}
	told, details, err := explain(wrong)
	if err != nil {
		return err
	}
	return &Error{
		Code:    CodeResult,
		Message: fmt.Sprintf("%s ran, but its result does not fit the approved output schema and is withheld: %s. Do not repeat the call; it may act twice.", tool.Subject, told),
		Details: details,
	}
}

// Limits of the error about an invalid value. A message may quote the value, whose
// length the sender chooses.
const (
	maxTold     = 5   // problems in the message
	maxDetailed = 50  // in the details
	maxQuoted   = 300 // characters of one message
)

type detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// explain describes the problems of a value: the first ones in the message, more
// of them in the details.
// them in the details.
func explain(wrong error) (told string, details json.RawMessage, err error) {
	var ps jsondoc.Problems
	if !errors.As(wrong, &ps) {
		ps.Add(jsondoc.Root, "%s", jsondoc.Printable(wrong.Error()))
	}
	list := make([]detail, 0, min(len(ps), maxDetailed))
	for i, p := range ps[:min(len(ps), maxDetailed)] {
		p.Path, p.Message = plaintext.Clip(p.Path, maxQuoted), plaintext.Clip(p.Message, maxQuoted)
		list = append(list, detail{Path: p.Path, Message: p.Message})
		switch {
		case i == 0:
			told = p.String()
		case i < maxTold:
			told += "; " + p.String()
		case i == maxTold:
			told += fmt.Sprintf("; and %d more", len(ps)-maxTold)
		}
	}
	details, err = json.Marshal(map[string]any{"problems": list})
	return told, details, err
}
