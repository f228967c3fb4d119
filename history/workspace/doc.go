// Package workspace keeps the files of a project's folder in step with what is
// approved: a snapshot of every version under .control-room/prompts/history,
// and the project's live definitions in .control-room/prompts/prompts.json.
//
// An approval owes the files in the same transaction that makes it; writing
// them is done afterwards, in one step each (a temporary file, fsync, rename),
// and what a crash leaves undone is done at the next open. A live file that
// somebody edited by hand is reported and never overwritten silently.
package workspace
