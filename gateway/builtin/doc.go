// Package builtin runs the tools of the assistant's catalog: tasks, reminders,
// schedules, memories with their links and entities, projects, context and
// standing instructions. It is the gateway's provider of type builtin.
//
// Everything belongs to one user of one customer, and no call sees or changes the
// data of another. A call is one transaction: a list of inputs is stored whole or
// not at all, and an error lists all problems, each with its path. Deleted entries
// behave as if they had never existed: no result shows, finds, links to or counts
// them.
//
// Reminders and schedules are only stored: no part of toolcrib delivers or runs
// them, and every response about them states that.
package builtin
