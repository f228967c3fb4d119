package registry

import "slices"

// categories is the table of what a tool can be about.
var categories = [...]string{
	"search", "code_changes", "terminal", "todo", "requirement",
	"integration_jira", "integration_github", "integration_confluence", "integration_linear",
	"delegation", "web", "knowledge_graph", "file_fetch", "analysis", "sandbox",
	"email", "calendar", "tasks", "reminders", "schedules", "memory", "instructions", "other",
}

// Categories returns the known categories in the order of the table.
func Categories() []string { return slices.Clone(categories[:]) }

// KnownCategory reports whether name stands in the table of categories.
func KnownCategory(name string) bool { return slices.Contains(categories[:], name) }
