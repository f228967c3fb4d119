// Package clients reads and edits the configuration files in which the MCP clients of a machine list their servers.
// It finds the files (Machine.Find), reads the servers (Server), assigns names to them (Entries), and adds and
// removes guards (File.Guard, File.Unguard). All state is in the files. There are no backups or records.
//
// An edit changes only those bytes of an entry that start its server (spanedit). The result of every edit is parsed
// again. A server is left unchanged if the edit would change anything else, or if the reverse edit would not restore
// the original bytes.
//
// The files are untrusted. Their size, nesting, and number of values are limited, only regular files are read, and
// problems are reported with their position. Output for a terminal passes through internal/visible, with secrets
// masked (Server.Masked, File.Masked).
package clients
