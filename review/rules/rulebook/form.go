// This file defines the blocks that describe all other rules.

package rulebook

// Form describes a rule that is not about wording. The check with the same id is implemented in Go.
type Form struct {
	ID       string `toml:"-"`
	Name     string
	Severity string
	// Added is the severity of a finding in text that a change adds to an approved version, if it
	// is higher than Severity.
	Added      string
	Locked     bool
	Waivable   bool
	Doc        string
	Suggestion string
	Importer   string
	Bad, Good  Sample
}

// Sample is an example of a change. One of the fields Text, Draft, and Built specifies the change.
type Sample struct {
	Show string // relevant part of the change, for the documentation
	// Text is a sentence that is added to the description of a tool that shows opening hours.
	Text string
	// Of is the name of a sample in package rulestest: prompt (the default), action, or agent.
	// Draft is a merge patch (RFC 7386) for this sample.
	Of, Draft string
	Live      []Patched // definitions that are already live
	// Built reports whether the change is built in Go, because it is too large or too special for a
	// patch.
	Built bool
}

// Patched is a sample that has been modified by a merge patch. Sample documents the fields.
type Patched struct{ Of, Draft string }

func (f *Form) named(id string) { f.ID = id }
