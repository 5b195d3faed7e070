package config

import (
	"embed"

	"github.com/pelletier/go-toml/v2"
)

// presets holds settings files with the key bindings of other programs.
//
//go:embed keys/*.toml
var presets embed.FS

// Bindings holds the keys of actions, by the name of the action.
type Bindings map[string][]string

// Keys holds the keys of actions by the context where they apply: pages, pages of news, the URL bar and
// so on. In the settings file it is a table, or a string with the name of a preset.
type Keys struct {
	Preset   string   `toml:"preset" default:"gofer" words:"gofer tin slrn lynx vi"` // the other fields replace single keys
	Page     Bindings `toml:"page"`
	News     Bindings `toml:"news"`
	Files    Bindings `toml:"files"`
	Bar      Bindings `toml:"bar"`
	Prompt   Bindings `toml:"prompt"`
	Form     Bindings `toml:"form"`
	Editing  Bindings `toml:"editing"`
	Question Bindings `toml:"question"`
}

// UnmarshalText reads the name of a preset.
func (k *Keys) UnmarshalText(text []byte) error {
	k.Preset = string(text)
	return nil
}

// OwnBindings returns the keys without the preset.
func (k *Keys) OwnBindings() map[string]map[string][]string {
	return map[string]map[string][]string{
		"page": k.Page, "news": k.News, "files": k.Files, "bar": k.Bar, "prompt": k.Prompt, "form": k.Form, "editing": k.Editing, "question": k.Question,
	}
}

// PresetBindings returns the keys of the preset. It returns none if Preset is empty or "gofer".
func (k *Keys) PresetBindings() map[string]map[string][]string {
	var c Config
	data, _ := presets.ReadFile("keys/" + k.Preset + ".toml")
	_ = toml.Unmarshal(data, &c) // no error: a test reads each preset
	return c.Keys.OwnBindings()
}
