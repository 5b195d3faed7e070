package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Tag returns a tag of the setting with this key, or of its table if the setting does not have the tag. See
// [Config] for the tags. Tag returns "" if there is no such setting or tag.
func Tag(key, tag string) (value string) {
	table := reflect.TypeFor[Config]()
	for name := range strings.SplitSeq(key, ".") {
		field, ok := fieldOf(table, name)
		if !ok {
			return value
		}
		if v, ok := field.Tag.Lookup(tag); ok {
			value = v
		}
		table = field.Type
	}
	return value
}

// isShort reports whether a string in place of the given table sets the setting with this key.
func isShort(table, key []string) bool {
	name := Tag(keyText(table), "short")
	return name != "" && slices.Equal(key, append(slices.Clone(table), name))
}

// fieldOf returns the field for a name in the settings file. It returns none if table is not a struct.
func fieldOf(table reflect.Type, name string) (field reflect.StructField, ok bool) {
	if table.Kind() != reflect.Struct {
		return field, false
	}
	return table.FieldByNameFunc(func(goName string) bool {
		f, _ := table.FieldByName(goName)
		return f.Tag.Get("toml") == name
	})
}

// Take replaces the settings and tables of c whose tag has this value by those of from.
func (c *Config) Take(from *Config, tag, value string) {
	take(reflect.ValueOf(c).Elem(), reflect.ValueOf(from).Elem(), tag, value)
}

func take(to, from reflect.Value, tag, value string) {
	for i := range to.NumField() {
		switch field := to.Type().Field(i); {
		case field.Tag.Get(tag) == value:
			to.Field(i).Set(from.Field(i))
		case field.Type.Kind() == reflect.Struct && field.Tag.Get("toml") != "":
			take(to.Field(i), from.Field(i), tag, value)
		}
	}
}

// setDefaults sets the fields of a struct, and of the structs in it, that have the tag default.
func setDefaults(table reflect.Value) {
	for i := range table.NumField() {
		text, ok := table.Type().Field(i).Tag.Lookup("default")
		switch field := table.Field(i); {
		case field.Kind() == reflect.Struct:
			setDefaults(field)
		case !ok:
		case field.Kind() == reflect.Int:
			n, _ := strconv.Atoi(text)
			field.SetInt(int64(n))
		case field.Kind() == reflect.Bool:
			field.SetBool(text == "true")
		default:
			field.SetString(text)
		}
	}
}

// choices returns the words that a setting accepts, or nil if it accepts other values too.
func choices(key string) []string {
	if words := Tag(key, "words"); words != "" {
		return strings.Fields(words)
	}
	return nil
}

// outOfRange returns why a setting cannot be n, or "".
func outOfRange(key string, n int) string {
	var least, greatest int
	if _, err := fmt.Sscan(Tag(key, "range"), &least, &greatest); err != nil || least <= n && n <= greatest {
		return ""
	}
	return fmt.Sprintf("%s is %d: use %d to %d", key, n, least, greatest)
}
