package instructions

import "toolcrib/registry"

// Listed is one skill or file of instructions that was approved, or that agents read.
type Listed struct {
	Subject registry.Subject // without an id where it was never approved nor proposed
	Folder  string           // that Path is below; "" where no disk was looked at
	Above   bool             // the folder lies above that of the project
	Path    string
	Version int             // 0 where it was never approved
	Status  registry.Status // of the version
	Hash    string
	Drift   Change // "" where the disk has the approved bytes
	ReadBy  string // the clients
	Reason  string // why it cannot be read
	// Proposal is the number of the open proposal about it, "" for none.
	Proposal string
}

// State returns how it stands, in words.
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

// At is where it stands, for people: below ~ or below the folder of its project.
func (l Listed) At() string {
	if l.Above {
		return l.Folder + "/" + l.Path
	}
	if l.Subject.Layer == registry.LayerUser {
		return "~/" + l.Path
	}
	return l.Path
}
