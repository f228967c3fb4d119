package registry

import (
	"slices"

	"github.com/agnivade/levenshtein"
)

// categories is the table of the known categories. Others are allowed, with a
// finding of rule R102.
var categories = [...]string{
	"search", "code_changes", "terminal", "todo", "requirement",
	"integration_jira", "integration_github", "integration_confluence", "integration_linear",
	"delegation", "web", "knowledge_graph", "file_fetch", "analysis", "sandbox",
	"email", "calendar", "tasks", "reminders", "schedules", "memory", "instructions", "other",
}

// Categories returns the known categories in the order of the table.
func Categories() []string { return slices.Clone(categories[:]) }

// ValidCategory reports whether name has the form of a category: lower-case
// letters, digits and "_", a letter first, at most 64 characters.
func ValidCategory(name string) bool { return madeOf(name, lower, lower+digits+"_") }

const categoryForm = `a category (lower-case letters, digits and "_", a letter first, at most 64 characters)`

// ClosestCategory returns the category of the table whose spelling is nearest to
// name, the first of several.
func ClosestCategory(name string) string {
	return slices.MinFunc(categories[:], func(a, b string) int {
		return levenshtein.ComputeDistance(a, name) - levenshtein.ComputeDistance(b, name)
	})
}

// KnownCategory reports whether name stands in the table of categories.
func KnownCategory(name string) bool { return slices.Contains(categories[:], name) }
