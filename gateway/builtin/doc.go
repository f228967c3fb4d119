// Package builtin runs the tools of the assistant's catalog: tasks, reminders, schedules, memories with their links
// and entities, projects, context, and standing instructions. It is the gateway's provider of type builtin.
//
// All data belongs to one user of one customer. No call sees or changes the data of another user. A call is one
// transaction: a list of inputs is stored completely or not at all, and an error lists all problems with their paths.
// Deleted entries behave as if they had never existed: no result shows, finds, links to, or counts them.
//
// Reminders and schedules are only stored. No part of toolcrib delivers or runs them, and every response about them
// says so.
package builtin
