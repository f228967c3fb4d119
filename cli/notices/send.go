package notices

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"toolcrib/internal/proc"
)

// Command runs a program, without a shell, that gets the notice on standard input.
type Command struct {
	Args []string
	Dir  string
}

// maxOutput is how much of a program's output is kept, in bytes.
const maxOutput = 64 << 10

// Send implements Sender.
func (c Command) Send(ctx context.Context, _ Notice, body []byte) error {
	if _, err := proc.Exchange(ctx, c.Args, c.Dir, append(body, '\n'), maxOutput); err != nil {
		return fmt.Errorf("%s: %w", c.Args[0], err)
	}
	return nil
}

// Webhook posts a notice to an address, signed with a secret that the receiver has
// too.
type Webhook struct {
	URL    string
	Secret string
	Now    func() time.Time
}

// The headers of a delivery. Signature is "t=SECONDS,v1=HEX": the HMAC-SHA256, by the
// secret, of the seconds since 1970, a full stop and the body.
const (
	SignatureHeader = "Toolcrib-Signature"
	EventHeader     = "Toolcrib-Event"
	DeliveryHeader  = "Toolcrib-Delivery"
)

// Send implements Sender. Only an answer of the 200s counts, and no redirect is
// followed: another address was not configured.
func (w Webhook) Send(ctx context.Context, n Notice, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := strconv.FormatInt(w.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "toolcrib")
	req.Header.Set(EventHeader, string(n.Event))
	req.Header.Set(DeliveryHeader, n.ID)
	req.Header.Set(SignatureHeader, "t="+at+",v1="+Sign(w.Secret, at, body))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxOutput))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("%s answered %s", w.URL, resp.Status)
	}
	return nil
}

// Sign returns the signature of a body that is sent at a time.
func Sign(secret, at string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
