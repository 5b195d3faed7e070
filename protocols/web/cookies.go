package web

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"

	"golang.org/x/net/publicsuffix"
)

// The limits for cookies: the number in an answer, the octets of a cookie (RFC 6265, section 6.1), and
// the octets of all cookies. Beyond the last limit, all older cookies are removed.
const (
	maxCookies   = 50
	maxCookie    = 4096
	maxAllCookie = 4 << 20
)

// jar stores a limited number of cookies in memory.
type jar struct {
	mu   sync.Mutex
	jar  *cookiejar.Jar
	size int // octets of the cookies added since SetCookies made the cookiejar, without those of the same call
}

func (j *jar) Cookies(u *url.URL) []*http.Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.jar == nil {
		return nil
	}
	return j.jar.Cookies(u)
}

// SetCookies stores the cookies of an answer.
func (j *jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var kept []*http.Cookie
	for _, c := range cookies[:min(len(cookies), maxCookies)] {
		if n := len(c.Raw); n <= maxCookie {
			kept = append(kept, c)
			j.size += n
		}
	}
	if j.jar == nil || j.size > maxAllCookie {
		j.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // New returns no error
		j.size = 0
	}
	j.jar.SetCookies(u, kept)
}
