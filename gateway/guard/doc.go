// Package guard relays messages between an MCP client and one MCP server, but hides and refuses tools that the user
// has not approved. All other messages pass unchanged, except that line breaks between tokens become spaces and those
// inside strings become escapes. The guard parses only the parts that it needs (the id, the method, the name of a tool,
// the tools of a list) and never re-encodes a message. A relay that decodes messages would drop unknown members, round
// ids above 2^53, and stop at the first invalid line.
//
// One strict parser (message.go) defines a valid message. The guard withholds all other messages and writes each valid
// one as exactly one line, so that no reader can interpret it differently or as several messages.
package guard
