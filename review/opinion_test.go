package review_test

import "toolcrib/review/rules"

// external is a finding as a reviewer from outside files it.
func external(path, message string) []rules.Finding {
	return []rules.Finding{{Severity: rules.Block, Path: path, Message: message}}
}
