package ui

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// pngFile returns a PNG file of w by h pixels with a red disc on white.
func pngFile(t testing.TB, w, h int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 255, 255, 255}
			if dx, dy := 2*x-w, 2*y-h; dx*dx+dy*dy < min(w, h)*min(w, h)/2 {
				c = color.RGBA{205, 0, 0, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	fetchtest.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// addPicture adds a file at u and counts its fetches.
func (w web) addPicture(u urlcore.URL, file []byte) (fetched *int) {
	fetched = new(int)
	w[u] = func(context.Context, protocols.Request) (*protocols.Resource, error) {
		*fetched++
		head := protocols.Head{URL: u, Title: "Sunset, June", Size: int64(len(file))}
		return &protocols.Resource{Head: head, Body: bytes.NewReader(file), Closer: io.NopCloser(nil)}, nil
	}
	return fetched
}

func TestPictureScreens(t *testing.T) {
	for _, tt := range []struct {
		name          string
		profile       colorprofile.Profile
		options       Options
		width, height int
		keys          []string
	}{
		{"picture-80x24", colorprofile.TrueColor, Options{}, 80, 24, nil},
		{"picture-40x12", colorprofile.ANSI256, Options{}, 40, 12, nil},
		{"picture-magnified", colorprofile.ANSI, Options{}, 40, 12, []string{"+", "+", ">", "down", "pgdown"}},
		{"picture-ascii", colorprofile.TrueColor, Options{Config: config.Config{ASCII: true}}, 40, 12, nil},
		{"picture-nocolor", colorprofile.TrueColor, Options{NoColor: true}, 40, 12, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := library()
			w.addPicture(item('I', "/sunset.jpg"), pngFile(t, 60, 40))
			tt.options.Home = item('I', "/sunset.jpg")
			d := drive(t, w, tt.options, tt.width, tt.height)
			d.send(tea.ColorProfileMsg{Profile: tt.profile}).press(tt.keys...)
			checkGolden(t, tt.name+".txt", strings.ReplaceAll(d.View().Content, "\x1b", "^[")+"\n")
		})
	}
}

// TestBrokenPicture checks the page of a picture that cannot be decoded. The page must name the reason,
// and the file can be saved.
func TestBrokenPicture(t *testing.T) {
	w := library()
	w.addPicture(item('I', "/bomb"), []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"))
	d := drive(t, w, Options{Home: item('I', "/bomb")}, 80, 24)
	d.wantShown("This cannot be shown: it is 65535 by 65535 pixels, which is too large.", "Save it to a file (press d)")
	d.press("+").wantShown("this page is not a picture")
	d.press("d").wantShown("saved ")
}
