package harness

import (
	"errors"

	"toolcrib/proposals"
)

// maxWork bounds how many steps the checks of a suite may take together. A step
// takes up to twenty nanoseconds in answers that are made to be slow, so that
// all of them take a second or so; those of a report of 10 KB take a fiftieth
// of it for each check.
const maxWork = 1 << 26

// stepsPerByte is the cost of the checks that look for turns of phrase. The
// others read an answer as fast as it can be read.
const stepsPerByte = 128

var errWork = errors.New("the checks of these test cases exceed the work limit; shorten the answers or the regular expressions")

// work is the rest of maxWork.
type work struct{ left int }

// spend takes steps off, and returns errWork when there are not so many left.
func (w *work) spend(steps int) error {
	if w == nil { // nothing is counted
		return nil
	}
	if steps > w.left {
		return errWork
	}
	w.left -= steps
	return nil
}

// cost returns how many steps a check of a takes. A regular expression has its own
// limit.
func (a answer) cost(kind proposals.CheckType) int {
	switch kind {
	case proposals.CheckEvidence, proposals.CheckNoFakeToolUse:
		return stepsPerByte * (len(a.text) + len(a.input))
	case proposals.CheckJSONSchema, proposals.CheckJSONOnly, proposals.CheckToolCall, proposals.CheckNotContains:
		return 8 * len(a.text)
	case proposals.CheckNoFences, proposals.CheckContains, proposals.CheckMaxChars, proposals.CheckMatches:
	}
	return len(a.text)
}
