// Package wire reads and writes definitions of tools in the formats of other
// programs: the tools/list of an MCP server
// (modelcontextprotocol.io/specification/2025-11-25/server/tools), the tool arrays
// of OpenAI (platform.openai.com/docs/guides/function-calling) and Anthropic
// (docs.anthropic.com/en/docs/agents-and-tools/tool-use), v0 prompt files, lists of
// names, and toolcrib's own export.
//
// Converting through Go types would add and lose keys. Therefore the bytes of every
// tool are kept unchanged, and its hash covers the whole JSON, including unknown
// keys.
package wire
