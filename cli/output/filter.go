package output

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/itchyny/gojq"

	"toolcrib/cli/process"
	"toolcrib/internal/visible"
)

// SetJQ compiles the program of --jq, which filters the document of --json. A program
// cannot read files or the environment.
func (f *Format) SetJQ(text string) error {
	q, err := gojq.Parse(text)
	if err != nil {
		return err
	}
	f.JQ, err = gojq.Compile(q)
	f.JSON = f.JSON || err == nil
	return err
}

// maxFiltered limits how many bytes --jq prints.
const maxFiltered = 256 << 20

// printJQ writes what --jq makes of a document, one value per line: texts as they
// are, all others as JSON.
func (a *Printer) printJQ(text []byte) error {
	doc, err := decodeDocument(text)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for values := a.Form.JQ.RunWithContext(a.Running, doc); ; {
		v, ok := values.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				break
			}
			return process.Usagef("the command succeeded, but --jq cannot print its document: %v", err)
		}
		if out.Len() > maxFiltered {
			return process.Usagef("the command succeeded, but --jq cannot print its document: it makes more than %d MiB", maxFiltered>>20)
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
	_, err = a.Env.Out.Write(out.Bytes())
	return err
}

// decodeDocument decodes a document with its numbers as they are written.
func decodeDocument(text []byte) (doc any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err = dec.Decode(&doc)
	return doc, err
}
