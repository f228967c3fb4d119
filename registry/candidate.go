package registry

// candidate is a tool that the allow-list speaks of, and how.
type candidate struct {
	name     string // as listed
	entry    Entry
	known    bool
	listed   bool
	nonLocal bool // among those added when not local
	embedded bool // among those added when embedding works
	category string
	kind     ToolKind // of which all are taken in, "" when it is not
	tier     bool     // its tier passes the filter of the categories
	excluded bool     // among those excluded in local
}

// choose decides about the candidate.
func (c *candidate) choose(in Context) Choice {
	choice := Choice{Name: c.name, Entry: c.entry}
	if !c.known {
		choice.Reason = OutUnknown
		return choice
	}
	if choice.Reason, choice.Detail = c.barred(in); choice.Reason != "" {
		return choice
	}
	choice.In = true
	choice.Reason, choice.Detail = c.brought(in)
	return choice
}

// brought describes what brings the candidate in, "" when nothing does in this
// context.
func (c *candidate) brought(in Context) (reason Reason, detail string) {
	switch {
	case c.listed:
		return InListed, ""
	case c.nonLocal && !in.Local:
		return InNonLocal, ""
	case c.embedded && in.Embedding:
		return InEmbedding, ""
	case c.category != "" && c.tier:
		return InCategory, c.category
	case c.kind != "":
		return InKind, string(c.kind)
	}
	return "", ""
}

// barred returns why the candidate is left out, "" when it is not.
func (c *candidate) barred(in Context) (reason Reason, detail string) {
	tool := c.entry.Definition.Tool
	var where Availability
	if tool.Availability != nil {
		where = *tool.Availability
	}
	way, _ := c.brought(in)
	switch {
	case !c.entry.Active():
		return OutDeactivated, ""
	case way == "" && c.category != "":
		return OutTier, c.category
	case way == "" && c.nonLocal:
		return OutOnlyNonLocal, ""
	case way == "":
		return OutOnlyEmbedding, ""
	case c.excluded && in.Local:
		return OutExcluded, ""
	case where.LocalOnly && !in.Local:
		return OutLocalOnly, ""
	case where.NonLocalOnly && in.Local:
		return OutNonLocalOnly, ""
	case where.NeedsEmbedding && !in.Embedding:
		return OutNeedsEmbedding, ""
	case tool.DeferLoading && !in.IncludeDeferred:
		return OutDeferred, ""
	}
	return "", ""
}
