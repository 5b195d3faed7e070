package ui

import (
	"image/color"
	"math"
	"strconv"
	"testing"

	"charm.land/lipgloss/v2"

	"gofer/internal/fetchtest"
	"gofer/internal/picture"
)

// luminance is that of WCAG 2, from 0 to 1.
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
		on    background
		black float64 // the least contrast on it
		white float64
	}{
		{"auto", darkBackground, 4.5, 0},
		{"auto", lightBackground, 0, 4.5},
		{"auto", unknownBackground, 3.9, 3.9},
		{"dark", unknownBackground, 4.5, 0},
		{"light", unknownBackground, 0, 4.5},
		{"colourblind", darkBackground, 4.5, 0},
		{"colourblind", lightBackground, 0, 4.5},
		{"colourblind", unknownBackground, 3.9, 3.9},
	} {
		p := palette(tt.theme, tt.on)
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

// The 16 colours of a terminal, as xterm draws them, on black and on white.
func TestThemesOf16Colours(t *testing.T) {
	xterm := []color.RGBA{
		1: {205, 0, 0, 255}, 2: {0, 205, 0, 255}, 3: {205, 205, 0, 255}, 4: {0, 0, 238, 255}, 5: {205, 0, 205, 255}, 6: {0, 205, 205, 255},
	}
	for _, theme := range []string{"auto", "colourblind", "dark", "light"} {
		for _, on := range []background{unknownBackground, darkBackground, lightBackground} {
			p := palette16(theme, on)
			black := theme == "dark" || theme != "light" && on != lightBackground
			white := theme == "light" || theme != "dark" && on != darkBackground
			for _, name := range []string{p.Accent, p.Dim, p.Warning, p.Search} {
				n, err := strconv.Atoi(name)
				if name == "none" {
					continue
				}
				if err != nil {
					t.Fatalf("%s on %d: the colour %q", theme, on, name)
				}
				if got := contrast(xterm[n], color.Black); black && got < 3.5 {
					t.Errorf("%s on %d: %s on black has a contrast of %.1f", theme, on, name, got)
				}
				if got := contrast(xterm[n], color.White); white && got < 3.5 {
					t.Errorf("%s on %d: %s on white has a contrast of %.1f", theme, on, name, got)
				}
			}
		}
	}
}

func TestThemeStyles(t *testing.T) {
	for _, theme := range []string{"auto", "dark", "light", "terminal", "contrast", "colourblind"} {
		for _, colours := range []picture.Colors{picture.TrueColor, picture.Colors16, picture.NoColors} {
			s := newTheme(theme, Palette{}, darkBackground, colours)
			colour := colours != picture.NoColors
			if s.selected == "" || s.selected == s.bold || s.link == "" || s.found == "" {
				t.Errorf("%s, colour %v: something cannot be seen: %+q", theme, colour, s)
			}
			if !colour && (s.accent != "" || s.dim != "") {
				t.Errorf("%s: colours without colour: %q, %q", theme, s.accent, s.dim)
			}
		}
	}
	s := newTheme("dark", Palette{Accent: "#010203", Dim: "none"}, darkBackground, picture.TrueColor)
	if s.accent != "\x1b[38;2;1;2;3m" || s.dim != "" {
		t.Errorf("colours of the user: got %q and %q", s.accent, s.dim)
	}
}

func TestBackgroundOf(t *testing.T) {
	for s, want := range map[string]background{
		"": unknownBackground, "0;15": lightBackground, "15;0": darkBackground,
		"0;default;15": lightBackground, "12;8": darkBackground, "0;7": lightBackground,
		"7;default": unknownBackground, "0;99": unknownBackground, "0;-1": unknownBackground,
	} {
		fetchtest.Equal(t, backgroundOf(s), want, "backgroundOf(%q)", s)
	}
}
