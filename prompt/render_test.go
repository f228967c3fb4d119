package prompt

import (
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"unicode/utf8"

	"toolcrib/internal/generated"
)

// golden compares text with a file in testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	generated.Check(t, filepath.Join("testdata", "golden", name+".md"), []byte(text))
}

func known() Context {
	last := at.Add(-5 * day)
	return Context{
		Now: at, MemoryNotes: "Prefers oak.\n# A heading in a note", UserInstructions: "No power tools before nine.",
		LastMessageAt: &last, BootstrapContext: "Two boards are left.",
	}
}

func TestRenderGolden(t *testing.T) {
	agent, tools := sampleAgent()
	for _, out := range NewRenderer(Input{Agent: agent, Tools: tools, Context: known()}).RenderAll() {
		golden(t, "known_"+out.Channel, out.Text)
	}
	for _, out := range NewRenderer(Input{Agent: agent, Tools: tools, Context: Context{Now: at}}).RenderAll() {
		golden(t, "new_"+out.Channel, out.Text)
	}
	golden(t, "skip_tools", Render(Input{Agent: agent, Tools: tools, Context: known(), SkipTools: true}, Web).Text)
	agent.PromptTemplate = " \n"
	golden(t, "builtin", Render(Input{Agent: agent, Tools: tools, Context: known()}, Web).Text)
	golden(t, "nothing", Render(Input{}, Heartbeat).Text)
}

func TestRenderChars(t *testing.T) {
	agent, tools := sampleAgent()
	agent.Soul = "Geduld übt sich. 🪚"
	for _, out := range NewRenderer(Input{Agent: agent, Tools: tools, Context: known()}).RenderAll() {
		if want := utf8.RuneCountInString(out.Text); out.Chars != want || want == len(out.Text) {
			t.Errorf("%s: Chars is %d, the text has %d characters and %d bytes", out.Channel, out.Chars, want, len(out.Text))
		}
	}
}

// TestRenderIsPure checks that equal inputs give equal bytes: for single channels,
// for all at once, from several goroutines, and with other map orders.
func TestRenderIsPure(t *testing.T) {
	agent, tools := sampleAgent()
	in := Input{Agent: agent, Tools: tools, Context: known()}
	shared := NewRenderer(in)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			again := in
			again.Agent.ChannelGuidance = maps.Clone(agent.ChannelGuidance)
			for i, out := range shared.RenderAll() {
				if one := Render(again, Channels(agent)[i]); one.Text != out.Text || one.Channel != out.Channel {
					t.Errorf("%s differs", out.Channel)
				}
			}
		})
	}
	wg.Wait()
}

// TestRenderInAnotherContext compares With and a new Renderer.
func TestRenderInAnotherContext(t *testing.T) {
	agent, tools := sampleAgent()
	first := NewRenderer(Input{Agent: agent, Tools: tools, Context: Context{Now: at}})
	first.RenderAll()
	for i, out := range first.With(known()).RenderAll() {
		if want := NewRenderer(Input{Agent: agent, Tools: tools, Context: known()}).RenderAll()[i]; out.Text != want.Text || out.Chars != want.Chars {
			t.Errorf("%s: got\n%s\nwant\n%s", out.Channel, out.Text, want.Text)
		}
	}
	for i, out := range first.RenderAll() {
		if want := Render(Input{Agent: agent, Tools: tools, Context: Context{Now: at}}, Channels(agent)[i]); out.Text != want.Text {
			t.Errorf("%s changed for the first one", out.Channel)
		}
	}
}
