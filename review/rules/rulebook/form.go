package rulebook

// Form describes a rule that is not about wording: a check of the same id has its
// code.
type Form struct {
	ID       string `toml:"-"`
	Name     string
	Severity string
	// Added is the severity in text that a change adds to an approved version, where it is
	// higher.
	Added      string
	Locked     bool
	Waivable   bool
	Doc        string
	Suggestion string
	Importer   string
	Bad, Good  Sample
}

// Sample is a change of a registry that a form finds something in, or nothing.
type Sample struct {
	Show string // the telling fragment, for the documentation
	// Text is a sentence in the description of a tool that shows opening hours.
	Text string
	// Of names the file of samples that Draft, a merge patch (RFC 7386), changes:
	// prompt (the default), action or agent.
	Of, Draft string
	Live      []Patched // definitions that are live
	// Built marks a sample that is too large or too special for a patch, and made in
	// Go.
	Built bool
}

// Patched is a file of samples and a merge patch of it.
type Patched struct{ Of, Draft string }

func (f *Form) named(id string) { f.ID = id }
