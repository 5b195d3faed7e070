package config

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"gofer/internal/userfile"
)

// Setting is one setting and where it comes from.
type Setting struct {
	Key    string // "timeouts.connect"
	Value  string // as TOML; "" for a default that is no fixed value
	Source string // "default", "$NNTPSERVER" or the path and line of the file
}

// Settings tells each setting that there is, as Load reads them, in the order of
// [Config]; those of a table that the user fills come in order of their names.
func Settings(path string, env func(string) string) ([]Setting, error) {
	c, err := Load(path, env)
	if err != nil {
		return nil, err
	}
	data, err := userfile.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	data = bytes.TrimPrefix(data, []byte(userfile.BOM))
	var given map[string]any
	if err := toml.Unmarshal(data, &given); err != nil {
		return nil, err
	}
	var list []Setting
	for _, key := range keysOf(reflect.ValueOf(c), nil) {
		s := Setting{Key: strings.Join(key, "."), Source: "default"}
		if value, ok := valueAt(given, key); ok {
			s.Value, s.Source = tomlText(value), fmt.Sprintf("%s:%d", path, rowOf(data, key...))
		}
		if server := env("NNTPSERVER"); s.Key == "news_server" && server != "" {
			s.Value, s.Source = tomlText(server), "$NNTPSERVER"
		}
		list = append(list, s)
	}
	return list, nil
}

// keysOf are the keys that v, a struct or a map, has, those of tables in it too.
func keysOf(v reflect.Value, above []string) (keys [][]string) {
	if _, isValue := reflect.New(v.Type()).Interface().(encoding.TextUnmarshaler); isValue {
		return [][]string{above}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Tag.Get("toml")
			keys = append(keys, keysOf(v.Field(i), append(slices.Clone(above), name))...)
		}
	case reflect.Map:
		names := v.MapKeys()
		slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, name := range names {
			keys = append(keys, append(slices.Clone(above), name.String()))
		}
	default:
		keys = append(keys, above)
	}
	return keys
}

func valueAt(table map[string]any, key []string) (value any, ok bool) {
	for i, name := range key {
		value, ok = table[name]
		if !ok || i == len(key)-1 {
			return value, ok
		}
		if table, ok = value.(map[string]any); !ok {
			return nil, false
		}
	}
	return nil, false
}

// tomlText writes a value as in the file.
func tomlText(value any) string {
	text, err := toml.Marshal(map[string]any{"v": value})
	if err != nil {
		return fmt.Sprint(value)
	}
	_, after, _ := strings.Cut(strings.TrimSpace(string(text)), "= ")
	return after
}
