package store

import (
	"context"
	"database/sql"
	"errors"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
)

// Projects implements builtin.Reader.
func (a assistant) Projects(ctx context.Context) ([]string, error) {
	return all(ctx, a.s, scanValue[string], "SELECT name FROM projects WHERE owner = $1", a.owner)
}

// Project implements builtin.Reader.
func (a assistant) Project(ctx context.Context, agent string) (string, error) {
	return a.setting(ctx, "SELECT p.name FROM conversations c JOIN projects p ON p.id = c.project WHERE c.owner = $1 AND c.agent = $2", a.owner, agent)
}

// Instructions implements builtin.Reader.
func (a assistant) Instructions(ctx context.Context) (string, error) {
	return a.setting(ctx, "SELECT instructions FROM owners WHERE id = $1", a.owner)
}

// setting returns a text, "" when there is none.
func (a assistant) setting(ctx context.Context, query string, args ...any) (text string, err error) {
	err = a.s.Row(ctx, query, args, &text)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return text, err
}

// AddProject implements builtin.Writer.
func (a assistant) AddProject(ctx context.Context, name string) error {
	_, err := a.s.Exec(ctx, "INSERT INTO projects (id, owner, name, name_key) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM projects), $1, $2, $3)", a.owner, name, builtin.NameKey(name))
	return err
}

// SetProject implements builtin.Writer.
func (a assistant) SetProject(ctx context.Context, agent, name string) error {
	project, err := a.project(ctx, name)
	if err != nil {
		return err
	}
	_, err = a.s.Exec(ctx, "INSERT INTO conversations (owner, agent, project) VALUES ($1, $2, $3) ON CONFLICT (owner, agent) DO UPDATE SET project = excluded.project", a.owner, agent, project)
	return err
}

// SetInstructions implements builtin.Writer.
func (a assistant) SetInstructions(ctx context.Context, text string) error {
	var customer, user string
	if err := a.s.Row(ctx, `SELECT customer, "user" FROM owners WHERE id = $1`, []any{a.owner}, &customer, &user); err != nil {
		return err
	}
	_, err := a.s.Exec(ctx, "UPDATE owners SET instructions = $1, seal = $2 WHERE id = $3", text, sealOfOwner(customer, user, text), a.owner)
	return err
}

// sealOfOwner returns the seal over a user and the instructions that the user's
// prompts get; "" for none.
func sealOfOwner(customer, user, instructions string) string {
	if instructions == "" {
		return ""
	}
	return history.Seal("toolcrib owner 1", customer, user, instructions)
}
