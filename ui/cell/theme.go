package cell

import (
	"cmp"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"gofer/internal/picture"
	"gofer/internal/userfile/config"
)

// palette has the colors of a theme, see [config.Color].
type palette struct {
	Accent  string // links and labels
	Dim     string // secondary text
	Warning string // login and port of a URL
	Search  string // search terms of a URL
}

// Background is the brightness of the terminal's background.
type Background uint8

// The backgrounds of terminals.
const (
	unknownBackground Background = iota
	DarkBackground
	LightBackground
)

// BackgroundOf returns the background that the environment shows. Some terminals set COLORFGBG to the
// numbers of the foreground and the background color. TERM shows that the terminal is the Linux
// console, which is dark.
func BackgroundOf(env func(string) string) Background {
	colors := env("COLORFGBG")
	n, err := strconv.Atoi(colors[strings.LastIndexByte(colors, ';')+1:])
	switch {
	case err != nil || n < 0 || n > 15:
		if env("TERM") == "linux" {
			return DarkBackground
		}
		return unknownBackground
	case n == 7 || n >= 9:
		return LightBackground
	}
	return DarkBackground
}

// themePalette returns the colors of a theme. On an unknown background, the colors are
// readable on black and on white.
func themePalette(theme string, bg Background) palette {
	switch theme {
	case "dark":
		return palette{"75", "245", "179", "114"}
	case "light":
		return palette{"25", "242", "94", "22"}
	case "terminal":
		if bg == LightBackground {
			return palette{"4", "none", "1", "5"}
		}
		return palette{"6", "none", "3", "2"}
	case "contrast":
		return palette{"none", "none", "none", "none"}
	case "colorblind": // blue, orange and purple of Okabe and Ito
		switch bg {
		case LightBackground:
			return palette{"#0060a0", "242", "#8a5a00", "#8f4472"}
		case DarkBackground:
			return palette{"#56b4e9", "245", "#e69f00", "#cc79a7"}
		}
		return palette{"#1a7abf", "243", "#9a6a00", "#a8588a"}
	}
	switch bg {
	case LightBackground:
		return themePalette("light", bg)
	case DarkBackground:
		return themePalette("dark", bg)
	}
	return palette{"#1a78c2", "243", "#a06800", "#008700"}
}

// palette16 is like [themePalette] for terminals of 16 colors. Terminals choose these colors themselves,
// and none of them suits [Palette].Dim in all terminals. Such text has the attribute "faint" instead of a
// color (see [NewStyles]). On an unknown background, palette16 uses only colors that are readable on
// black and on white in most terminals. The nearest of the 16 colors to the Accent of themePalette would
// be blue, which is unreadable on black.
func palette16(theme string, bg Background) palette {
	switch {
	case theme == "terminal", theme == "contrast":
		return themePalette(theme, bg)
	case theme == "dark" || theme != "light" && bg == DarkBackground:
		return themePalette("terminal", DarkBackground)
	case theme == "light" || bg == LightBackground:
		return themePalette("terminal", LightBackground)
	}
	return palette{"5", "none", "1", "none"}
}

// NewStyles returns the styles of a theme with the user's colors. If the terminal has no colors, the
// styles differ by weight, underline and reverse video.
func NewStyles(theme string, user config.Colors, bg Background, colors picture.Colors) Styles {
	plain := lipgloss.NewStyle()
	accent, dim, warn, words := plain, plain, plain, plain
	var quotes [3]Style
	if colors != picture.NoColors {
		p := themePalette(theme, bg)
		if colors == picture.Colors16 {
			p = palette16(theme, bg)
		}
		color := func(user config.Color, themes string) lipgloss.Style {
			return plain.Foreground(lipgloss.Color(cmp.Or(user.Value, themes))) // "none" is no color
		}
		accent, dim = color(user.Accent, p.Accent), color(user.Dim, p.Dim)
		warn, words = color(user.Warning, p.Warning), color(user.Search, p.Search)
		if cmp.Or(user.Dim.Value, p.Dim) == "none" && (theme == "terminal" || colors == picture.Colors16 && user.Dim.Value == "" && theme != "contrast") {
			dim = plain.Faint(true)
		}
		quotes = [...]Style{sgr(words), sgr(warn), sgr(dim)}
		if theme == "contrast" {
			warn, words = warn.Bold(true), words.Bold(true)
		}
	}
	st := Styles{
		Accent: sgr(accent), Dim: sgr(dim), warning: sgr(warn), search: sgr(words),
		Bold: sgr(plain.Bold(true)), Found: sgr(plain.Bold(true).Underline(true)),
		Link: sgr(accent) + sgr(plain.Underline(true)), Selected: sgr(accent) + sgr(plain.Reverse(true)),
		Marked: sgr(accent) + sgr(plain.Reverse(true)), Tagged: sgr(warn.Bold(true)), TagSign: sgr(warn.Bold(true).Reverse(true)),
		Quotes: quotes, Item: cmp.Or(sgr(accent), sgr(plain.Underline(true))),
	}
	st.Box = plain.Border(lipgloss.NormalBorder()).BorderForeground(dim.GetForeground())
	st.setTint(theme, bg, colors)
	return st
}

// setTint sets the background of the selected row and the styles of its text. On a terminal with true
// color, it sets the colors of both, so that the row is readable on an unknown background. On other
// terminals, and in the themes "terminal" and "contrast", the row is in reverse video without colors.
func (st *Styles) setTint(theme string, bg Background, colors picture.Colors) {
	plain, row := lipgloss.NewStyle(), *st
	row.Accent, row.Dim, row.Item, row.warning, row.search = "", "", "", "", ""
	st.TintedCell = plain.Reverse(true)
	st.Tint, row.Selected, row.Marked, row.onReverse = sgr(plain.Reverse(true)), Style(ansi.SGR(ansi.AttrNoReverse)), st.Bold, true
	if colors == picture.TrueColor && theme != "terminal" && theme != "contrast" {
		background, text, accent, dim := "24", "255", "159", "252"
		if theme == "light" || theme != "dark" && bg == LightBackground {
			background, text, accent, dim = "153", "16", "18", "238"
		}
		color := func(c string) Style { return sgr(plain.Foreground(lipgloss.Color(c))) }
		st.TintedCell = plain.Foreground(lipgloss.Color(text)).Background(lipgloss.Color(background))
		st.Tint = sgr(st.TintedCell)
		row.Accent, row.Dim = color(accent), color(dim)
		row.Selected, row.onReverse = row.Accent+sgr(plain.Reverse(true)), false
		row.Marked = row.Selected
	}
	row.Link = row.Accent + sgr(plain.Underline(true))
	row.Tagged, row.TagSign = st.Bold, st.Bold
	st.OnTint = &row
}

// sgr returns the sequence that Lip Gloss writes before text of style s. Rows are written with
// these sequences, because Render takes 25 times as long.
func sgr(s lipgloss.Style) Style {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return Style(before)
}
