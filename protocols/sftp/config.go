package sftp

import (
	"cmp"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"gofer/internal/text/clean"
	"gofer/protocols"
	"gofer/urlcore"
)

// maxJumps is the number of hosts on the way to another one.
const maxJumps = 8

// host is a server to log in to, after the configuration of the user.
type host struct {
	name  string // in the URL or in ProxyJump
	addr  string // host:port to dial
	user  string // "" if it is not known
	jumps []string
	at    place // of ProxyJump
	// refused is why gofer does not connect to the host by itself: ProxyCommand. It does not matter for a host that is
	// reached over another one.
	refused error

	keyFiles, certFiles []string
	agent               string   // path of the socket, or ""
	identitiesOnly      bool     // only those keys of the agent that keyFiles name
	methods             []string // of the login, in the order of their use

	known      []string // known_hosts files, the first of which is written
	knownByAll []string // those of the system
	alias      string   // the name in these files, or "" for that of addr
	strict     bool     // an unknown key is refused, not a question
	hashNames  bool
	minRSA     int // bits of an RSA key of the server
	algorithms ssh.Algorithms
	authority  []string // the algorithms with which an authority may sign the certificate of a server
	quiet      bool     // BatchMode: the user is not asked for a passphrase
}

// resolve returns the server of r.
func (c *Client) resolve(r *request) (host, error) {
	port := ""
	if r.url.Port != 0 {
		_, port, _ = net.SplitHostPort(r.addr)
	}
	if c.isInside(r.url) {
		return plainHost(r.url.Host, port, r.url.User), nil
	}
	return c.resolveHost(r.url.Host, port, r.url.User)
}

// authorityAlgorithms are those of OpenSSH: none has SHA-1.
var authorityAlgorithms = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// plainHost returns a host of which no configuration says anything.
func plainHost(name, port, user string) host {
	h := host{
		name: name, addr: net.JoinHostPort(strings.ToLower(name), cmp.Or(port, "22")), user: user,
		methods: []string{"publickey", "keyboard-interactive", "password"}, algorithms: ssh.SupportedAlgorithms(), authority: authorityAlgorithms,
	}
	for _, name := range slices.Clone(h.algorithms.PublicKeyAuths) {
		h.algorithms.PublicKeyAuths = append(h.algorithms.PublicKeyAuths, strings.TrimSuffix(name, "@openssh.com")+certSuffix)
	}
	return h
}

// resolveHost returns the server for the name of a host in the configuration. A port and a user in a URL take precedence. An
// error is a line that gofer cannot obey, although the connection might be less safe without it.
func (c *Client) resolveHost(name, port, user string) (host, error) {
	if c.Getenv == nil {
		return plainHost(name, port, user), nil
	}
	s, err := c.readSSHConfig(name, port, user)
	if err != nil {
		return host{}, configError(name, err)
	}
	h, err := s.host()
	if err != nil {
		return host{}, configError(name, err)
	}
	return h, nil
}

func configError(name string, err error) error {
	return &protocols.Error{Reason: protocols.Insecure, Op: "obey the SSH configuration for " + name, Err: err}
}

// host returns the host with the values that have been read.
func (s *sshConfig) host() (host, error) {
	h, port := plainHost(s.name, "", ""), "22"
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	if v, ok := s.values["port"]; ok {
		n, err := strconv.ParseUint(v.args[0], 10, 16)
		if err != nil || n == 0 {
			note(v.at.errorf("%q is not a port", v.args[0]))
		}
		port = strconv.FormatUint(n, 10)
	}
	h.user = s.text("user", s.c.localUser())
	t := tokens{c: s.c, name: s.name, host: s.name, port: port, user: h.user}
	real := strings.ToLower(s.realName(note))
	h.addr, t.host = net.JoinHostPort(real, port), real
	h.alias = strings.ToLower(s.text("hostkeyalias", ""))
	t.alias = cmp.Or(h.alias, real)
	s.readProxy(&h, t, note)
	s.readLogin(&h, t, note)
	s.readTrust(&h, t, note)
	for keyword, off := range refusedKeywords {
		if v, ok := s.values[keyword]; ok && !slices.Contains(off, strings.ToLower(v.args[0])) {
			note(v.at.errorf("gofer does not support %s", v.keyword))
		}
	}
	return h, errors.Join(errs...)
}

// text returns the value of a keyword, or else other.
func (s *sshConfig) text(keyword, other string) string {
	if v, ok := s.values[keyword]; ok {
		return v.args[0]
	}
	return other
}

// choice returns whether a keyword is set to one of the words that mean yes, or else other. Another value than these and the
// words that mean no is an error.
func (s *sshConfig) choice(keyword string, other bool, isYes, isNo []string, note func(error)) bool {
	v, ok := s.values[keyword]
	if !ok {
		return other
	}
	word := strings.ToLower(v.args[0])
	if !slices.Contains(isYes, word) && !slices.Contains(isNo, word) {
		note(v.at.errorf("%s cannot be %q", v.keyword, v.args[0]))
	}
	return slices.Contains(isYes, word)
}

var (
	yesWords = []string{"yes", "true"}
	noWords  = []string{"no", "false"}
)

// readProxy reads how the host is reached.
func (s *sshConfig) readProxy(h *host, t tokens, note func(error)) {
	v, ok := s.values["proxy"]
	switch {
	case !ok || strings.EqualFold(v.args[0], "none"):
	case strings.EqualFold(v.keyword, "ProxyCommand"):
		h.refused = configError(h.name, v.at.errorf("gofer runs no ProxyCommand. ProxyJump, or \"ProxyCommand none\" in a block for this host above it, is possible"))
	default:
		h.at = v.at
		for jump := range strings.SplitSeq(v.args[0], ",") {
			jump, err := t.expand(jump)
			if err != nil || jump == "" {
				note(v.at.errorf("ProxyJump cannot be %q", v.args[0]))
			}
			h.jumps = append(h.jumps, jump)
		}
	}
}

// readLogin reads how the user logs in.
func (s *sshConfig) readLogin(h *host, t tokens, note func(error)) {
	paths := func(list []setting) (paths []string) {
		for _, v := range list {
			if strings.EqualFold(v.args[0], "none") {
				continue
			}
			path, err := t.expandPath(v.args[0])
			if err != nil {
				note(v.at.errorf("%v", err))
			}
			paths = append(paths, path)
		}
		return paths
	}
	h.keyFiles, h.certFiles = paths(s.keys), paths(s.certs)
	if len(s.keys) == 0 && s.c.home() != "" {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			h.keyFiles = append(h.keyFiles, s.c.sshFile(name))
		}
	}
	h.identitiesOnly = s.choice("identitiesonly", false, yesWords, noWords, note)
	h.agent = s.c.Getenv("SSH_AUTH_SOCK")
	if v, ok := s.values["identityagent"]; ok {
		switch value := v.args[0]; {
		case strings.EqualFold(value, "none"):
			h.agent = ""
		case value == "SSH_AUTH_SOCK":
		case strings.HasPrefix(value, "$") && !strings.HasPrefix(value, "${"):
			h.agent = s.c.Getenv(value[1:])
		default:
			h.agent = s.expandedPath(t, v, note)
		}
	}
	on := map[string]bool{
		"publickey":            s.choice("pubkeyauthentication", true, []string{"yes", "true", "unbound", "host-bound"}, noWords, note),
		"password":             s.choice("passwordauthentication", true, yesWords, noWords, note),
		"keyboard-interactive": s.choice("kbdinteractiveauthentication", true, yesWords, noWords, note),
	}
	h.quiet = s.choice("batchmode", false, yesWords, noWords, note)
	if v, ok := s.values["numberofpasswordprompts"]; ok {
		if n, err := strconv.Atoi(v.args[0]); err != nil || n < 0 {
			note(v.at.errorf("NumberOfPasswordPrompts cannot be %q", v.args[0]))
		} else if n == 0 {
			on["password"], on["keyboard-interactive"] = false, false
		}
	}
	if h.quiet {
		on["password"], on["keyboard-interactive"] = false, false
	}
	preferred := strings.Split(s.text("preferredauthentications", strings.Join(h.methods, ",")), ",")
	h.methods = slices.DeleteFunc(preferred, func(method string) bool { return !on[method] })
}

// readTrust reads which keys of the server are trusted.
func (s *sshConfig) readTrust(h *host, t tokens, note func(error)) {
	files := func(keyword string, other ...string) (paths []string) {
		v, ok := s.values[keyword]
		if !ok {
			return other
		}
		for _, arg := range v.args {
			if !strings.EqualFold(arg, "none") {
				v.args = []string{arg}
				paths = append(paths, s.expandedPath(t, v, note))
			}
		}
		return paths
	}
	if s.c.home() != "" {
		h.known = []string{s.c.sshFile("known_hosts"), s.c.sshFile("known_hosts2")}
	}
	h.known = files("userknownhostsfile", h.known...)
	h.knownByAll = files("globalknownhostsfile", s.c.systemFile("ssh_known_hosts"), s.c.systemFile("ssh_known_hosts2"))
	h.strict = s.choice("stricthostkeychecking", false, yesWords, []string{"ask", "accept-new", "no", "off", "false"}, note) || h.quiet
	h.hashNames = s.choice("hashknownhosts", false, yesWords, noWords, note)
	if v, ok := s.values["requiredrsasize"]; ok {
		var err error
		if h.minRSA, err = strconv.Atoi(v.args[0]); err != nil {
			note(v.at.errorf("RequiredRSASize cannot be %q", v.args[0]))
		}
	}
	for keyword, list := range map[string]*[]string{
		"ciphers": &h.algorithms.Ciphers, "macs": &h.algorithms.MACs, "kexalgorithms": &h.algorithms.KeyExchanges, "hostkeyalgorithms": &h.algorithms.HostKeys,
		"pubkeyacceptedalgorithms": &h.algorithms.PublicKeyAuths, "casignaturealgorithms": &h.authority,
	} {
		if v, ok := s.values[keyword]; ok {
			if *list = chooseAlgorithms(*list, v.args[0]); len(*list) == 0 {
				note(v.at.errorf("gofer has none of these %s", v.keyword))
			}
		}
	}
}

// chooseAlgorithms returns those of the algorithms that a list of ssh_config names, in the order of the list. A list that begins
// with "+", "-" or "^" changes the usual one; gofer has no others to add.
func chooseAlgorithms(have []string, list string) (chosen []string) {
	names := strings.TrimLeft(list, "+-^")
	for pattern := range strings.SplitSeq(names, ",") {
		for _, name := range have {
			if matchPattern(pattern, name) && !slices.Contains(chosen, name) {
				chosen = append(chosen, name)
			}
		}
	}
	others := slices.DeleteFunc(slices.Clone(have), func(name string) bool { return slices.Contains(chosen, name) })
	switch {
	case strings.HasPrefix(list, "-"):
		return others
	case strings.HasPrefix(list, "+"):
		return have
	case strings.HasPrefix(list, "^"):
		return append(chosen, others...)
	}
	return chosen
}

// realName returns the name of the host to dial. HostName has no other tokens than these.
func (s *sshConfig) realName(note func(error)) string {
	v, ok := s.values["hostname"]
	if ok && strings.Contains(strings.NewReplacer("%%", "", "%h", "").Replace(v.args[0]), "%") {
		note(v.at.errorf("HostName cannot be %q: only %%h and %%%% are possible", v.args[0]))
	}
	return s.hostName()
}

// hostName returns the name of the host to dial, as far as the files are read.
func (s *sshConfig) hostName() string {
	if v, ok := s.values["hostname"]; ok {
		return strings.NewReplacer("%%", "%", "%h", s.name).Replace(v.args[0])
	}
	return s.name
}

func (s *sshConfig) expandedPath(t tokens, v setting, note func(error)) string {
	path, err := t.expandPath(v.args[0])
	if err != nil {
		note(v.at.errorf("%v", err))
	}
	return path
}

// splitJump splits a host of ProxyJump: [user@]host[:port], or a URL.
func splitJump(text string) (name, port, user string) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "ssh://")
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		user, text = text[:at], text[at+1:]
	}
	if name, port, err := net.SplitHostPort(text); err == nil {
		return name, port, user
	}
	return strings.Trim(text, "[]"), "", user
}

// route returns the hosts on the way to h, the nearest first. The way to the first one may lead over others, too.
func (c *Client) route(h host) (hops []host, err error) {
	seen := []string{h.identity()}
	err = c.addRoute(h, &hops, &seen)
	return hops, err
}

// identity tells hosts on a way apart: those in two networks may have the same address.
func (h host) identity() string {
	return strings.Join([]string{strings.ToLower(h.name), h.addr, h.user, h.alias}, "\x00")
}

func (c *Client) addRoute(h host, hops *[]host, seen *[]string) error {
	for i, jump := range h.jumps {
		over, err := c.resolveHost(splitJump(jump))
		switch {
		case err != nil:
			return err
		case over.identity() == h.identity(): // "Host *" may name the host itself
			continue
		case slices.Contains(*seen, over.identity()):
			return configError(h.name, h.at.errorf("the way leads over %s twice", clean.Name(over.name)))
		case len(*seen) > maxJumps:
			return configError(h.name, h.at.errorf("there are too many hosts in ProxyJump"))
		}
		*seen = append(*seen, over.identity())
		if i == 0 {
			if err := c.addRoute(over, hops, seen); err != nil {
				return err
			}
			if len(*hops) == 0 && over.refused != nil {
				return over.refused
			}
		}
		*hops = append(*hops, over)
	}
	if len(*hops) == 0 {
		return h.refused
	}
	return nil
}

// isInside reports whether the host of u runs inside this program.
func (c *Client) isInside(u urlcore.FTP) bool {
	if c.Dialer.Locals == nil {
		return false
	}
	_, ours := c.Dialer.Locals.ListenAddr(u.Addr())
	return ours
}
