package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gofer/internal/userfile"
)

// Edit is a change of one setting in the settings file.
type Edit struct {
	Key  string // key of a [Setting]
	Name string // replaces the name "" in Key
	Old  string // Setting.Text before the change
	Text string // the new value, as Setting.Text, or Empty; "" removes the setting from the file
}

// Empty is the text of a list without words, such as the keys of an action that has none.
const Empty = "none"

// Set changes one setting in the file at path. If there is no such file, Set first copies the file at
// template. The rest of the file stays, including comments, order and layout. Set writes nothing if the
// file has errors, if a check refuses the new value, or if the value in the file is not e.Old.
func Set(path, template string, env func(string) string, e Edit, checks ...Check) error {
	return userfile.Change(path, MaxFile, func(old []byte) ([]byte, error) {
		source := path
		if old == nil { // the file does not exist
			data, err := userfile.Read(template, MaxFile)
			if err != nil {
				return nil, err
			}
			old, source = data, template
		}
		data := bytes.TrimPrefix(old, []byte(userfile.BOM))
		list := func(data []byte) ([]Setting, error) {
			c, data, err := parse(source, data, nil, env, checks)
			if p, ok := errors.AsType[*Problem](err); ok {
				return nil, p
			}
			return settingsOf(&c, data, source, env)
		}
		before, err := list(data)
		if err != nil {
			return nil, err
		}
		key, value, err := e.assignment(before)
		if err != nil {
			return nil, err
		}
		failed := fmt.Errorf("%s cannot be changed here: gofer config edit opens the file", keyText(key))
		for _, text := range rewrites(data, key, value) {
			after, err := list(text)
			if err == nil && maps.Equal(otherSettings(before, key), otherSettings(after, key)) {
				return append(old[:len(old)-len(data):len(old)-len(data)], text...), nil
			}
			if p, ok := errors.AsType[*Problem](err); ok {
				failed = errors.New(p.Text)
			}
		}
		return nil, failed
	})
}

// assignment returns the key that e changes and its new value as TOML. The value "" removes the key.
func (e *Edit) assignment(list []Setting) (key []string, value string, err error) {
	i := slices.IndexFunc(list, func(s Setting) bool { return s.Key == e.Key })
	if i < 0 {
		return nil, "", fmt.Errorf("no setting %q", e.Key)
	}
	key, kind := slices.Clone(list[i].key), list[i].kind
	if i := slices.Index(key, ""); i >= 0 {
		key[i] = strings.TrimSpace(e.Name)
	}
	for _, s := range list {
		if s.Key == keyText(key) && s.Source != "" && s.Text != e.Old {
			return nil, "", fmt.Errorf("the file was changed meanwhile: %s is %q", s.Key, s.Text)
		}
	}
	_, notNumber := strconv.Atoi(e.Text)
	isBool := kind == reflect.Bool || kind == reflect.Pointer
	switch {
	case e.Text == "", e.Text == `""`, isBool && (e.Text == "true" || e.Text == "false"), kind == reflect.Int && notNumber == nil:
		return key, e.Text, nil
	case isBool:
		return nil, "", fmt.Errorf("%s must be true or false", keyText(key))
	case kind == reflect.Int:
		return nil, "", fmt.Errorf("%s must be a number", keyText(key))
	case kind == reflect.Slice && e.Text == Empty:
		return key, "[]", nil
	case kind == reflect.Slice:
		return key, tomlText(strings.Fields(e.Text)), nil
	case strings.Contains(e.Text, "*@"):
		return nil, "", errors.New("type the password in place of the stars")
	}
	return key, tomlText(e.Text), nil
}

// otherSettings returns the texts of the settings that the file or the environment sets, by key. It omits
// the setting whose key is the parameter except.
func otherSettings(list []Setting, except []string) map[string]string {
	all := make(map[string]string)
	for _, s := range list {
		if s.Source != "" && s.Source != "default" && s.Key != keyText(except) {
			all[s.Key] = s.Text
		}
	}
	return all
}

// rewrites returns several versions of data with a value for key, or without key if value is "". The
// most natural version is first. A version may be invalid TOML or change other settings, so the caller
// must check each version.
func rewrites(data []byte, key []string, value string) [][]byte {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(slices.Clip(data), '\n')
	}
	splice := func(from, to int, text string) []byte {
		return slices.Concat(data[:from], []byte(text), data[to:])
	}
	line := func(depth int) string { return keyText(key[depth:]) + " = " + value + "\n" }
	lineEnd := func(at int) int { return at + bytes.IndexByte(data[at:], '\n') + 1 }
	table, ways := key[:len(key)-1], [][]byte{splice(0, 0, line(0))}
	if len(table) > 0 {
		ways = append(ways, splice(len(data), len(data), "\n["+keyText(table)+"]\n"+line(len(table))))
	}
	all, _ := parseExpressions(data)
	for _, x := range all {
		end := lineEnd(x.to)
		same := !x.head && (slices.Equal(x.key, key) || isShort(x.key, key))
		inTable := !x.head && len(x.key) < len(key) && slices.Equal(x.key, key[:len(x.key)])
		switch comment := bytes.IndexByte(data[x.to:end], '#'); {
		case same && value != "":
			return [][]byte{splice(x.value, x.to, value)}
		case inTable && !same && data[x.value] != '{': // the string becomes a setting of the table
			long := keyText(append(slices.Clone(x.key), Tag(keyText(x.key), "short")))
			return [][]byte{slices.Concat(data[:x.from], []byte(long+" = "), data[x.value:end], []byte(line(0)), data[end:])}
		case inTable && !same: // an inline table
			return nil
		case same && comment >= 0:
			return [][]byte{splice(x.from, x.to+comment, "")}
		case same:
			return [][]byte{splice(bytes.LastIndexByte(data[:x.from], '\n')+1, end, "")}
		case x.head && slices.Equal(x.key, table), !x.head && slices.Equal(x.key[:len(x.key)-1], table):
			ways = append(ways, splice(end, end, line(x.depth)))
		}
	}
	if value == "" {
		return [][]byte{data}
	}
	slices.Reverse(ways)
	return ways
}
