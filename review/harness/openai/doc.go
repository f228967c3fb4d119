// Package openai asks a model behind an OpenAI-compatible endpoint, which most
// providers and local servers are: POST {base}/chat/completions, as in
// https://platform.openai.com/docs/api-reference/chat.
//
// Everything comes in by Config; no environment variable is read. The official
// client that does the talking costs a binary some 18 MB and its start a
// millisecond, so only what wires toolcrib together imports this package.
package openai
