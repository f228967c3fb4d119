// Package instructions finds the files from which coding agents take instructions (skills, AGENTS.md, CLAUDE.md,
// rules, subagents, slash commands), reads them, compares them with approved versions, and restores approved bytes.
//
// It accesses only files below one folder (see os.Root). No link can lead out of the folder, even if it is replaced
// at the same time. The folder may be hostile: sizes and counts are checked before reading, and pipes and devices are
// never opened.
package instructions
