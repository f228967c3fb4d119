// This file defines the blocks of all other rules.

package rulebook

// Form describes a rule that is not about wording. Its check is implemented in Go under the same
// id.
type Form struct {
	ID       string `toml:"-"`
	Name     string
	Severity string
	// Added is the severity in text that a change adds to an approved version, if it is higher.
	Added      string
	Locked     bool
	Waivable   bool
	Doc        string
	Suggestion string
	Importer   string
	Bad, Good  Sample
}

// Sample is an example of a change, with or without a finding.
type Sample struct {
	Show string // the relevant fragment, for the documentation
	// Text is a sentence in the description of a tool that shows opening hours.
	Text string
	// Of is the name of the sample that Draft patches (RFC 7386): prompt (the default), action, or
	// agent.
	Of, Draft string
	Live      []Patched // definitions that are already live
	// Built reports whether the sample is built in Go, because it is too large or too special for a
	// patch.
	Built bool
}

// Patched is a sample with a merge patch.
type Patched struct{ Of, Draft string }

func (f *Form) named(id string) { f.ID = id }
