package about

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gofer/internal/userfile/config"
	"gofer/protocols"
	"gofer/urlcore"
)

// settingsPage lists the settings whose keys contain the query, below the names of their
// tables. The link of a line leads to this page with the key as query. On the screen, following it changes the
// setting instead.
func (c *Client) settingsPage(_ context.Context, r request) ([]protocols.Line, error) {
	all, err := c.Settings()
	part := unescape(r.query)
	lines := []protocols.Line{text("Enter changes a setting and writes it to " + c.SettingsFile + "."), text(`Where "from" is empty, the default applies.`), link("The meaning of the settings", Page("manual/settings")), text("")}
	if err != nil {
		lines = append(lines, failure("The settings cannot be changed here", err))
	}
	lines = append(lines, heading(settingRow("setting", "value", "from")))
	rank := func(s config.Setting) int {
		if n, err := strconv.Atoi(config.Tag(s.Key, "rank")); err == nil {
			return n
		}
		return math.MaxInt - 1 + min(strings.Count(s.Key, "."), 1)
	}
	slices.SortStableFunc(all, func(a, b config.Setting) int { return cmp.Compare(rank(a), rank(b)) })
	last := ""
	for _, s := range all {
		if !strings.Contains(s.Key, part) {
			continue
		}
		table, name, ok := strings.Cut(s.Key, ".")
		if ok && table != last {
			last = table
			lines = append(lines, text(""), heading("["+table+"]"))
		}
		if table == "timeouts" && name != "least_rate" { // the others are durations
			s.Text, s.Default = durationText(s.Text), durationText(s.Default)
		}
		source := filepath.Base(s.Source)
		if dir := filepath.Dir(s.Source); dir != "." && dir != filepath.Dir(c.SettingsFile) { // in the demo, a setting may come from the user's file
			source = filepath.Join(filepath.Base(dir), source)
		}
		_, _, isBinding := s.Binding()
		switch {
		case s.Source == "default": // the row is short, for narrow screens
			source = ""
		case s.Text != s.Default && !isBinding: // the default keys are not in the settings
			source += ", default: " + cut(cmp.Or(s.Default, "none"), 10)
		}
		if s.Note != "" {
			source += ", " + s.Note
		}
		row := settingRow(cmp.Or(name, s.Key), cmp.Or(s.Text, "(not set)"), source)
		if s.Source == "" {
			row = "Add " + strings.ReplaceAll(name, `""`, "NAME")
		}
		lines = append(lines, link(row, urlcore.Generic{Name: "about", Rest: "settings?" + urlcore.EscapeQuery(s.Key)}))
	}
	return lines, nil
}

// durationText returns a duration in words. It returns a duration that is not in whole seconds unchanged.
func durationText(duration string) string {
	d, err := time.ParseDuration(duration)
	if err != nil || d%time.Second != 0 {
		return duration
	}
	return protocols.FormatSeconds(uint64(d / time.Second))
}

// settingRow returns a row of three columns.
func settingRow(name, value, source string) string {
	return strings.TrimRight(fmt.Sprintf("%-18s  %-20s  %s", name, cut(value, 20), source), " ")
}

// SettingKey returns the key of the setting in the URL of a line of about:settings.
func SettingKey(u urlcore.URL) (key string, ok bool) {
	g, _ := u.(urlcore.Generic)
	query, ok := strings.CutPrefix(g.Rest, "settings?")
	return unescape(query), ok
}
