// Package guard relays messages between an MCP client and a single MCP server. It removes tools that the user has not
// approved from the server's lists, and refuses calls of these tools. It also edits the capabilities and the
// instructions that the server reports. In all other messages, it changes only line breaks, which it replaces by spaces
// between tokens and by escape sequences inside strings. The guard parses only the parts of a message that it needs
// (the id, the method, the name of a tool, the tools of a list) and never re-encodes a message. A relay that decodes
// and re-encodes messages would drop unknown members, round ids above 2^53, and stop at the first invalid line.
//
// The strict parser in message.go defines which messages are valid. The guard withholds invalid messages. It writes
// each valid message as exactly one line. Therefore, readers cannot interpret the message differently or as several
// messages.
package guard
