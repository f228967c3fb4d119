// Package openai asks a model behind an OpenAI-compatible endpoint, which most
// providers and local servers are: POST {base}/chat/completions, as in
// https://platform.openai.com/docs/api-reference/chat.
//
// Everything comes in by Config; no environment variable is read. The client is
// written on net/http, as the official one adds some 18 MB to a binary for this
// one request.
package openai
