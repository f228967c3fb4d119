// Package instructions knows where coding agents look for what they are told in files
// (skills, AGENTS.md, CLAUDE.md, rules, subagents, slash commands), reads those files,
// compares them with what was approved, and writes approved bytes back.
//
// It reads below one folder alone (os.Root): no link, however it is swapped while it
// reads or writes, leads it elsewhere. What the folder holds may be hostile: sizes and
// counts are checked before anything is read, and pipes and devices are never opened.
package instructions
