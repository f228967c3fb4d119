package registry

// Live is a definition in force in one layer.
type Live struct {
	Subject     Subject
	Version     int    // counted from 1
	ContentHash string // SHA-256 of the canonical definition
	Definition  Definition
	Locked      bool // core
	// Refused is why the version does not count where decisions are signed, nil
	// when it does. Definition then has no content and is deactivated.
	Refused error
}

// Refuse returns the replacement of a version that does not count: a deactivated
// definition without content, and the reason.
func (l Live) Refuse(reason error) Live {
	l.Refused = reason
	switch l.Subject.Kind {
	case KindAgent:
		l.Definition = Definition{Agent: &Agent{ID: l.Subject.ID, Status: Deactivated}}
	case KindList:
		l.Definition = Definition{List: &List{ID: l.Subject.ID, Status: Deactivated}}
	case KindTool:
		l.Definition = Definition{Tool: &Tool{ID: l.Subject.ID, Status: Deactivated}}
	}
	return l
}

// Columns are the columns of a definition in lists, as text.
type Columns struct {
	Name               string
	ToolKind, Category string // "" unless it is a tool
	Tier, Approval     string
	Tag                string // prefix
	Status             Status
	Origin             string // what a tool is called where it comes from
	Source             string // the server or the file that a tool comes from
}

// Columns returns what lists show of d.
func (d Definition) Columns() Columns {
	c := Columns{Name: d.Name(), Status: d.Status()}
	if d.List != nil {
		c.Name = d.List.Name // as it is written
	}
	t := d.Tool
	if t == nil {
		return c
	}
	c.ToolKind, c.Category, c.Tier = string(t.Kind), t.Category, string(t.Tier)
	c.Source, c.Origin = t.origin()
	if t.Approval != nil {
		c.Approval = string(t.Approval.Tier)
	}
	if t.Tag != nil {
		c.Tag = t.Tag.Prefix
	}
	return c
}
