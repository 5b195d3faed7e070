package config

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"gofer/internal/policy/restrict"
	"gofer/internal/program"
	"gofer/internal/text/charset"
	"gofer/internal/usenet/newsservers"
	"gofer/internal/userfile"
	"gofer/internal/userfile/searchkeyword"
	"gofer/urlcore"
)

// Example is a file with an example of each setting, and comments.
//
//go:embed example.toml
var Example string

// MaxFile bounds the settings file in octets, maxKeys the number of settings in it, and maxProblems the
// number of errors that are reported.
const (
	MaxFile     = 1 << 20
	maxKeys     = 5000
	maxProblems = 50
)

// Problem is a setting that cannot be used.
type Problem struct {
	Path        string
	Row, Column int    // from 1; 0 if unknown
	Line        string // the text of the row, with stars for passwords
	Text        string // the reason
	Other       int    // the row of another setting that this one contradicts, or 0
}

// Error returns one line with the place and the reason.
func (p *Problem) Error() string {
	switch {
	case p.Row == 0:
		return p.Path + ": " + p.Text
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.Path, p.Row, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Row, p.Column, p.Text)
}

// Invalid is a value that a setting cannot have.
type Invalid struct {
	Key   []string
	Text  string   // the reason, with the name of the setting
	Other []string // the key of another setting that this one contradicts, or nil
}

// leastRefresh is the least value of [Config.Refresh].
const leastRefresh = 15 * time.Minute

// Check returns the values of c that cannot be used.
type Check func(c *Config) []Invalid

// Load reads the file at path, if it exists, and the variable NNTPSERVER, which has precedence.
// Invalid settings get their defaults. The error joins a *[Problem] for each of them. If the file has
// errors and mentions restricted mode, Restrict denies everything.
func Load(path string, env func(string) string, checks ...Check) (Config, error) {
	c, _, err := load(path, env, checks)
	return c, err
}

// load is like Load. It also returns the content of the file with blanks in place of invalid settings,
// so that all rows keep their numbers.
func load(path string, env func(string) string, checks []Check) (Config, []byte, error) {
	data, err := userfile.Read(path, MaxFile)
	return parse(path, data, err, env, checks)
}

// parse is like load, but does not read the file. The parameter data is the content of the file, and
// err is the error of reading it.
func parse(path string, data []byte, err error, env func(string) string, checks []Check) (Config, []byte, error) {
	c, errs := Defaults(env), []error{}
	if err != nil {
		errs = append(errs, err)
	}
	data = bytes.TrimPrefix(data, []byte(userfile.BOM))
	restricts := bytes.Contains(data, []byte("restrict"))
	if all, _ := parseExpressions(data); len(all) > maxKeys {
		err = fmt.Errorf("%s: too long: it has more than %d settings, and none of them is used", path, maxKeys)
		errs, data = append(errs, err), nil
	}
	rest := bytes.Clone(data)
	checks = append([]Check{checkValues}, checks...)
	var problems []*Problem
	for len(rest) > 0 && len(problems) < maxProblems {
		c = Defaults(env)
		found := decodeChecked(rest, &c, checks)
		if len(found) == 0 {
			break
		}
		lines := bytes.Split(data, []byte("\n"))
		for _, p := range found[:min(len(found), maxProblems)] {
			p.Path, p.Line = path, maskPasswords(strings.TrimRight(string(lines[max(p.Row, 1)-1]), "\r"))
			p.Text = maskPasswords(p.Text)
			if p.Other > 0 {
				p.Text += fmt.Sprintf(", at %s:%d", path, p.Other)
			}
			problems = append(problems, p)
			blankExpression(rest, p.Row)
		}
	}
	slices.SortStableFunc(problems, func(a, b *Problem) int { return a.Row - b.Row })
	for _, p := range problems {
		errs = append(errs, p)
	}
	if len(problems) >= maxProblems {
		c, rest = Defaults(env), nil
		errs = append(errs, errors.New("the settings have too many errors: all have their defaults"))
	}
	if err != nil || len(problems) > 0 && restricts {
		locked := restrict.DenyAllRules() // the intended restrictions are unknown
		locked.Enabled = restricts
		c.Restrict = locked
	}
	if c.Downloads.Folder == "" {
		c.Downloads.Folder = Defaults(env).Downloads.Folder
	}
	if s := env("NNTPSERVER"); s != "" {
		c.NewsServer = s
	}
	if s, ok := c.News[c.NewsServer]; ok {
		c.NewsServer = s
	}
	return c, rest, errors.Join(errs...)
}

// decodeChecked decodes data into c and returns the problems, with rows and columns.
func decodeChecked(data []byte, c *Config, checks []Check) []*Problem {
	if err := decode(data, c); err != nil {
		return decodeProblems(data, err)
	}
	var found []*Problem
	for _, check := range checks {
		for _, v := range check(c) {
			p := &Problem{Row: rowOf(data, v.Key...), Text: v.Text}
			if v.Other != nil {
				p.Other = rowOf(data, v.Other...)
			}
			found = append(found, p)
		}
	}
	return found
}

func decode(data []byte, c *Config) error {
	return toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(c)
}

func decodeProblems(data []byte, err error) []*Problem {
	var found []*Problem
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for _, e := range unknown.Errors {
			row, _ := e.Position()
			found = append(found, &Problem{Row: row, Text: fmt.Sprintf("no setting %q", strings.Join(e.Key(), "."))})
		}
		return found
	}
	p := &Problem{Text: strings.TrimPrefix(err.Error(), "toml: ")}
	var placed *toml.DecodeError
	if !errors.As(err, &placed) {
		p.Row = firstFault(data)
		return append(found, p)
	}
	p.Row, p.Column = placed.Position()
	if _, given, ok := strings.Cut(placed.Error(), "cannot decode TOML "); ok {
		given, _, _ = strings.Cut(given, " ")
		advice := `write times and names in quotes: "15s"`
		if given == "string" {
			advice = "write numbers, lists and true without quotes"
		}
		p.Text = fmt.Sprintf("%s cannot be of type %s (%s)", strings.Join(placed.Key(), "."), given, advice)
	}
	return append(found, p)
}

// firstFault returns the row of the first key that makes data invalid, or 0.
func firstFault(data []byte) int {
	all, _ := parseExpressions(data)
	i := sort.Search(len(all), func(i int) bool { return decode(data[:all[i].to], new(Config)) != nil })
	if i == len(all) {
		return 0
	}
	return all[i].row
}

// checkValues is the [Check] for the values of all settings.
func checkValues(c *Config) []Invalid {
	var found []Invalid
	invalid := func(key []string, format string, args ...any) {
		found = append(found, Invalid{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	for key, value := range walkValues(reflect.ValueOf(*c), nil) {
		name, word := keyText(key), plainText(value.Interface())
		if words := choices(name); words != nil && !slices.Contains(words, word) {
			invalid(key, "%s is %q: use one of %s", name, word, strings.Join(words, ", "))
		}
		if value.Kind() == reflect.Int {
			if text := outOfRange(name, int(value.Int())); text != "" {
				invalid(key, "%s", text)
			}
		}
	}
	if _, err := newsservers.Parse(cmp.Or(c.News[c.NewsServer], c.NewsServer, "localhost")); err != nil {
		invalid([]string{"news_server"}, "news_server: %v", err)
	}
	for _, name := range c.News.All() {
		if err := c.News.Check(name); err != nil {
			invalid([]string{"news", name}, "news.%s: %v", name, err)
		}
		if _, ok := c.Search[name]; ok {
			invalid([]string{"news", name}, "news.%s: there is a search word of that name", name)
		}
	}
	for _, name := range c.Search.Names() {
		if err := searchkeyword.Check(name, c.Search[name]); err != nil {
			invalid([]string{"search", name}, "search.%s: %v", name, err)
		}
	}
	if _, err := urlcore.Parse(c.Restrict.Start); c.Restrict.Start != "" && err != nil {
		invalid([]string{"restrict", "start"}, "restrict.start: %v", err)
	}
	if r := c.Refresh.Duration; r != 0 && r < leastRefresh {
		invalid([]string{"refresh"}, "refresh is %s: use at least %s, because no server is asked more often", c.Refresh, Duration{leastRefresh})
	}
	checkHosts(c.Host, invalid)
	for key, command := range map[string]string{"password_command": c.PasswordCommand, "mail.sendmail": c.Mail.Sendmail} {
		if _, err := program.Words(command); command != "" && err != nil {
			invalid(strings.Split(key, "."), "%s: %v", key, err)
		}
	}
	for scheme := range c.Gateway {
		if err := c.Gateway.Check(scheme); err != nil {
			invalid([]string{"gateway", scheme}, "gateway.%s: %v", scheme, err)
		}
	}
	for key, o := range c.Open {
		if _, err := program.Words(o.Command); err != nil {
			invalid([]string{"open", key}, "open.%q: %v", key, err)
		}
	}
	return found
}

func checkHosts(hosts map[string]Host, invalid func(key []string, format string, args ...any)) {
	for name, h := range hosts {
		if _, ok := charset.Parse(h.Charset); h.Charset != "" && !ok {
			invalid([]string{"host", name, "charset"}, "host.%q: %q is not a charset that gofer knows", name, h.Charset)
		}
		if text := outOfRange("newest_articles", h.NewestArticles); h.NewestArticles != 0 && text != "" {
			invalid([]string{"host", name, "newest_articles"}, "host.%q: %s", name, text)
		}
		switch {
		case name == "":
			invalid([]string{"host", name}, `host."": write "host" or "host:port" in the quotes`)
		case name != strings.ToLower(name):
			invalid([]string{"host", name}, "host.%q: write the name in lower case", name)
		}
	}
}

// expression is a key with its value, or the head of a table, in a settings file.
type expression struct {
	key             []string // the keys of the table, then the written key
	depth           int      // the number of parts of key that name the table
	from, value, to int      // the offsets of the written key, the value and the end
	row             int
	head            bool // the expression is the head of a table
}

// parseExpressions returns the expressions of data up to the first syntax error, and this error.
func parseExpressions(data []byte) ([]expression, error) {
	var p unstable.Parser
	p.Reset(data)
	var all []expression
	var table []string
	row, counted := 1, 0
	for p.NextExpression() {
		x := expressionOf(data, p.Expression(), table)
		if x.head {
			table = x.key
		}
		if len(x.key) > x.depth || x.head {
			row += bytes.Count(data[counted:x.from], []byte("\n")) // faster than p.Shape, which counts from the beginning
			x.row, counted = row, x.from
			all = append(all, x)
		}
	}
	return all, p.Error()
}

func expressionOf(data []byte, e *unstable.Node, table []string) expression {
	x := expression{head: e.Kind != unstable.KeyValue, from: -1}
	if !x.head {
		x.key, x.depth = slices.Clip(table), len(table)
	}
	for k := e.Key(); k.Next(); {
		raw := k.Node().Raw
		if x.to = int(raw.Offset + raw.Length); x.from < 0 {
			x.from = int(raw.Offset)
		}
		x.key = append(x.key, string(k.Node().Data))
	}
	if x.head {
		line, _, _ := bytes.Cut(data[x.to:], []byte("\n"))
		x.depth, x.to = len(x.key), x.to+len(line)
		return x
	}
	value := data[x.to+bytes.IndexByte(data[x.to:], '=')+1 : e.Raw.Offset+e.Raw.Length]
	x.to = int(e.Raw.Offset) + len(bytes.TrimRight(data[e.Raw.Offset:e.Raw.Offset+e.Raw.Length], " \t"))
	x.value = int(e.Raw.Offset+e.Raw.Length) - len(bytes.TrimLeft(value, " \t"))
	return x
}

// rowOf returns the row of a key. For a key in an inline table it returns the row of this table, and for
// a table without a head the row of the first key in the table. rowOf returns 0 if there is no such key.
func rowOf(data []byte, key ...string) int {
	all, _ := parseExpressions(data)
	for _, x := range all {
		n := min(len(key), len(x.key))
		if slices.Equal(x.key[:n], key[:n]) && (!x.head || len(x.key) == len(key)) {
			return x.row
		}
	}
	return 0
}

// blankExpression overwrites the expression at a row with blanks. The expression is a key with its
// value or a table with its keys. Line ends stay. If there is no expression that can be parsed,
// blankExpression overwrites only the row. For row 0 it overwrites all of data.
func blankExpression(data []byte, row int) {
	from, to := 0, len(data)
	if lines := bytes.SplitAfter(data, []byte("\n")); row > 0 {
		from = len(bytes.Join(lines[:row-1], nil))
		to = from + len(lines[row-1])
	}
	all, _ := parseExpressions(data)
	for i, x := range all {
		if x.row > row || x.row+bytes.Count(data[x.from:x.to], []byte("\n")) < row {
			continue
		}
		from, to = min(from, x.from), max(to, x.to)
		for i++; x.head && i < len(all) && !all[i].head; i++ {
			to = max(to, all[i].to) // without the head, the keys would be read as keys of the previous table
		}
	}
	for i := range data[from:to] {
		if data[from+i] != '\n' {
			data[from+i] = ' '
		}
	}
}
