package cli

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gofer/internal/testbed/fetchtest"
	"gofer/internal/userfile/config"
	"gofer/ui"
)

// documentedKey is a key that the documentation of another program lists, and its action in gofer.
type documentedKey struct {
	key, does string // the key, and its action in the other program
	in        string // the context in gofer, "page" or "news"
	action    string
}

// documentedKeys returns the keys in testdata/presets.txt by preset.
func documentedKeys(t *testing.T) map[string][]documentedKey {
	keys, name := make(map[string][]documentedKey), ""
	for line := range strings.Lines(string(fetchtest.Must(os.ReadFile("testdata/presets.txt"))(t))) {
		switch f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); {
		case strings.HasPrefix(line, "["):
			name, _, _ = strings.Cut(line[1:], "]")
		case len(f) == 4:
			keys[name] = append(keys[name], documentedKey{f[0], f[1], f[2], f[3]})
		case strings.TrimSpace(line) != "" && line[0] != '#':
			t.Errorf("presets.txt: the line %q does not have four fields", line)
		}
	}
	return keys
}

// TestPresets checks that each preset has the documented keys of its program, and otherwise only gofer's
// own keys. It checks that no key has two actions, and that necessary actions have a key, also on pages of news.
func TestPresets(t *testing.T) {
	documented := documentedKeys(t)
	fetchtest.Equal(t, len(documented), 4, "presets")
	for name, want := range documented {
		keys := config.Keys{Preset: name}
		preset := ui.Bindings(keys.PresetBindings())
		if wrong := preset.Check(); len(wrong) > 0 || len(preset["page"]) == 0 {
			t.Errorf(
				"%s: the errors in the bindings are %v, and %d actions have keys; want no errors, and some actions",
				name, wrong, len(preset["page"]),
			)
		}
		action := map[string]map[string]string{"page": {}, "news": {}} // by context and key
		for _, k := range ui.Keys(preset) {
			if action[k.Context] == nil {
				continue
			}
			for _, key := range k.Keys {
				if other := action[k.Context][key]; other != "" {
					t.Errorf("%s: %s in %s is the key of %q and %q", name, key, k.Context, other, k.Name)
				}
				action[k.Context][key] = k.Name
			}
		}
		for _, k := range want {
			fetchtest.Equal(t, action[k.in][k.key], k.action, "%s: %s (%s) in %s", name, k.key, k.does, k.in)
		}
		checkOwnKeys(t, name, preset, want)
		for _, k := range ui.Help("", &config.Config{Keys: keys})[:12] {
			if k.Section != "Basics" || len(k.Keys) == 0 {
				t.Errorf("%s: got %+v in the first 12 rows of the help, want actions of Basics with a key", name, k)
			}
		}
		for key, a := range action["page"] {
			if action["news"][key] == "" {
				action["news"][key] = a
			}
		}
		for _, must := range strings.Split("open back quit help URL actions stop find save undo reload post reply", " ") {
			for _, in := range []string{"page", "news"} {
				if !slices.Contains(slices.Collect(maps.Values(action[in])), must) {
					t.Errorf("%s: no key for %q in %s", name, must, in)
				}
			}
		}
		for _, must := range []string{"pair", "copy across", "move across", "compare", "compare contents"} {
			if !slices.Contains(slices.Collect(maps.Values(action["page"])), must) {
				t.Errorf("%s: no key for %q", name, must)
			}
		}
		for _, must := range []string{"next new", "next link", "follow up", "up a level"} {
			if !slices.Contains(slices.Collect(maps.Values(action["news"])), must) {
				t.Errorf("%s: no key for %q in news", name, must)
			}
		}
	}
}

// checkOwnKeys checks that each key of a preset is documented, is gofer's own key for the action,
// or is in movedKeys.
func checkOwnKeys(t *testing.T, name string, preset ui.Bindings, documented []documentedKey) {
	usual := make(map[string][]string)
	for _, k := range ui.Keys() {
		usual[k.Name] = append(usual[k.Name], k.Keys...)
	}
	for in, actions := range preset {
		for action, keys := range actions {
			for _, key := range keys {
				known := slices.ContainsFunc(documented, func(d documentedKey) bool { return d == documentedKey{key, d.does, in, action} })
				if !known && !slices.Contains(usual[action], key) && !slices.Contains(movedKeys[name], key) {
					t.Errorf("%s: %s is no documented key of %q in %s", name, key, action, in)
				}
			}
		}
	}
}

// movedKeys lists, by preset, new keys of actions whose usual key the preset uses for another action.
var movedKeys = map[string][]string{
	"tin": {"Alt-\\", "Alt-&", "Alt-z", "Alt-s", "Alt-n"}, "slrn": {"Alt-c"}, "lynx": {"Alt-+", "Alt--", "Alt-*", "Alt-z", "I", "S"}, "vi": {"_"},
}
