package ui

import (
	"cmp"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
)

// Palette are the colours of the screen: "#rrggbb", a number from 0 to 255, or
// "none" for the terminal's own. An empty one is that of the theme.
type Palette struct {
	Accent  string // what can be acted on
	Dim     string // what is less important
	Warning string // of a URL: login and port
	Search  string // of a URL: search terms
}

// background is what is known of the terminal's.
type background uint8

const (
	unknownBackground background = iota
	darkBackground
	lightBackground
)

// backgroundOf reads COLORFGBG, which some terminals set: the numbers of the
// foreground and the background colour, the last one the background's.
func backgroundOf(colorfgbg string) background {
	n, err := strconv.Atoi(colorfgbg[strings.LastIndexByte(colorfgbg, ';')+1:])
	switch {
	case err != nil || n < 0 || n > 15:
		return unknownBackground
	case n == 7 || n >= 9:
		return lightBackground
	}
	return darkBackground
}

// palette returns the colours of a theme. On a background that is not known
// they are such as can be read on black and on white.
func palette(theme string, on background) Palette {
	light := on == lightBackground
	switch theme {
	case "dark":
		return Palette{"75", "245", "179", "114"}
	case "light":
		return Palette{"25", "242", "94", "22"}
	case "terminal":
		return Palette{"6", "none", "3", "2"}
	case "contrast":
		return Palette{"none", "none", "none", "none"}
	case "colourblind": // blue, orange and purple of Okabe and Ito
		switch on {
		case lightBackground:
			return Palette{"#0060a0", "242", "#8a5a00", "#8f4472"}
		case darkBackground:
			return Palette{"#56b4e9", "245", "#e69f00", "#cc79a7"}
		}
		return Palette{"#1a7abf", "243", "#9a6a00", "#a8588a"}
	}
	switch {
	case on == unknownBackground:
		return Palette{"#1a78c2", "243", "#a06800", "#008700"}
	case light:
		return palette("light", on)
	}
	return palette("dark", on)
}

// palette16 is [palette] for terminals of 16 colours. They choose these themselves,
// so that dim is faint, and on a background that is not known only those are taken
// that most draw readable on black and on white.
func palette16(theme string, on background) Palette {
	switch {
	case theme == "terminal", theme == "contrast":
		return palette(theme, on)
	case theme == "dark" || theme != "light" && on == darkBackground:
		return Palette{"6", "none", "3", "2"}
	case theme == "light" || on == lightBackground:
		return Palette{"4", "none", "1", "5"}
	}
	return Palette{"5", "none", "1", "none"}
}

// newTheme returns the styles of a theme with some colours of the user's;
// without colour only weight, underline and reverse video remain.
func newTheme(theme string, user Palette, on background, colours picture.Colors) styles {
	s := styles{
		bold:     style(ansi.NewStyle().Bold().String()),
		link:     style(ansi.NewStyle().Underline(true).String()),
		selected: style(ansi.NewStyle().Reverse(true).String()),
		found:    style(ansi.NewStyle().Bold().Underline(true).String()),
	}
	p := palette(theme, on)
	switch colours {
	case picture.NoColors:
		return s
	case picture.Colors16:
		p = palette16(theme, on)
	}
	s.accent = colored(cmp.Or(user.Accent, p.Accent))
	s.dim = colored(cmp.Or(user.Dim, p.Dim))
	s.warn = colored(cmp.Or(user.Warning, p.Warning))
	s.words = colored(cmp.Or(user.Search, p.Search))
	s.quotes = [...]style{s.words, s.warn, s.dim}
	switch {
	case theme == "contrast":
		s.warn, s.words = s.warn+s.bold, s.words+s.bold
	case theme == "terminal", colours == picture.Colors16 && user.Dim == "":
		s.dim = cmp.Or(s.dim, style(ansi.NewStyle().Faint().String()))
		s.quotes[2] = s.dim
	}
	s.link = s.accent + s.link
	s.selected = s.accent + s.selected
	return s
}

func colored(colour string) style {
	if colour == "none" {
		return ""
	}
	return style(ansi.NewStyle().ForegroundColor(lipgloss.Color(colour)).String())
}
