package cell

import (
	"cmp"
	"image/color"
	"math"
	"regexp"
	"testing"

	"charm.land/lipgloss/v2"

	"gofer/internal/picture"
	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

// luminance returns the relative luminance of WCAG 2, from 0 to 1.
func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestThemesCanBeRead(t *testing.T) {
	for _, tt := range []struct {
		theme string
		on    Background
		black float64 // minimum contrast with black
		white float64
	}{
		{"auto", DarkBackground, 4.5, 0},
		{"auto", LightBackground, 0, 4.5},
		{"auto", unknownBackground, 3.9, 3.9},
		{"dark", unknownBackground, 4.5, 0},
		{"light", unknownBackground, 0, 4.5},
		{"colorblind", DarkBackground, 4.5, 0},
		{"colorblind", LightBackground, 0, 4.5},
		{"colorblind", unknownBackground, 3.9, 3.9},
	} {
		p := themePalette(tt.theme, tt.on)
		for _, c := range []string{p.Accent, p.Dim, p.Warning, p.Search} {
			c256 := lipgloss.Color(c)
			if got := contrast(c256, color.Black); got < tt.black {
				t.Errorf("%s on %d: %s on black has a contrast of %.1f, want %.1f", tt.theme, tt.on, c, got, tt.black)
			}
			if got := contrast(c256, color.White); got < tt.white {
				t.Errorf("%s on %d: %s on white has a contrast of %.1f, want %.1f", tt.theme, tt.on, c, got, tt.white)
			}
		}
	}
}

func TestThemeStyles(t *testing.T) {
	for _, theme := range []string{"auto", "dark", "light", "terminal", "contrast", "colorblind"} {
		for _, colors := range []picture.Colors{picture.TrueColor, picture.Colors16, picture.NoColors} {
			s := NewStyles(theme, config.Colors{}, DarkBackground, colors)
			color := colors != picture.NoColors
			if s.Selected == "" || s.Selected == s.Bold || s.Link == "" || s.Found == "" {
				t.Errorf("%s, color %v: a style is not visible: %+v", theme, color, s)
			}
			if !color && (s.Accent != "" || s.Dim != "") {
				t.Errorf("%s: got %q and %q, want no colors", theme, s.Accent, s.Dim)
			}
		}
	}
	s := NewStyles(
		"dark", config.Colors{Accent: config.Color{Value: "#010203"}, Dim: config.Color{Value: "none"}}, DarkBackground,
		picture.TrueColor,
	)
	if s.Accent != "\x1b[38;2;1;2;3m" || s.Dim != "" {
		t.Errorf("colors of the user: got %q and %q, want the accent #010203 and no color", s.Accent, s.Dim)
	}
}

func TestBackgroundOf(t *testing.T) {
	for s, want := range map[string]Background{
		"": unknownBackground, "0;15": LightBackground, "15;0": DarkBackground,
		"0;default;15": LightBackground, "12;8": DarkBackground, "0;7": LightBackground,
		"7;default": unknownBackground, "0;99": unknownBackground, "0;-1": unknownBackground,
	} {
		for term, unknown := range map[string]Background{"xterm": unknownBackground, "linux": DarkBackground} {
			env := map[string]string{"COLORFGBG": s, "TERM": term}
			want := cmp.Or(want, unknown)
			fetchtest.Equal(t, BackgroundOf(func(name string) string { return env[name] }), want, "BackgroundOf(%v)", env)
		}
	}
}

// colorsOf returns the foreground and background colors that an SGR sequence of Lip Gloss sets. The
// colors must be numbers below 256.
func colorsOf(t *testing.T, st Style) (fg, bg color.Color) {
	t.Helper()
	for _, m := range regexp.MustCompile(`([34])8;5;(\d+)`).FindAllStringSubmatch(string(st), -1) {
		if m[1] == "3" {
			fg = lipgloss.Color(m[2])
		} else {
			bg = lipgloss.Color(m[2])
		}
	}
	if fg == nil {
		t.Fatalf("%q sets no foreground color", st)
	}
	return fg, bg
}

func TestTheSelectedRowCanBeRead(t *testing.T) {
	for _, theme := range []string{"auto", "dark", "light", "colorblind"} {
		for _, on := range []Background{unknownBackground, DarkBackground, LightBackground} {
			s := NewStyles(theme, config.Colors{}, on, picture.TrueColor)
			text, tint := colorsOf(t, s.Tint)
			for name, st := range map[string]Style{
				"accent": s.OnTint.Accent, "dim": s.OnTint.Dim, "link": s.OnTint.Link, "selected": s.OnTint.Selected,
			} {
				fg, _ := colorsOf(t, st)
				if got := contrast(fg, tint); got < 4.5 {
					t.Errorf("%s on %d: %s: contrast %.1f on the selected row, want 4.5", theme, on, name, got)
				}
			}
			if got := contrast(text, tint); got < 4.5 {
				t.Errorf("%s on %d: contrast %.1f of text on the selected row, want 4.5", theme, on, got)
			}
			if s.OnTint.Item != "" {
				t.Errorf("%s on %d: a title on the selected row has the style %q, want none", theme, on, s.OnTint.Item)
			}
		}
	}
	for _, colors := range []picture.Colors{picture.Colors16, picture.NoColors} {
		s := NewStyles("auto", config.Colors{}, DarkBackground, colors)
		fetchtest.Equal(t, s.Tint, "\x1b[7m", "the selected row")
		fetchtest.Equal(t, s.OnTint.Selected, "\x1b[27m", "the selected text on it")
		if on := s.OnTint; on.Accent+on.Dim+on.Item+on.warning+on.search != "" {
			t.Errorf("got %+v, want no colors on reverse video", on)
		}
	}
}
