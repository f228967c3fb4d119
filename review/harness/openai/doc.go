// Package openai is a client for models behind an OpenAI-compatible endpoint, which most providers and local servers
// offer: POST {base}/chat/completions, as in https://platform.openai.com/docs/api-reference/chat.
//
// All settings come from Config; no environment variable is read. The client uses net/http, because the official client
// would add some 18 MB to the binary for this one request.
package openai
