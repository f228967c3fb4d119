// Package builtin implements the tools in the assistant's catalog. The tools store tasks, reminders, schedules,
// projects, standing instructions, and memories. Memories can have links to other memories and to entities, which are
// the persons and things that memories are about. Provider is the gateway's provider of type builtin.
//
// Every record belongs to a single user of a customer. A call cannot read or change the data of another user. Each call
// runs in a transaction, so a list of inputs is stored completely or not at all. If arguments are invalid, the error
// lists all problems with their paths. Deleted records never appear in results, links, or counts.
//
// Reminders and schedules are only stored. No part of toolcrib delivers reminders or runs schedules. Every response
// about reminders or schedules contains a note about this limitation.
package builtin
