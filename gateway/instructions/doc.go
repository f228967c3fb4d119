// Package instructions handles the files that contain instructions for coding agents: skills, AGENTS.md, CLAUDE.md,
// rules, subagents, and slash commands. It finds and reads these files, compares them with their approved versions, and
// restores approved content.
//
// The package accesses the files of a folder through os.Root, which prevents symbolic links from leading out of the
// folder, even if a link is replaced during the access. The content of the folder is untrusted. Sizes and counts are
// checked before reading, and pipes and devices are never opened.
package instructions
