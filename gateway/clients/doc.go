// Package clients reads and edits the configuration files in which the MCP
// clients of a machine list their servers: which files there are (Machine.Find),
// which servers they start (Server) and under which names (Entries), and how the
// guard is put in front of one and taken away (File.Guard, File.Unguard). The
// state is in the file itself: there is no backup and no record.
//
// An edit changes the bytes of an entry that start its server and no others (spanedit). The
// result of every edit is parsed again; a server stays as it is unless everything else is
// unchanged and the reverse of the edit gives the very bytes of before.
//
// The files are untrusted: the size, the nesting and the number of values are
// limited, only regular files are read, and a problem is reported at its place.
// What is read goes to a terminal through internal/visible, and without its
// secrets (Server.Masked, File.Masked).
package clients
