// Package clients reads and edits the configuration files of MCP clients. These files list the servers of the clients.
// Machine.Find finds the files on a machine, File.Servers contains their servers, and Entries assigns names to the
// servers. File.Guard adds a guard to a server, and File.Unguard removes it. The files contain the only state: the
// package keeps neither backups nor records.
//
// An edit changes only the bytes of an entry that start the server (package spanedit). The result of every edit is
// parsed again. A server is left unchanged if the edit would change anything else, or if the reverse edit would not
// restore the original bytes.
//
// The files are untrusted. Only regular files are read, and the parsers limit their size, nesting, and number of
// values. Problems are reported with their position. Before text from a file reaches a terminal, internal/visible
// escapes it and Server.Masked or File.Masked hides its secrets.
package clients
