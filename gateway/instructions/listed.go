// This file has the entries of lists of skills and instruction files.

package instructions

import "toolcrib/registry"

// Listed is a skill or instruction file that was approved, or that agents read.
type Listed struct {
	Subject registry.Subject // without an id if it was never approved or proposed
	Folder  string           // folder that contains Path; "" if the disk was not searched
	Above   bool             // the folder is above that of the project
	Path    string
	Version int             // 0 if it was never approved
	Status  registry.Status // status of the version
	Hash    string
	Drift   Change // "" if the disk has the approved bytes
	ReadBy  string // clients that read it
	Reason  string // reason why it cannot be read
	// Proposal is the number of an open proposal for it, or "".
	Proposal string
}

// State describes the state for people.
func (l Listed) State() string {
	switch {
	case l.Drift != "":
		return string(l.Drift)
	case l.Status == registry.Deactivated:
		return string(l.Status)
	case l.Folder == "":
		return "live"
	}
	return "as approved"
}

// At returns the location for people: below ~ or below the folder of its project.
func (l Listed) At() string {
	if l.Above {
		return l.Folder + "/" + l.Path
	}
	if l.Subject.Layer == registry.LayerUser {
		return "~/" + l.Path
	}
	return l.Path
}
