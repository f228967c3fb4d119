// Package builtin runs the tools of the assistant's catalog: tasks, reminders,
// schedules, memories with their links and entities, projects, context and
// standing instructions. It is the gateway's provider of type builtin.
//
// Everything belongs to one user of one customer, and no call sees or changes
// what belongs to another. A call is one transaction: a list of inputs is
// stored whole or not at all, and everything that is wrong with it is said at
// once, each with its path. What was deleted behaves as if it had never been:
// no result shows it, finds it, links to it or counts it.
//
// Reminders and schedules are kept and nothing more: no part of toolcrib
// delivers or runs them, and every answer about them says so.
package builtin
