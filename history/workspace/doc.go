// Package workspace writes approved definitions to the folder of a project. It writes a
// snapshot of every version below .control-room/prompts/history, and the live definitions
// of the project to .control-room/prompts/prompts.json.
//
// The transaction of an approval queues the files, and they are written after the
// transaction. Files that were not written because of a crash are written when the
// workspace is opened again. Each file is replaced atomically (temporary file, fsync,
// rename). A live file that was edited by hand is reported and not overwritten.
package workspace
