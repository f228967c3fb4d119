// This file filters the server's prompts and instructions.

package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolcrib/gateway/texts"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// prompt handles m, the server's response to the prompts/get request in a. If m contains the approved text, with the
// client's arguments in place of the placeholders, prompt passes m to the client. Otherwise, the client receives an
// error.
func (g *Guard) prompt(ctx context.Context, a *openRequest, m *message, line []byte) {
	if wait(ctx, g.approvals.loaded) != nil {
		return // the guard is ending
	}
	state, closed := g.approvals.get()
	name, result := wire.PromptName(a.prompt), m.result.of(m.text)
	text, known := state.Texts[name]
	unclear := m.members(m.result, []string{"description", "messages"}, func(string, span) {})
	var why string
	switch review := fmt.Sprintf("; the user reviews the waiting proposals with `toolcrib show set:%s`", g.config.Name); {
	case closed != nil:
		why = closed.Error()
	case unclear != nil:
		why = unclear.Error()
	case !known:
		why = "the prompt is not approved" + review
	case !text.Covers(a.arguments, result):
		why = "the text of the prompt differs from the approved text" + review
	default:
		_ = g.client.write(line)
		return
	}
	if seen := g.refresher.texts(); seen != nil && !seen[name].Covers(a.arguments, result) {
		g.mu.Lock()
		g.again = true // the list of prompts omits the texts, so a comparison of the list would not detect the change
		g.mu.Unlock()
		g.refresher.request()
	}
	why = fmt.Sprintf("toolcrib withholds the prompt %s of %s: %s", jsondoc.Quote(clip(a.prompt)), g.config.Name, why)
	g.writeClient(refused(m.id.of(m.text), codeInvalidParams, why))
	g.sendLog("warning", why)
}

// relayInitialize passes m, the server's response to initialize or server/discover, to the client. It adds the
// listChanged capabilities and the notice about withheld tools. If Config.Texts is true, it removes unapproved
// instructions. In that case, note is a text for the user of the client; otherwise, note is "".
func (g *Guard) relayInitialize(ctx context.Context, m *message, line []byte) (note string) {
	kinds := []listKind{toolsList}
	var instructions span
	err := m.members(m.result, []string{"capabilities", "instructions"}, func(key string, value span) {
		if key == "instructions" {
			instructions = value
		}
	})
	if g.config.Texts {
		kinds = append(kinds, promptsList)
		if err != nil {
			g.writeClient(refused(m.id.of(m.text), codeInternal, "toolcrib withheld the response of the server: "+err.Error()))
			return ""
		}
	}
	changes := announceListChanged(m, kinds)
	if given := m.str(instructions); g.config.Texts && instructions.present() && string(instructions.of(m.text)) != "null" {
		if wait(ctx, g.approvals.loaded) != nil {
			return "" // the guard is ending
		}
		state, closed := g.approvals.get()
		if text, known := state.Texts[wire.InstructionsName]; closed != nil || !known || text.Instructions != given {
			changes = append(changes, edit{instructions, []byte(`""`)})
			note = fmt.Sprintf("toolcrib withholds the instructions of %s until they are approved (toolcrib show set:%s); then reconnect the client, because clients read instructions only when they connect", g.config.Name, g.config.Name)
		}
	}
	if notice := g.withheldNotice(ctx, m); notice != "" && err == nil {
		given := m.str(instructions)
		if note != "" {
			given = ""
		}
		text := quote(strings.TrimLeft(given+"\n\n"+notice, "\n"))
		changes = slices.DeleteFunc(changes, func(e edit) bool { return e.at == instructions })
		switch {
		case instructions.present():
			changes = append(changes, edit{instructions, text})
		case m.member(m.result, "capabilities").present():
			changes = append(changes, edit{span{m.result.to - 1, m.result.to - 1}, slices.Concat([]byte(`,"instructions":`), text)})
		}
	}
	slices.SortFunc(changes, func(a, b edit) int { return cmp.Compare(b.at.from, a.at.from) })
	for _, e := range changes {
		line = slices.Concat(line[:e.at.from], e.with, line[e.at.to:])
	}
	_ = g.client.write(line)
	return note
}

// withheldNotice returns a notice for the model with the number of withheld tools and texts, and a command for the user
// to review them. If nothing is withheld or Config.Notice is false, it returns "". The notice is added to the
// instructions, because most clients do not pass any other message from a server to the model.
func (g *Guard) withheldNotice(ctx context.Context, m *message) string {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond) // the server's response to initialize is delayed until the notice is available
	defer cancel()
	if !g.config.Notice || wait(ctx, g.approvals.loaded) != nil {
		return ""
	}
	n := g.config.Backend.Withheld(ctx)
	state, closed := g.approvals.get()
	switch {
	case closed != nil || n == 0 && len(state.Tools) == 0 && m.member(m.result, "capabilities", "tools").present():
		return "toolcrib withholds the tools of this server that the user has not approved. To show them: toolcrib status"
	case n == 0:
		return ""
	}
	return fmt.Sprintf("toolcrib withholds %d of this server's tools until the user approves them. The user reviews them with: toolcrib show set:%s", n, g.config.Name)
}

// readTexts reads the server's prompts and instructions for a comparison with the approved texts.
func (g *Guard) readTexts(ctx context.Context) ([]json.RawMessage, error) {
	g.mu.Lock()
	again := g.again
	g.again = false
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, g.config.Times.List)
	defer cancel()
	instructions, err := g.requester.instructions(ctx)
	if err != nil {
		return nil, err
	}
	found, err := g.texts.Read(ctx, instructions, again)
	if err != nil && again {
		g.mu.Lock()
		g.again = true
		g.mu.Unlock()
	}
	return found, err
}

// instructions returns the server's instructions. If there was no handshake and the client has not requested
// server/discover, the requester sends the request.
func (q *requester) instructions(ctx context.Context) (string, error) {
	if s := q.session.facts(); s.introduced || s.handshake {
		return s.instructions, nil
	}
	result, err := q.request(ctx, "server/discover", jsondoc.NewObject())
	if errors.Is(err, texts.ErrNoMethod) {
		return "", nil
	}
	m := message{text: result}
	return m.str(m.member(span{0, len(result)}, "instructions")), err
}
