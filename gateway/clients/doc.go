// Package clients reads and edits the configuration files of MCP clients. These files list the servers of the clients.
// Machine.Find finds the files on a machine, File.Servers contains their servers, and Entries assigns names to the
// servers. File.Guard adds a guard to the entry of a server: the client then starts toolcrib guard instead of the
// server. File.Unguard removes a guard. The package creates no backups or other records; all information about guards
// is in the files.
//
// An edit changes only the part of an entry that starts the server (package spanedit). The result of every edit is
// parsed again. The package does not edit an entry if the edit would have other effects, or if the reverse edit would
// not restore the original bytes.
//
// The files are untrusted. Only regular files are read, and the parsers limit their size, nesting, and number of
// values. Problems are reported with their position. Before text from a file reaches a terminal, internal/visible
// escapes it and Server.Masked or File.Masked hides its secrets.
package clients
