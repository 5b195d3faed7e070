package web

import (
	"crypto/md5" //nolint:gosec // RFC 7616 has it for old servers
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gofer/internal/wire"
)

// challenge is a challenge of a server for a login (RFC 9110, section 11.6.1).
type challenge struct {
	scheme     string // in small letters
	parameters map[string]string
}

// maxChallenges is the largest number of challenges of an answer that are read.
const maxChallenges = 32

// parseChallenges parses the values of WWW-Authenticate. A value may have several challenges.
func parseChallenges(values []string) (all []challenge) {
	for _, rest := range values {
		for len(all) < maxChallenges {
			rest = strings.TrimLeft(rest, ", \t")
			name := tokenOf(rest)
			if name == "" {
				break
			}
			rest = strings.TrimLeft(rest[len(name):], " \t")
			value, isParameter := strings.CutPrefix(rest, "=")
			if !isParameter {
				all = append(all, challenge{strings.ToLower(name), make(map[string]string)})
				continue
			}
			value, rest = cutValue(strings.TrimLeft(value, " \t="))
			if len(all) > 0 {
				if old := all[len(all)-1].parameters; old[strings.ToLower(name)] == "" {
					old[strings.ToLower(name)] = value
				}
			}
		}
	}
	return all
}

// tokenOf returns the token at the beginning of s, or the token68 (RFC 9110, sections 5.6.2 and 11.2).
func tokenOf(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"[]?={}`, r)
	})
	if end < 0 {
		end = len(s)
	}
	return s[:end]
}

// cutValue cuts the value of a parameter from s: a token or a quoted string.
func cutValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		value = tokenOf(s)
		if value == "" && s != "" { // not a value: skip to the next parameter
			_, rest, _ = strings.Cut(s, ",")
			return "", rest
		}
		return value, s[len(value):]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// strength orders the challenges that gofer can answer. It is 0 for the others.
func (c *challenge) strength() int {
	switch c.scheme {
	case "basic":
		return 1
	case "digest":
		if _, hasRealm := c.parameters["realm"]; !hasRealm || c.parameters["nonce"] == "" || c.qop() == "" && c.parameters["qop"] != "" {
			return 0
		}
		switch algorithm, _ := c.algorithm(); algorithm {
		case "MD5":
			return 2
		case "SHA-256":
			return 3
		case "SHA-512-256":
			return 4
		}
	}
	return 0
}

// chooseChallenge returns the strongest challenge in values that gofer can answer, or nil.
func chooseChallenge(values []string) *challenge {
	all := parseChallenges(values)
	var best *challenge
	for i := range all {
		if c := &all[i]; c.strength() > 0 && (best == nil || c.strength() > best.strength()) {
			best = c
		}
	}
	return best
}

// algorithm returns the hash algorithm in capitals, and whether the key is that of a session (RFC 7616, section 3.4.2).
func (c *challenge) algorithm() (name string, session bool) {
	name, session = strings.CutSuffix(strings.ToUpper(c.parameters["algorithm"]), "-SESS")
	if name == "" {
		name = "MD5"
	}
	return name, session
}

// qop returns "auth" if the server offers it, and otherwise "". Without any qop, the digest is that of RFC 2069.
func (c *challenge) qop() string {
	for q := range strings.SplitSeq(c.parameters["qop"], ",") {
		if strings.EqualFold(strings.TrimSpace(q), "auth") {
			return "auth"
		}
	}
	return ""
}

// sum returns the hash of the parts, joined with colons, in hexadecimal digits.
func (c *challenge) sum(parts ...string) string {
	var h hash.Hash
	switch algorithm, _ := c.algorithm(); algorithm {
	case "SHA-256":
		h = sha256.New()
	case "SHA-512-256":
		h = sha512.New512_256()
	default:
		h = md5.New() //nolint:gosec // as above
	}
	h.Write([]byte(strings.Join(parts, ":")))
	return hex.EncodeToString(h.Sum(nil))
}

// authorization returns the Authorization field for a request (RFC 7616, section 3.4).
func (c *nonceUse) authorization(method, uri, user, password string) string {
	p, cnonce := c.parameters, c.cnonce
	_, session := c.algorithm()
	secret := c.sum(user, p["realm"], password)
	if session {
		secret = c.sum(secret, c.firstNonce, cnonce)
	}
	response, qop, nc := "", c.qop(), fmt.Sprintf("%08x", c.count)
	if qop != "" {
		response = c.sum(secret, p["nonce"], nc, cnonce, qop, c.sum(method, uri))
	} else {
		response = c.sum(secret, p["nonce"], c.sum(method, uri))
	}
	var fields []string
	add := func(name, value string) { fields = append(fields, name+`="`+escapeQuoted.Replace(value)+`"`) }
	switch {
	case strings.EqualFold(p["userhash"], "true"):
		add("username", c.sum(user, p["realm"]))
		fields = append(fields, "userhash=true")
	case strings.EqualFold(p["charset"], "UTF-8") && !isASCII(user):
		fields = append(fields, "username*=UTF-8''"+strings.ReplaceAll(url.QueryEscape(user), "+", "%20"))
	default:
		add("username", user)
	}
	add("realm", p["realm"])
	add("nonce", p["nonce"])
	add("uri", uri)
	add("response", response)
	if p["algorithm"] != "" {
		fields = append(fields, "algorithm="+tokenOf(p["algorithm"]))
	}
	if opaque, ok := p["opaque"]; ok {
		add("opaque", opaque)
	}
	if qop != "" {
		fields = append(fields, "qop="+qop, "nc="+nc)
	}
	if qop != "" || session {
		add("cnonce", cnonce)
	}
	return "Digest " + strings.Join(fields, ", ")
}

var escapeQuoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", "")

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e })
}

// challenges holds the last challenge of each account. The zero value is ready and safe for concurrent use.
type challenges struct {
	mu   sync.Mutex
	last map[wire.Account]*nonceUse
	all  []wire.Account // the oldest first
}

// nonceUse is a challenge and its use by requests. A session (RFC 7616, section 3.4.2) begins with a challenge and lasts
// until the next one: its key has the nonce of the challenge and the cnonce of the first request. All requests of a
// session have the same cnonce, because some servers take the cnonce of each request for that of the key.
type nonceUse struct {
	challenge
	firstNonce string // the nonce of the challenge, also if the server has sent others since
	cnonce     string
	count      int // the number of requests with the nonce
}

func newNonceUse(ch *challenge) *nonceUse {
	return &nonceUse{challenge: *ch, firstNonce: ch.parameters["nonce"], cnonce: rand.Text()}
}

// maxAccounts is the largest number of accounts whose challenges are kept.
const maxAccounts = 256

// keep stores the challenge of an account.
func (c *challenges) keep(account wire.Account, ch *challenge) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = make(map[wire.Account]*nonceUse)
	}
	if c.last[account] == nil {
		if c.all = append(c.all, account); len(c.all) > maxAccounts {
			delete(c.last, c.all[0])
			c.all = slices.Delete(c.all, 0, 1)
		}
	}
	c.last[account] = newNonceUse(ch)
}

// use counts a request, and returns the use of the stored challenge of an account by it. It returns nil if there is none.
func (c *challenges) use(account wire.Account) *nonceUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.last[account]
	if n == nil {
		return nil
	}
	n.count++
	use := *n
	return &use
}

// setNonce replaces the nonce of an account's digest challenge (RFC 7616, section 3.5). The session goes on.
func (c *challenges) setNonce(account wire.Account, nonce string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.last[account]; n != nil && n.scheme == "digest" && nonce != "" {
		n.parameters = maps.Clone(n.parameters)
		n.parameters["nonce"], n.count = nonce, 0
	}
}
