// Package clients reads and edits the configuration files in which the MCP
// clients of a machine list their servers: which files there are (Machine.Find),
// which servers they start (Server), and how these are replaced by one entry of
// toolcrib and put back (File.Wrap, Keeper).
//
// An edit changes the bytes of the servers and no others: the file is parsed for
// the spans of its values, and the new text is spliced in. JSON with comments is
// parsed by tailscale/hujson, TOML by the AST of pelletier/go-toml, whose nodes
// carry byte ranges (BurntSushi/toml has none), YAML by go.yaml.in/yaml, whose
// nodes have a line and a column. No library writes the file, as each of them
// would reformat the rest of it. The result of every edit is parsed again, and
// the edit is refused unless the servers are the wanted ones and everything else
// is unchanged.
//
// The files are untrusted: the size, the nesting and the number of values are
// limited, only regular files are read, and a problem is reported at its place.
// What is read goes to a terminal through internal/visible, and without its
// secrets (Server.Masked, File.Masked).
package clients
