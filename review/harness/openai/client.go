package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"toolcrib/review/harness"
)

// Client asks one model. It may be used by several goroutines at once.
type Client struct {
	config      Config
	address     *url.URL
	completions openai.ChatCompletionService
}

var _ harness.Model = (*Client)(nil)

// New returns a client for the model that c names. The error wraps ErrConfig.
// Nobody is asked yet.
func New(c Config) (*Client, error) {
	address, err := c.check()
	if err != nil {
		return nil, err
	}
	transport := c.Transport
	if transport == nil {
		transport = &http.Transport{ForceAttemptHTTP2: true}
	}
	options := []option.RequestOption{
		option.WithBaseURL(c.BaseURL),
		option.WithMaxRetries(c.Retries),
		option.WithMaxRetryDelay(c.RetryDelay),
		option.WithHTTPClient(&http.Client{
			Transport: bounded{next: transport, limit: bodyLimit(c.MaxAnswer)},
			// Elsewhere nobody is trusted with the key or the text.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
	}
	if c.APIKey != "" {
		options = append(options, option.WithAPIKey(c.APIKey))
	}
	return &Client{config: c, address: address, completions: openai.NewChatCompletionService(options...)}, nil
}

// Answer returns what the model says to input, with prompt as its instruction.
// The error says in words that are safe to show why there is no answer; it
// wraps harness.ErrNotConnected when nobody answers at the address, and
// ctx.Err when ctx ended.
func (c *Client) Answer(ctx context.Context, prompt, input string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	params := openai.ChatCompletionNewParams{Model: c.config.Model}
	if prompt != "" {
		params.Messages = append(params.Messages, openai.SystemMessage(prompt))
	}
	params.Messages = append(params.Messages, openai.UserMessage(input))
	var response *http.Response
	completion, err := c.completions.New(limited, params, option.WithResponseInto(&response))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("no answer within %v", c.config.Timeout)
	case err != nil || response == nil || response.StatusCode != http.StatusOK:
		return "", c.explain(response, err)
	}
	return c.text(completion)
}

// text returns what the model said.
func (c *Client) text(completion *openai.ChatCompletion) (string, error) {
	if completion == nil || len(completion.Choices) == 0 {
		return "", errNoCompletion
	}
	choice := completion.Choices[0]
	text := choice.Message.Content
	if text == "" {
		text = choice.Message.Refusal // which is an answer, too
	}
	switch {
	case choice.FinishReason == "length":
		return "", errors.New("the answer was cut off, as it became longer than the model may write")
	case choice.FinishReason == "content_filter":
		return "", errors.New("the endpoint held the answer back")
	case text == "":
		return "", errors.New("the answer has no text")
	case len(text) > c.config.MaxAnswer:
		return "", errTooLarge
	}
	return text, nil
}
