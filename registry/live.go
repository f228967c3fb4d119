package registry

// Live is a definition in force in one layer.
type Live struct {
	Subject     Subject
	Version     int    // counted from 1
	ContentHash string // SHA-256 of the canonical definition
	Definition  Definition
	Locked      bool // core
}
