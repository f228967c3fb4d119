package rules

import (
	"sync"

	"toolcrib/proposals"
	"toolcrib/review/rules/scan"
)

// computed holds what several rules need of one Change and none should compute
// twice.
type computed struct {
	problems    sync.Once
	problemList proposals.Problems
	texts       sync.Once
	textList    []Text
	scans       sync.Once
	scanList    []scanned
	purposes    sync.Once
	purpose     scan.Set
	evidences   sync.Once
	evidenceOf  *evidence
	settings    sync.Once
	settingOf   *setting
	schemas     sync.Once
	schemaList  []*schema
	self        sync.Once
	selfPeer    *Peer
	before      sync.Once
	beforePeer  *Peer
	alike       sync.Once
	alikeList   []*Peer
	alikeErr    error
}
