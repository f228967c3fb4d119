package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"text/template"

	"toolcrib/internal/visible"
)

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
