package config

import (
	"cmp"
	"encoding"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Setting is one setting and its source.
type Setting struct {
	Key     string   // such as "timeouts.connect"; in `news.""` the name "" means a new name in the table
	Value   string   // as TOML, with stars for passwords in URLs; "" if there is neither a value nor a default
	Text    string   // Value without the syntax of TOML, as [Set] reads it
	Source  string   // "default", "$NNTPSERVER" or the path and line of the file; "" for a new name that can be added
	Default string   // as Text
	Choices []string // all possible values, as Text; nil if the setting has no fixed set of words
	Note    string   // what else the value changes, or ""

	key  []string
	kind reflect.Kind // kind of the value
}

// Binding returns the context and the action of a setting that binds keys. The action is "" for a new one.
func (s *Setting) Binding() (context, action string, ok bool) {
	key, ok := strings.CutPrefix(s.Key, "keys.")
	context, action, named := strings.Cut(key, ".")
	if plain, err := strconv.Unquote(action); err == nil {
		action = plain
	}
	return context, action, ok && named
}

// Settings returns all settings in the order of [Config], and the error of Load. Tables with names
// that the user chooses are sorted by name; the setting for a new name is first.
func Settings(path string, env func(string) string, checks ...Check) ([]Setting, error) {
	c, data, loadErr := load(path, env, checks)
	list, err := settingsOf(&c, data, path, env)
	return list, cmp.Or(err, loadErr)
}

// settingsOf returns the settings of c. The parameter data is the content of the file at path, from
// which c was read.
func settingsOf(c *Config, data []byte, path string, env func(string) string) ([]Setting, error) {
	var given map[string]any
	if err := toml.Unmarshal(data, &given); err != nil {
		return nil, err
	}
	defaults := make(map[string]string)
	for key, value := range walkValues(reflect.ValueOf(Defaults(env)), nil) {
		defaults[keyText(key)] = plainText(value.Interface())
	}
	var list []Setting
	for key, value := range walkValues(reflect.ValueOf(*c), nil) {
		s := Setting{Key: keyText(key), key: key, kind: value.Kind(), Default: defaults[keyText(key)]}
		if s.Choices = choices(s.Key); s.kind == reflect.Bool || s.kind == reflect.Pointer {
			s.Choices = []string{"true", "false"}
		}
		set := func(value any, source string) {
			s.Value, s.Text, s.Source = tomlText(value), plainText(value), source
		}
		if set(value.Interface(), "default"); slices.Contains(key, "") {
			set("", "")
		}
		if given, ok := valueAt(given, key); ok {
			set(given, fmt.Sprintf("%s:%d", path, rowOf(data, key...)))
		}
		if server := env("NNTPSERVER"); s.Key == "news_server" && server != "" {
			set(server, "$NNTPSERVER")
		}
		if strings.Contains(s.Value, "://") || strings.HasPrefix(s.Key, "news") {
			s.Value, s.Text = maskPasswords(s.Value), maskPasswords(s.Text)
		}
		list = append(list, s)
	}
	return list, nil
}

// Text returns the value of a setting as [Setting].Text. It returns "" if there is no such setting.
func (c *Config) Text(key string) string {
	for k, value := range walkValues(reflect.ValueOf(*c), nil) {
		if keyText(k) == key {
			return plainText(value.Interface())
		}
	}
	return ""
}

// walkValues yields the values in v, which is a struct or a map, with their keys. It descends into
// tables. For a map it first yields the zero value of an element, with the name "".
func walkValues(v reflect.Value, above []string) iter.Seq2[[]string, reflect.Value] {
	return func(yield func([]string, reflect.Value) bool) {
		inside := func(v reflect.Value, name string) bool {
			for key, value := range walkValues(v, append(slices.Clone(above), name)) {
				if !yield(key, value) {
					return false
				}
			}
			return true
		}
		_, isValue := v.Interface().(encoding.TextMarshaler)
		switch {
		case v.Kind() == reflect.Struct && !isValue:
			for i := range v.NumField() {
				if !inside(v.Field(i), v.Type().Field(i).Tag.Get("toml")) {
					return
				}
			}
		case v.Kind() == reflect.Map:
			if !inside(reflect.Zero(v.Type().Elem()), "") {
				return
			}
			names := v.MapKeys()
			slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, name := range names {
				if !inside(v.MapIndex(name), name.String()) {
					return
				}
			}
		default:
			yield(above, v)
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
			return value, isShort(key[:i+1], key) // keys = "tin" sets keys.preset
		}
	}
	return nil, false
}

// bareKeyChars are the characters of a key that needs no quotes.
const bareKeyChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func keyText(key []string) string {
	parts := slices.Clone(key)
	for i, name := range parts {
		if name == "" || strings.Trim(name, bareKeyChars) != "" {
			parts[i] = strconv.Quote(name)
		}
	}
	return strings.Join(parts, ".")
}

// plainText returns a value without the syntax of TOML. The words of a list are separated by blanks.
func plainText(value any) string {
	switch v := value.(type) {
	case encoding.TextMarshaler:
		text, _ := v.MarshalText()
		return string(text)
	case *bool:
		if v == nil {
			return ""
		}
		return strconv.FormatBool(*v)
	}
	text := fmt.Sprint(value)
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		return ""
	} else if v.Kind() == reflect.Slice {
		return cmp.Or(text[1:len(text)-1], Empty)
	}
	return text
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
