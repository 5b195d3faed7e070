package about

import (
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

// TestSettings checks that rows of default values fit into 40 columns. A setting from a file in
// another folder shows the name of the folder. Durations have a unit, and the least rate has none.
func TestSettings(t *testing.T) {
	c := &Client{SettingsFile: "/home/ann/gofer-demo/config.toml", Settings: func() ([]config.Setting, error) {
		return []config.Setting{
			{Key: "read_before_unread", Text: "5", Default: "5", Source: "default"},
			{Key: "downloads", Text: ".", Default: ".", Source: "default"},
			{Key: "theme", Text: "dark", Default: "auto", Source: "/home/ann/gofer-demo/config.toml:1"},
			{Key: "timeouts.connect", Text: "1m0s", Default: "15s", Source: "/home/ann/gofer-demo/config.toml:3"},
			{Key: "timeouts.least_rate", Text: "0", Default: "10", Source: "/home/ann/gofer-demo/config.toml:4"},
			{Key: "ask_ports", Text: "7-9", Default: "7-9", Source: "/home/ann/gofer/config.toml:4"},
		}, nil
	}}
	var got []string
	for _, l := range fetchtest.Must(c.settingsPage(t.Context(), request{}))(t) {
		if l.Link != nil && strings.HasPrefix(l.Link.String(), "about:settings?") {
			got = append(got, l.Text)
		}
	}
	fetchtest.EqualSlices(t, got, []string{
		"theme               dark                  config.toml:1, default: auto",
		"read_before_unread  5",
		"downloads           .",
		"ask_ports           7-9                   gofer/config.toml:4",
		"connect             1 minute              config.toml:3, default: 15 seconds",
		"least_rate          0                     config.toml:4, default: 10",
	}, "rows")
}
