package registry

// normalise turns every way of saying "not set" into the absent key.
func (t *Tool) normalise() {
	if t.Status == Active {
		t.Status = ""
	}
	if len(t.Aliases) == 0 {
		t.Aliases = nil
	}
	if len(t.Guidance) == 0 {
		t.Guidance = nil
	}
	t.Annotations = absent(t.Annotations)
	t.Approval = absent(t.Approval)
	t.Availability = absent(t.Availability)
	t.Limits = absent(t.Limits)
	t.Provider = absent(t.Provider)
	t.Source = absent(t.Source)
	if t.Tag != nil && len(t.Tag.ArgGroups) == 0 {
		t.Tag.ArgGroups = nil
	}
}

func (a *Agent) normalise() {
	if a.Status == Active {
		a.Status = ""
	}
	if len(a.ChannelGuidance) == 0 {
		a.ChannelGuidance = nil
	}
	if len(a.Categories) == 0 {
		a.Categories = nil
	}
	a.SessionOpen = absent(a.SessionOpen)
}

// normalise also gives a list that only has a name its id.
func (l *List) normalise() {
	if l.Status == Active {
		l.Status = ""
	}
	if l.ID == "" && ValidID(l.Name) {
		l.ID = l.Name
	}
	if l.Name == l.ID {
		l.Name = ""
	}
}

// absent returns nil for a pointer to a zero value.
func absent[T comparable](p *T) *T {
	var zero T
	if p != nil && *p == zero {
		return nil
	}
	return p
}
