// Package workspace writes approved definitions to the folder of a project: a
// snapshot of every version below .control-room/prompts/history, and the live
// definitions of the project to .control-room/prompts/prompts.json.
//
// The transaction of an approval queues the files. They are written afterwards,
// atomically (temporary file, fsync, rename), and after a crash at the next open. A
// live file that was edited by hand is reported and not overwritten.
package workspace
