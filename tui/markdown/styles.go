// This file converts roles to the styles of Glamour and to the styles of a theme.

package markdown

import (
	"fmt"

	"charm.land/glamour/v2/ansi"

	"toolcrib/tui/theme"
)

// Role is the meaning of a piece of rendered text, for example heading or code.
type Role uint8

// The roles. The output of Glamour contains colors, but not the meaning of a text. Glamour is therefore
// configured with a different color for each role, and the colors in its output are converted back to roles.
// This makes it possible to draw cached output in any theme.
const (
	Body Role = iota
	Heading
	Strong
	Emph
	Strike
	Code
	Mark // bullets, rules, and the bars of quotes
	Quote
	roles
)

// Style returns the style of the role in the given theme.
func (r Role) Style(th theme.Theme) theme.Style {
	switch r {
	case Heading:
		return th.Field
	case Strong:
		return th.Strong
	case Emph:
		return th.Text + "\x1b[3m"
	case Strike:
		return th.Text + "\x1b[9m"
	case Code:
		return th.Title
	case Mark:
		return th.Rule
	case Quote:
		return th.Faint
	case Body, roles:
	}
	return th.Text
}

// color returns the color that encodes the role.
func (r Role) color() *string {
	s := fmt.Sprintf("#0102%02x", uint8(r))
	return &s
}

func (r Role) primitive() ansi.StylePrimitive { return ansi.StylePrimitive{Color: r.color()} }

// styleConfig returns the style sheet for Glamour.
func styleConfig() ansi.StyleConfig {
	none, two := uint(0), uint(2)
	bar, sep, cross, row := "┃ ", "│", "┼", "─"
	heading := func(prefix string) ansi.StyleBlock {
		return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: prefix}}
	}
	code := Code.primitive()
	code.Prefix, code.Suffix = "`", "`"
	enumeration := Mark.primitive()
	enumeration.BlockPrefix = ". "
	item := Mark.primitive()
	item.BlockPrefix = "• "
	rule := Mark.primitive()
	rule.Format = "\n────────\n"
	return ansi.StyleConfig{
		Document:       ansi.StyleBlock{StylePrimitive: Body.primitive(), Margin: &none},
		BlockQuote:     ansi.StyleBlock{StylePrimitive: Quote.primitive(), Indent: new(uint(1)), IndentToken: &bar},
		List:           ansi.StyleList{LevelIndent: 2},
		Heading:        ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: Heading.color(), BlockSuffix: "\n"}},
		H1:             heading("# "),
		H2:             heading("## "),
		H3:             heading("### "),
		H4:             heading("#### "),
		H5:             heading("##### "),
		H6:             heading("###### "),
		Strikethrough:  Strike.primitive(),
		Emph:           Emph.primitive(),
		Strong:         Strong.primitive(),
		HorizontalRule: rule,
		Item:           item,
		Enumeration:    enumeration,
		Code:           ansi.StyleBlock{StylePrimitive: code},
		// Chroma must be set, because otherwise Glamour drops backslashes from code.
		CodeBlock: ansi.StyleCodeBlock{
			StyleBlock: ansi.StyleBlock{StylePrimitive: Code.primitive(), Margin: &two}, Chroma: &ansi.Chroma{Text: Code.primitive()},
		},
		Table: ansi.StyleTable{CenterSeparator: &cross, ColumnSeparator: &sep, RowSeparator: &row},
	}
}
