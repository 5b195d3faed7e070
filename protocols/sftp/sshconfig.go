package sftp

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gofer/internal/userfile"
)

const (
	maxConfig  = 1 << 20 // octets of a configuration file
	maxInclude = 16      // files that include each other, as in OpenSSH
)

// place is a line of a configuration file.
type place struct {
	file string // as it is shown
	line int
}

func (p place) errorf(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", p.file, p.line, fmt.Sprintf(format, args...))
}

// setting is the value of a keyword.
type setting struct {
	keyword string // as it is written
	args    []string
	at      place
}

// verdict is whether a block of a configuration is for a host.
type verdict int

const (
	no    verdict = iota
	maybe         // it depends on something that is not known here, such as the result of a program
	yes
)

// sshConfig reads configuration files of OpenSSH for one host (ssh_config(5)). The first value of a keyword counts.
// A keyword that neither is in usedKeywords nor in refusedKeywords has no effect.
type sshConfig struct {
	c        *Client
	name     string // of the host, as the user names it
	final    bool   // in the second reading, for "Match final"
	hasFinal bool
	values   map[string]setting
	keys     []setting // IdentityFile
	certs    []setting // CertificateFile
}

// usedKeywords maps the keywords that have an effect to the keyword under which their value is kept. The first of ProxyJump
// and ProxyCommand counts.
var usedKeywords = map[string]string{
	"certificatefile": "", "ciphers": "", "globalknownhostsfile": "", "hashknownhosts": "", "hostkeyalgorithms": "", "hostkeyalias": "", "hostname": "",
	"identitiesonly": "", "identityagent": "", "identityfile": "", "kexalgorithms": "", "macs": "", "requiredrsasize": "", "kbdinteractiveauthentication": "", "passwordauthentication": "", "port": "",
	"preferredauthentications": "", "pubkeyauthentication": "", "stricthostkeychecking": "", "tag": "", "user": "", "userknownhostsfile": "",
	"challengeresponseauthentication": "kbdinteractiveauthentication", "skeyauthentication": "kbdinteractiveauthentication",
	"tisauthentication": "kbdinteractiveauthentication", "dsaauthentication": "pubkeyauthentication", "identityfile2": "identityfile",
	"pubkeyacceptedalgorithms": "", "pubkeyacceptedkeytypes": "pubkeyacceptedalgorithms", "casignaturealgorithms": "",
	"batchmode": "", "numberofpasswordprompts": "",
	"proxyjump": "proxy", "proxycommand": "proxy",
}

// refusedKeywords maps keywords that a connection needs to be as safe as the user wants it, and that gofer cannot obey, to the
// values which mean that they are not in use.
var refusedKeywords = map[string][]string{
	"proxycommand": {"none"}, "canonicalizehostname": {"no", "none"}, "knownhostscommand": {"none"}, "revokedhostkeys": {"none"},
	"bindaddress": nil, "bindinterface": nil, "refuseconnection": nil,
}

// readSSHConfig reads the configuration of the user and that of the system for a host. The port and the user of a URL, which may
// be "", take precedence.
func (c *Client) readSSHConfig(name, port, user string) (*sshConfig, error) {
	s := &sshConfig{c: c, name: name, values: make(map[string]setting)}
	for keyword, value := range map[string]string{"port": port, "user": user} {
		if value != "" {
			s.values[keyword] = setting{keyword: keyword, args: []string{value}}
		}
	}
	for {
		if path := c.sshFile("config"); path != "" {
			if err := s.readFile(path, yes, 0, true); err != nil {
				return nil, err
			}
		}
		if err := s.readFile(c.systemFile("ssh_config"), yes, 0, false); err != nil {
			return nil, err
		}
		if s.final || !s.hasFinal {
			return s, nil
		}
		s.final = true
		if _, ok := s.values["hostname"]; !ok { // as in OpenSSH, the first reading decides it
			s.values["hostname"] = setting{keyword: "HostName", args: []string{strings.ReplaceAll(name, "%", "%%")}}
		}
	}
}

// readFile reads a file. The parameter outer is whether the block that includes it is for the host. A file of the user that
// somebody else may write is refused, as OpenSSH does.
func (s *sshConfig) readFile(path string, outer verdict, depth int, ofUser bool) error {
	if depth > maxInclude {
		return fmt.Errorf("%s: too many files include each other", s.c.shorten(path))
	}
	if ofUser {
		if err := s.c.checkSafe(path); err != nil {
			return err
		}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() { // as for OpenSSH, a folder has no lines
		return nil
	}
	data, err := userfile.Read(path, maxConfig)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", s.c.shorten(path), withoutPath(err))
	}
	inBlock, n := outer, 0
	for line := range strings.Lines(string(data)) {
		n++
		at := place{s.c.shorten(path), n}
		words, err := splitWords(line)
		if err != nil {
			return at.errorf("%v", err)
		}
		if len(words) == 0 {
			continue
		}
		keyword, args := strings.ToLower(words[0]), words[1:]
		switch keyword {
		case "host":
			inBlock = min(outer, matchBlock(args, s.name))
		case "match":
			if inBlock, err = s.match(args, at); err != nil {
				return err
			}
			inBlock = min(outer, inBlock)
		case "include":
			err = s.include(args, inBlock, depth, ofUser, at)
		default:
			err = s.set(words[0], args, inBlock, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withoutPath returns the cause of an error about a file.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// include reads other files. A pattern that names none has no effect. Those of a block for another host are read, too: they may
// have a "Match final".
func (s *sshConfig) include(args []string, inBlock verdict, depth int, ofUser bool, at place) error {
	for _, arg := range args {
		if strings.Contains(arg, "%") || strings.Contains(arg, "${") {
			return at.errorf("gofer does not know the file %q: versions of OpenSSH differ about %% and ${ in Include", arg)
		}
		path, err := s.c.expandHome(arg)
		if err != nil {
			return at.errorf("%v", err)
		}
		if !filepath.IsAbs(path) {
			path = s.c.systemFile(path)
			if ofUser {
				path = s.c.sshFile(arg)
			}
		}
		files, err := globFiles(path)
		if err != nil {
			return at.errorf("%v", err)
		}
		for _, file := range files {
			if err := s.readFile(file, inBlock, depth+1, ofUser); err != nil {
				return err
			}
		}
	}
	return nil
}

// set keeps the value of a keyword, unless it has one. In a block that may be for the host, a keyword with an effect is an
// error: without it the connection might be less safe than the user wants.
func (s *sshConfig) set(word string, args []string, inBlock verdict, at place) error {
	keyword := strings.ToLower(word)
	as, used := usedKeywords[keyword]
	_, refused := refusedKeywords[keyword]
	if as == "" {
		as = keyword
	}
	if _, known := s.values[as]; !used && !refused || inBlock == no || known {
		return nil
	}
	if inBlock == maybe {
		return at.errorf("gofer cannot find out whether this block is for the host. Name the host in a Host block above it, in small letters and with its own %s", word)
	}
	if len(args) == 0 || args[0] == "" {
		return at.errorf("%s has no value", word)
	}
	v := setting{word, args, at}
	switch as {
	case "identityfile":
		s.keys = appendOnce(s.keys, v)
	case "certificatefile":
		s.certs = appendOnce(s.certs, v)
	default:
		s.values[as] = v
	}
	return nil
}

// appendOnce appends v unless it is in the list, as in the second reading.
func appendOnce(list []setting, v setting) []setting {
	if slices.ContainsFunc(list, func(old setting) bool { return old.args[0] == v.args[0] }) {
		return list
	}
	return append(list, v)
}

// match evaluates the criteria of a Match block.
func (s *sshConfig) match(args []string, at place) (verdict, error) {
	if len(args) == 0 {
		return no, at.errorf("Match has no criterion")
	}
	result := yes
	for len(args) > 0 {
		word := args[0]
		criterion, value, hasValue := strings.Cut(word, "=")
		args = args[1:]
		criterion, negated := strings.CutPrefix(strings.ToLower(criterion), "!")
		v := yes
		isAlone := criterion == "all" || criterion == "canonical" || criterion == "final"
		if !isAlone && !hasValue && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		// Versions of OpenSSH differ about an "=" with spaces around it.
		if isAlone == (value != "") || isAlone && hasValue || strings.HasPrefix(value, "=") {
			return no, at.errorf("gofer cannot read Match %s: write it as %s, or with a space and a value", word, cmp.Or(criterion, "host")+"=VALUE")
		}
		switch {
		case !isAlone:
			v = s.matchValue(criterion, value)
		case criterion != "all" && !s.final: // in the final reading, "canonical" means the same
			v = no
		}
		s.hasFinal = s.hasFinal || criterion == "final"
		if negated {
			v = yes - v
		}
		result = min(result, v)
	}
	return result, nil
}

// matchValue evaluates a criterion with a value. No program is run.
func (s *sshConfig) matchValue(criterion, value string) verdict {
	patterns := strings.Split(value, ",")
	switch criterion {
	case "host":
		return matchHost(patterns, s.hostName())
	case "originalhost":
		return matchHost(patterns, s.name)
	case "user":
		return matchWords(patterns, s.text("user", s.c.localUser()))
	case "localuser":
		return matchWords(patterns, s.c.localUser())
	case "tagged":
		return matchWords(patterns, s.text("tag", ""))
	case "sessiontype":
		return matchWords(patterns, "subsystem")
	}
	return maybe
}

// matchBlock reports whether a Host block is for a name. Unlike in Match, a comma separates nothing, and the case of letters
// matters; but names in URLs have small letters only, whatever the user has typed.
func matchBlock(patterns []string, name string) verdict {
	folded := make([]string, 0, len(patterns))
	for _, p := range patterns {
		folded = append(folded, strings.ToLower(p))
	}
	result := matchWords(patterns, name)
	if result != matchWords(folded, strings.ToLower(name)) {
		return maybe
	}
	return result
}

// matchHost is [matchWords] for names of hosts, in which the case of letters does not matter.
func matchHost(patterns []string, name string) verdict {
	return matchWords(strings.Split(strings.ToLower(strings.Join(patterns, ",")), ","), strings.ToLower(name))
}

// matchWords reports whether name matches one of the patterns, and no negated one.
func matchWords(patterns []string, name string) verdict {
	result := no
	for _, p := range patterns {
		p, negated := strings.CutPrefix(p, "!")
		switch {
		case !matchPattern(p, name):
		case negated:
			return no
		default:
			result = yes
		}
	}
	return result
}

// matchPattern reports whether name matches a pattern with "*" and "?".
func matchPattern(pattern, name string) bool {
	star, from := -1, 0 // the last "*", and the octets of name before those that it stands for
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// splitWords splits a line into its keyword and arguments. An argument may be quoted, and "#" begins a comment.
func splitWords(line string) (words []string, err error) {
	rest := strings.Trim(line, " \t\r\n\f")
	for rest != "" && rest[0] != '#' {
		var word strings.Builder
		quote := byte(0)
		i := 0
	scan:
		for ; i < len(rest); i++ {
			b := rest[i]
			switch {
			case b == '\\' && i+1 < len(rest) && strings.IndexByte(`"'\`, rest[i+1]) >= 0, b == '\\' && quote == 0 && i+1 < len(rest) && rest[i+1] == ' ':
				i++
				word.WriteByte(rest[i])
			case quote != 0 && b == quote:
				quote = 0
			case quote != 0:
				word.WriteByte(b)
			case b == '"' || b == '\'':
				quote = b
			case b == ' ' || b == '\t' || b == '=' && len(words) == 0:
				break scan
			default:
				word.WriteByte(b)
			}
		}
		if quote != 0 {
			return nil, errors.New("a quotation mark is missing")
		}
		words = append(words, word.String())
		rest = strings.TrimLeft(rest[i:], " \t")
		if len(words) == 1 {
			if after, ok := strings.CutPrefix(rest, "="); ok {
				rest = strings.TrimLeft(after, " \t")
			}
		}
	}
	return words, nil
}
