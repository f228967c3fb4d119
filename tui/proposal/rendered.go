package proposal

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/markdown"
)

// switchRendered changes between rendered Markdown and the text as it is
// written.
func (pp *Page) switchRendered() tea.Cmd {
	if pp.Tab == tabPrompt {
		pp.Texts.Prompts = !pp.Texts.Prompts
	} else {
		pp.Texts.Raw = !pp.Texts.Raw
	}
	pp.fill()
	return nil
}

func (pp *Page) cannotRender() string {
	switch {
	case !pp.loaded:
		return "it is still loading"
	case pp.Tab == tabDiff || pp.Tab == tabHistory:
		return "the tabs Diff and History show texts as they are"
	case pp.Tab != tabPrompt:
		return ""
	case len(pp.prompts.changes) == 0:
		return "no channel prompt changes"
	case pp.prompts.view == promptDiff:
		return "diffs are not rendered; p shows the whole prompt"
	case len(pp.prompts.text()) > markdown.MaxBytes:
		return "the prompt has more than " + strconv.Itoa(markdown.MaxBytes/1000) + " KB and is shown raw"
	}
	return ""
}

// howShown returns how the prompt on the screen is shown.
func (pp *Page) howShown() string {
	s := &pp.prompts
	how := []string{s.view.String()}
	if s.view == promptDiff || !pp.Texts.Prompts {
		return how[0]
	}
	r := pp.Texts.Of(s.text(), pp.WidthOf(pp.frame.Layout, tabPrompt))
	switch {
	case r == nil:
		how = append(how, "raw: too long to render")
	case !r.Done():
		how = append(how, "rendered …")
	case r.AsWritten:
		how = append(how, "rendered; raw where rendering would lose text")
	default:
		how = append(how, "rendered; r shows it raw")
	}
	return strings.Join(how, ", ")
}
