// Package export implements the export command, which writes the registry to a file or to standard output.
package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/visible"
	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/registry/wire"
	"toolcrib/review/bundle"
	"toolcrib/store/catalog"
)

// Family returns the export command.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupRegistry, New: newExport},
		},
		Documents: map[string]any{
			"export": docExport{},
		},
	}
}

type docExport struct {
	output.Head
	View   []string    `json:"view"`
	Tools  []docExtent `json:"tools"`
	Agents []docExtent `json:"agents"`
	Lists  []docExtent `json:"lists"`           // allow-lists that agents refer to
	Files  []docExtent `json:"files,omitempty"` // skills and instructions of coding agents
	// Prompts lists the prompts of the requested agent, rendered as in reviews: at a fixed time and without user
	// data.
	Prompts []docExportPrompt `json:"prompts,omitempty"`
}

// docExtent is a live definition in a form that an application can load.
type docExtent struct {
	Subject     string          `json:"subject"`
	Version     int             `json:"version"`
	ContentHash string          `json:"content_hash"`
	Hash        string          `json:"hash"`
	Locked      bool            `json:"locked"`
	Definition  json.RawMessage `json:"definition"`
	// SourceJSON is the exact JSON that the definition was imported from. The source field of the
	// definition contains the hash of the JSON.
	SourceJSON string `json:"source_json,omitempty"`
}

// docExportPrompt is a prompt as reviews render it. Models receive prompts that are rendered for their users, for
// example by toolcrib preview --user or by the MCP prompt agent-prompt.
type docExportPrompt struct {
	Agent   string `json:"agent"`
	Channel string `json:"channel"`
	Text    string `json:"text"`
	Hash    string `json:"hash"` // SHA-256 of the text
	// Reference is always true.
	Reference bool      `json:"reference"`
	At        time.Time `json:"at"`
}

// Formats of the export command that package wire does not define.
const (
	formatLock   = wire.Format("lock")   // lock file
	formatBundle = wire.Format("bundle") // bundle with signatures
)

type exportFlags struct {
	format, agent, asOf, output string
	server                      string
	where                       command.WhereFlags
	deferred                    bool
}

func newExport(a *command.App) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use: "export",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, notes, err := export(cmd.Context(), a, f)
			if err != nil {
				return err
			}
			for _, n := range notes {
				a.Note("toolcrib: %s", n)
			}
			printed := f.output == "" || f.output == "-"
			if printed || f.server == "" {
				text = visible.JSON(text)
			}
			if printed {
				_, err := a.Env.Out.Write(text)
				return err
			}
			if err = WriteExport(a, f.output, text); err == nil {
				a.Tell("Wrote %s.", f.output)
			}
			return err
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.format, "format", string(wire.Toolcrib), "`FORMAT` of the export: toolcrib, v0, openai, anthropic, mcp, lock, or bundle")
	set.StringVar(&f.agent, "agent", "", "only the tools of the agent `ID`")
	set.StringVar(&f.server, "server", "", "with --format mcp: only the approved tools of the server `NAME`, as the server sent them")
	set.StringVar(&f.asOf, "as-of", "", "show the registry at `TIME` (RFC 3339)")
	set.StringVar(&f.output, "output", "", "write to `FILE` (default: -, standard output)")
	f.where.Register(set)
	set.BoolVar(&f.deferred, "deferred", false, "with --agent: include deferred tools")
	return cmd
}

// export returns the selected definitions in the requested format. The notes list the omitted tools, and the values
// that the format cannot represent.
func export(ctx context.Context, a *command.App, f exportFlags) (text []byte, notes []string, err error) {
	format := wire.Format(f.format)
	if !slices.Contains([]wire.Format{wire.Toolcrib, wire.V0, wire.OpenAI, wire.Anthropic, wire.MCP, formatLock, formatBundle}, format) {
		return nil, nil, process.Usagef("--format is %q: use toolcrib, v0, openai, anthropic, mcp, lock, or bundle", f.format)
	}
	if f.server != "" && format != wire.MCP {
		return nil, nil, process.Usagef("--server needs --format mcp")
	}
	if format == formatBundle && (f.agent != "" || f.asOf != "") {
		return nil, nil, process.Usagef("a bundle contains the whole current registry; --agent and --as-of need another format")
	}
	at, err := command.ParseTime(f.asOf)
	if err != nil {
		return nil, nil, err
	}
	settings, err := a.Settings()
	if err != nil {
		return nil, nil, err
	}
	c, err := NewExtract(ctx, a, settings.Layer, catalog.Query{AsOf: at})
	if err != nil {
		return nil, nil, err
	}
	if f.agent != "" {
		left, err := c.Only(ctx, f.agent, f.where.Context(f.deferred))
		if err != nil {
			return text, notes, err
		}
		for _, w := range c.Warnings {
			notes = append(notes, output.FullStop(w+"; the entry is skipped"))
		}
		if left > 0 {
			notes = append(notes, fmt.Sprintf("the export omits %s, as the prompt does: offer search_tools, describe_tool, and execute_tool to the agent (toolcrib mcp), or export with --deferred.", output.Counted(left, "deferred tool")))
		}
	}
	if err := leaveOutCore(ctx, a, &c); err != nil {
		return text, notes, err
	}
	switch {
	case f.server != "":
		text, err = encodeServer(ctx, a, f.server, c)
	case format == formatLock:
		var lives []registry.Live
		if lives, err = livesOf(slices.Concat(c.Tools, c.files)); err != nil {
			return text, notes, err
		}
		text, err = conform.NewLock(cmp.Or(c.agent, &registry.Agent{}).ID, c.layer.View(), lives).Encode()
	case format == formatBundle:
		var b bundle.Bundle
		if b, err = c.bundle(ctx, a, &bundle.Collector{}); err == nil {
			text, err = b.Encode()
		}
	case format == wire.Toolcrib:
		text, err = exportDocument(ctx, a, c)
	default:
		var lives []registry.Live
		if lives, err = livesOf(c.Tools); err != nil {
			return text, notes, err
		}
		listed := make([]wire.Listed, len(lives))
		for i, l := range lives {
			if listed[i], err = AsListed(ctx, a, format, l, c.Tools[i].CreatedAt, c.Tools[i].UpdatedAt); err != nil {
				return text, notes, err
			}
		}
		var left []string
		text, left, err = wire.Encode(format, listed)
		beyond := wire.HostLimits(format, listed)
		if len(left) > 0 {
			notes = append(notes, fmt.Sprintf("the format %s cannot represent:\n  %s", format, strings.Join(left, "\n  ")))
		}
		if len(beyond) > 0 {
			notes = append(notes, fmt.Sprintf("the export exceeds the limits of %s:\n  %s", format, strings.Join(beyond, "\n  ")))
		}
	}
	return text, notes, err
}

// livesOf decodes the definitions of rows.
func livesOf(rows []catalog.Exported) ([]registry.Live, error) {
	lives := make([]registry.Live, len(rows))
	for i, e := range rows {
		var err error
		if lives[i], err = command.LiveOf(e); err != nil {
			return nil, err
		}
	}
	return lives, nil
}

func newDocExtent(e catalog.Exported) docExtent {
	return docExtent{
		Subject: e.Subject.String(), Version: e.Version, ContentHash: e.ContentHash, Hash: e.Hash, Locked: e.Locked, Definition: e.Definition,
	}
}

// WriteExport writes text to the file with the given name. It returns an error if the name refers to a folder or to
// another file that is not regular.
func WriteExport(a *command.App, name string, text []byte) error {
	if err := a.FolderOf(name); err != nil {
		return err
	}
	file := a.Path(name)
	check := func() error {
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.IsDir():
			return fmt.Errorf("%s is a folder; specify a file in the folder", name)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file; use - for standard output", name)
		}
		return nil
	}
	err := check()
	if err == nil {
		err = atomicfile.Write(file, text, atomicfile.Options{Mode: 0o644, Check: check})
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("the folder %s is not writable: %w", filepath.Dir(file), err)
	}
	return err
}
