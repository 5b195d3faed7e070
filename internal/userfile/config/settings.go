package config

import (
	"encoding"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Setting is one setting and where it comes from.
type Setting struct {
	Key    string // "timeouts.connect"
	Value  string // as TOML, with stars for passwords in URLs; "" where nothing is set, nor by default
	Source string // "default", "$NNTPSERVER" or the path and line of the file
}

// Settings returns every setting in the order of [Config], and the error of Load. Tables
// that the user fills are sorted by name.
func Settings(path string, env func(string) string, checks ...Check) ([]Setting, error) {
	c, data, loadErr := load(path, env, checks)
	var given map[string]any
	if err := toml.Unmarshal(data, &given); err != nil {
		return nil, err
	}
	var list []Setting
	for key, value := range values(reflect.ValueOf(c), nil) {
		s := Setting{Key: keyText(key), Value: tomlText(value), Source: "default"}
		if given, ok := valueAt(given, key); ok {
			s.Value, s.Source = tomlText(given), fmt.Sprintf("%s:%d", path, rowOf(data, key...))
		}
		if server := env("NNTPSERVER"); s.Key == "news_server" && server != "" {
			s.Value, s.Source = tomlText(server), "$NNTPSERVER"
		}
		if strings.Contains(s.Value, "://") || strings.HasPrefix(s.Key, "news") {
			s.Value = masked(s.Value)
		}
		list = append(list, s)
	}
	return list, loadErr
}

// values yields the values in v, a struct or a map, and in its tables, with their keys.
func values(v reflect.Value, above []string) iter.Seq2[[]string, any] {
	return func(yield func([]string, any) bool) {
		inside := func(v reflect.Value, name string) bool {
			for key, value := range values(v, append(slices.Clone(above), name)) {
				if !yield(key, value) {
					return false
				}
			}
			return true
		}
		_, isValue := v.Interface().(encoding.TextMarshaler)
		switch {
		case v.Kind() == reflect.Pointer && v.IsNil():
			yield(above, "")
		case v.Kind() == reflect.Struct && !isValue:
			for i := range v.NumField() {
				if !inside(v.Field(i), v.Type().Field(i).Tag.Get("toml")) {
					return
				}
			}
		case v.Kind() == reflect.Map:
			names := v.MapKeys()
			slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, name := range names {
				if !inside(v.MapIndex(name), name.String()) {
					return
				}
			}
		default:
			yield(above, v.Interface())
		}
	}
}

func valueAt(table map[string]any, key []string) (value any, ok bool) {
	for i, name := range key {
		value, ok = table[name]
		if !ok || i == len(key)-1 {
			return value, ok
		}
		if table, ok = value.(map[string]any); !ok {
			return value, name == "keys" // a preset alone
		}
	}
	return nil, false
}

// bare are the characters of a key that needs no quotes.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func keyText(key []string) string {
	parts := slices.Clone(key)
	for i, name := range parts {
		if name == "" || strings.Trim(name, bare) != "" {
			parts[i] = strconv.Quote(name)
		}
	}
	return strings.Join(parts, ".")
}

func tomlText(value any) string {
	text, err := toml.Marshal(map[string]any{"v": value})
	if err != nil {
		return fmt.Sprint(value)
	}
	_, after, _ := strings.Cut(strings.TrimSpace(string(text)), "= ")
	if after == "''" {
		return ""
	}
	return after
}
