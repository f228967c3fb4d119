package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/template"

	"github.com/itchyny/gojq"

	"toolcrib/internal/visible"
)

var errTwoFilters = errors.New("write one of --jq and --template")

// setJQ takes --jq, which is of the document of --json. A program can read neither
// files nor the environment.
func (f *globalFlags) setJQ(text string) error {
	if f.template != nil {
		return errTwoFilters
	}
	q, err := gojq.Parse(text)
	if err != nil {
		return err
	}
	f.jq, err = gojq.Compile(q)
	f.json = f.json || err == nil
	return err
}

// printJQ writes what --jq makes of a document, one value per line: texts as they
// are, all others as JSON.
func (a *app) printJQ(text []byte) error {
	doc, err := decodeDocument(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for values := a.flags.jq.RunWithContext(context.Background(), doc); ; {
		v, ok := values.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				break
			}
			return usagef("the command succeeded, but --jq cannot print its document: %v", err)
		}
		if s, ok := v.(string); ok {
			out.WriteString(visible.Text(s) + "\n")
			continue
		}
		line, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		out.Write(append(visible.JSON(line), '\n'))
	}
	_, err = a.env.Out.Write(out.Bytes())
	return err
}

// decodeDocument decodes a document with its numbers as they are written.
func decodeDocument(text []byte) (doc any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&doc)
	return doc, err
}

// setTemplate takes --template, which is of the document of --json.
func (f *globalFlags) setTemplate(text string) error {
	if f.jq != nil {
		return errTwoFilters
	}
	t, err := template.New("--template").Option("missingkey=zero").Funcs(template.FuncMap{"json": asJSON}).Parse(text)
	if err != nil {
		return err
	}
	f.template, f.json = t, true
	return nil
}

// printTemplate writes a document as the template has it. What the template makes
// of it passes the gate like all text.
func (a *app) printTemplate(text []byte) error {
	doc, err := decodeDocument(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := a.flags.template.Execute(&out, doc); err != nil {
		return usagef("the command succeeded, but --template cannot print its document: %v", err)
	}
	_, err = a.env.Out.Write([]byte(visible.Text(out.String())))
	return err
}

// asJSON is the function json of templates.
func asJSON(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("json: %w", err)
	}
	return string(text), nil
}
