package dump

import (
	"bytes"
	"sync/atomic"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/text/clean"
	"gofer/nav"
	"gofer/protocols"
	"gofer/urlcore"
)

// TestItems checks the fields of menu lines in JSON.
func TestItems(t *testing.T) {
	at := urlcore.HostPort{Host: "h"}
	lines := []protocols.Line{
		{Kind: protocols.Search, Text: "a", Link: urlcore.Gopher{HostPort: at, Type: '7', Selector: "/s"}, Note: &protocols.ItemNote{Plus: "?"}},
		{
			Kind: protocols.Search, Text: "b",
			Link: urlcore.Gopher{HostPort: urlcore.HostPort{Host: "m", Port: 71}, Type: '7'},
			Note: &protocols.ItemNote{Mirror: true},
		},
		{Kind: protocols.Text, Text: "c", Link: urlcore.Gopher{HostPort: at, Type: '0', Selector: "caf\xe9"}},
		{
			Kind: protocols.Other, Text: "d", Link: urlcore.Generic{Name: "x", Rest: "y"},
			Note: &protocols.ItemNote{Line: &protocols.MenuLine{Type: 'h', Selector: "URL:x:y", Host: "h", Port: 70}},
		},
		{
			Kind: protocols.Other, Text: "f", Link: urlcore.HTTP{HostPort: urlcore.HostPort{Host: "h"}, Path: "/p"},
			Note: &protocols.ItemNote{Line: &protocols.MenuLine{Type: 'h', Selector: "URL:http://h/p#s", Host: "h", Port: 70}},
		},
		{Kind: protocols.Other, Text: "e", Link: urlcore.Generic{Name: "x", Rest: "y"}},
	}
	want := `{"head":{"url":"test:somewhere","title":"","media":"application/gopher-menu","size":null}}
{"kind":"search","text":"a","url":"gopher://h/7/s","type":"7","plus":"?","host":"h","port":70,"selector":"/s"}
{"kind":"search","text":"b","url":"gopher://m:71/7","type":"+","host":"m","port":71,"selector":""}
{"kind":"text","text":"c","url":"gopher://h/0caf%E9","type":"0","host":"h","port":70,"selector_hex":"636166e9"}
{"kind":"other","text":"d","url":"x:y","type":"h","host":"h","port":70,"selector":"URL:x:y"}
{"kind":"other","text":"f","url":"http://h/p#s","type":"h","host":"h","port":70,"selector":"URL:http://h/p#s"}
{"kind":"other","text":"e","url":"x:y"}
`
	var got bytes.Buffer
	f := fetchtest.Menu(new(atomic.Int32), nil, lines...)
	fetchtest.NoError(t, Write(t.Context(), f, protocols.Request{URL: pageURL}, &got, JSON, false, clean.Reading{}, nav.Show{}))
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
