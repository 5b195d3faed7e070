package opener

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gofer/internal/program"
	"gofer/internal/program/job"
	"gofer/internal/userfile"
)

const maxMailcap = 1 << 20 // bounds a mailcap file, in octets

// entry is one entry of mailcap (RFC 1524, appendix A).
type entry struct {
	media    string // "type/subtype" or "type/*", in lower case
	command  string // the view command
	test     string // the test command, or ""
	template string // template of the file's name, with %s in it, or ""
	terminal bool   // needsterminal
	pager    bool   // copiousoutput
}

func (p *Programs) mailcapPaths() []string {
	if s := p.Getenv("MAILCAPS"); s != "" {
		return filepath.SplitList(s)
	}
	list := []string{"/etc/mailcap", "/usr/etc/mailcap", "/usr/local/etc/mailcap"}
	if home := p.Getenv("HOME"); home != "" {
		list = append([]string{filepath.Join(home, ".mailcap")}, list...)
	}
	return list
}

// mailcapEntries returns the entries of all mailcap files in their order. It skips files that cannot be read.
func (p *Programs) mailcapEntries() []entry {
	p.once.Do(func() {
		if p.system() == "windows" && p.Getenv("MAILCAPS") == "" {
			return
		}
		for _, name := range p.mailcapPaths() {
			if data, err := userfile.Read(name, maxMailcap); err == nil {
				p.entries = append(p.entries, parseMailcap(string(data))...)
			}
		}
	})
	return p.entries
}

// parseMailcap reads the entries that can be used to view a file.
func parseMailcap(text string) (list []entry) {
	text = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := splitFields(line)
		if len(fields) < 2 || fields[1] == "" || strings.Contains(fields[1], "%n") || strings.Contains(fields[1], "%F") {
			continue // the entry has no view command, or is only for parts of a multipart
		}
		e := entry{media: strings.ToLower(fields[0]), command: fields[1]}
		if !strings.Contains(e.media, "/") {
			e.media += "/*"
		}
		for _, f := range fields[2:] {
			name, value, _ := strings.Cut(f, "=")
			value = strings.TrimSpace(value)
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "needsterminal":
				e.terminal = true
			case "copiousoutput":
				e.pager = true
			case "test":
				e.test = value
			case "nametemplate":
				e.template = value
			}
		}
		list = append(list, e)
	}
	return list
}

// splitFields splits a line at semicolons that have no backslash before them.
func splitFields(line string) (fields []string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			if i++; line[i] != ';' {
				b.WriteByte('\\')
			}
			b.WriteByte(line[i])
		case line[i] == ';':
			fields = append(fields, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(line[i])
		}
	}
	return append(fields, strings.TrimSpace(b.String()))
}

func (e *entry) matches(media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	return e.media == media || e.media == kind+"/*"
}

const testTime = 3 * time.Second // time limit for the test of an entry

func (e *entry) passesTest(ctx context.Context, v values, environ []string) bool {
	if e.test == "" {
		return true
	}
	argv, _ := v.expand(e.test)
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = program.Env(environ)
	program.EndWithParent(cmd)
	return job.Run(ctx, cmd) == nil
}

// values are the replacements of the % fields of a mailcap command.
type values struct {
	file   string            // %s
	media  string            // %t
	params map[string]string // %{name}
}

// expand returns the arguments that run command with the values v. The result named reports whether
// command contains %s. If a shell runs the command, it gets the values as arguments, so it does not
// interpret them.
func (v values) expand(command string) (argv []string, named bool) {
	var script strings.Builder
	var args []string
	quote := byte(0)
	quoted := map[byte]string{0: `"${%d}"`, '"': `${%d}`, '\'': `'"${%d}"'`}
	put := func(value string) {
		args = append(args, value)
		fmt.Fprintf(&script, quoted[quote], len(args))
	}
	for i := 0; i < len(command); i++ {
		c := command[i]
		rest := command[i+1:]
		switch {
		case c == '\\' && quote != '\'' && rest != "":
			i++
			if rest[0] == '%' {
				script.WriteByte('%')
			} else {
				script.WriteString(command[i-1 : i+1])
			}
		case c == '%' && strings.HasPrefix(rest, "s"):
			i++
			named = true
			put(v.file)
		case c == '%' && strings.HasPrefix(rest, "t"):
			i++
			put(v.media)
		case c == '%' && strings.HasPrefix(rest, "{") && strings.Contains(rest, "}"):
			end := strings.IndexByte(rest, '}')
			put(v.params[strings.ToLower(rest[1:end])])
			i += end + 1
		default:
			if c == quote {
				quote = 0
			} else if quote == 0 && (c == '\'' || c == '"') {
				quote = c
			}
			script.WriteByte(c)
		}
	}
	return v.scriptArgv(script.String(), args), named
}

// scriptArgv returns the words of the script if they need no shell. Otherwise it returns the
// arguments that run a shell with the script.
func (v values) scriptArgv(script string, args []string) []string {
	plain := script
	pairs := make([]string, 0, 2*len(args))
	for i, a := range args {
		parameter := "${" + strconv.Itoa(i+1) + "}"
		plain = strings.ReplaceAll(plain, parameter, "")
		pairs = append(pairs, parameter, a)
	}
	words, err := program.Words(script)
	if err != nil || strings.ContainsAny(plain, "|&;<>()$`*?[]{}~#!=\n") {
		return append([]string{"/bin/sh", "-c", script, "sh"}, args...)
	}
	replace := strings.NewReplacer(pairs...)
	for i := range words {
		words[i] = replace.Replace(words[i])
	}
	return words
}
