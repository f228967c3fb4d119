package terminal

import (
	"fmt"
	"strings"
	"time"
)

// Frame is a screen of a film, and how long it is shown.
type Frame struct {
	Styled  string
	Caption string // below the screen
	Lasts   time.Duration
}

// Film draws a sequence of screens as one SVG file that plays in a loop; readers who prefer reduced motion see the last
// screen. Rows that several screens share are stored once.
func Film(frames []Frame, width, height int, paper Paper) string {
	p := picture{paper: paper}
	var rows, body strings.Builder
	known := map[string]int{}
	use := func(b *strings.Builder, row string, y int) {
		n, ok := known[row]
		if !ok {
			n = len(known)
			known[row] = n
			fmt.Fprintf(&rows, `<g id="r%d">%s</g>`+"\n", n, strings.TrimSuffix(row, "\n"))
		}
		fmt.Fprintf(b, `<use href="#r%d" y="%d"/>`, n, margin+cellHeight*y)
	}
	for i, f := range frames {
		screen := cells(f.Styled+"\n\n "+"\x1b[1;7m "+f.Caption+" \x1b[m", width, height+2)
		fmt.Fprintf(&body, `<g class="f" id="f%d">`, i)
		for y := range height + 2 {
			var row strings.Builder
			if p.line(&row, screen, y, width, 0); row.Len() > 0 {
				use(&body, row.String(), y)
			}
		}
		body.WriteString("</g>\n")
	}
	var b strings.Builder
	p.open(&b, width, height+2, motion(frames))
	b.WriteString("<defs>\n" + rows.String() + "</defs>\n" + body.String() + "</svg>\n")
	return b.String()
}

// motion returns the rules that show one frame after the other.
func motion(frames []Frame) string {
	var total, at time.Duration
	for _, f := range frames {
		total += f.Lasts
	}
	percent := func(d time.Duration) float64 { return 100 * float64(d) / float64(total) }
	var b strings.Builder
	fmt.Fprintf(&b, ".f{visibility:hidden;animation-duration:%.1fs;animation-iteration-count:infinite;animation-timing-function:step-end}", total.Seconds())
	for i, f := range frames {
		fmt.Fprintf(&b, "#f%d{animation-name:k%d}@keyframes k%d{0%%{visibility:%s}", i, i, i, map[bool]string{true: "visible", false: "hidden"}[i == 0])
		if i > 0 {
			fmt.Fprintf(&b, "%.2f%%{visibility:visible}", percent(at))
		}
		at += f.Lasts
		fmt.Fprintf(&b, "%.2f%%{visibility:hidden}}", percent(at))
	}
	fmt.Fprintf(&b, "@media(prefers-reduced-motion:reduce){.f{animation:none}#f%d{visibility:visible}}", len(frames)-1)
	return b.String()
}
