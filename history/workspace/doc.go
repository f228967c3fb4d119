// Package workspace writes the approved definitions to a project's folder: a
// snapshot of every version under .control-room/prompts/history, and the project's
// live definitions in .control-room/prompts/prompts.json.
//
// The transaction of an approval queues the files; writing them is done
// afterwards, in one step each (a temporary file, fsync, rename), and after a
// crash at the next open. A live file that somebody edited by hand is reported and
// never overwritten silently.
package workspace
