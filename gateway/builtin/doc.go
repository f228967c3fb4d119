// Package builtin implements the tools in the assistant's catalog. The tools store tasks, reminders, schedules,
// projects, standing instructions, and memories, which can have links to other memories and to entities. The package
// contains the gateway's provider of type builtin.
//
// Every record belongs to one user of one customer. No call sees or changes the data of another user. A call is one
// transaction, so a list of inputs is stored completely or not at all. An error lists all problems of the arguments
// with their paths. No result shows, finds, links to, or counts deleted records.
//
// Reminders and schedules are only stored. No part of toolcrib delivers reminders or runs schedules, and every response
// about them contains a note about this.
package builtin
