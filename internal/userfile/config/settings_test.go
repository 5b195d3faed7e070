package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
)

func TestSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	file := "mouse = true\nnews_server = 'a'\n[timeouts]\nidle = '90s'\n[search]\nw = 'news:{q}'\nv = \"gopher://h.example/7/x?{q}\"\n"
	fetchtest.NoError(t, os.WriteFile(path, []byte(file), 0o600))
	for _, tt := range []struct {
		server string
		want   map[string]string
	}{
		{"", map[string]string{
			"mouse": "true config.toml:1", "news_server": "'a' config.toml:2", "ascii": "false default", "timeouts.connect": "'15s' default",
			"timeouts.idle": "'90s' config.toml:4", "search.v": "'gopher://h.example/7/x?{q}' config.toml:7", "search.w": "'news:{q}' config.toml:6",
		}},
		{"nntps://joe:secret@h/", map[string]string{"news_server": "'nntps://joe:******@h/' $NNTPSERVER"}},
		{"b:119", map[string]string{"news_server": "'b:119' $NNTPSERVER", "mouse": "true config.toml:1"}},
	} {
		list := fetchtest.Must(config.Settings(path, func(string) string { return tt.server }))(t)
		got := map[string]string{}
		for _, s := range list {
			got[s.Key] = strings.TrimPrefix(fmt.Sprintf("%s %s", s.Value, strings.TrimPrefix(s.Source, filepath.Dir(path)+"/")), "")
		}
		for key, want := range tt.want {
			fetchtest.Equal(t, got[key], want, "%s", key)
		}
	}
	fetchtest.NoError(t, os.WriteFile(path, []byte("mouse = 3"), 0o600))
	if _, err := config.Settings(path, func(string) string { return "" }); err == nil {
		t.Error("Settings of an invalid file: got no error, want one")
	}
}

// TestDefaults checks that each setting is listed with a value, except those without a default.
func TestDefaults(t *testing.T) {
	list := fetchtest.Must(config.Settings("", func(string) string { return "" }))(t)
	var none []string
	for _, s := range list {
		if s.Value == "" && s.Source != "" {
			none = append(none, s.Key)
		}
	}
	if got := strings.Join(none, " "); got != "news_server password_command downloads.limit_rate colors.accent colors.dim "+
		"colors.warning colors.search refresh mail.from mail.smtp post.from post.sent restrict.start" {
		t.Errorf("got the settings without a value %s", got)
	}
}
