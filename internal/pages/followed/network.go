package followed

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"time"

	"gofer/history"
	"gofer/internal/text/sentence"
	"gofer/protocols"
	"gofer/urlcore"
)

// Reason returns why the last check of a page has failed, in a few words, or "".
func Reason(src *history.Source) string {
	if src.Failure == "" {
		return ""
	}
	return cmp.Or(parseState(src.State).Reason, src.Failure)
}

// maxReason is the greatest length of a reason in the state, in characters.
const maxReason = 100

func shortReason(err error) string {
	r := []rune(sentence.Short(err))
	return string(r[:min(len(r), maxReason)])
}

// NoReply reports whether nothing has answered the last check of a page.
func NoReply(src *history.Source) bool { return src.Failure != "" && parseState(src.State).NoReply }

// IsDisconnected reports whether this machine seems to have no network: since the last check that a server has answered, nothing
// has answered the checks of the pages of several servers. One server may be down itself.
func IsDisconnected(sources []history.Source) bool {
	var answered time.Time
	for i := range sources {
		src := &sources[i]
		if isRemote(src.URL) && !NoReply(src) && src.Checked.After(answered) {
			answered = src.Checked
		}
	}
	servers := make(map[string]bool)
	for i := range sources {
		if src := &sources[i]; NoReply(src) && src.Checked.After(answered) {
			servers[serverOf(*src)] = true
		}
	}
	return len(servers) > 1
}

// isRemote reports whether the answer of the server of u shows that there is a network: files and servers of this machine are
// there without one.
func isRemote(u urlcore.URL) bool {
	_, isFile := u.(urlcore.File)
	host := urlcore.Host(u)
	ip, err := netip.ParseAddr(host)
	return !isFile && host != "localhost" && (err != nil || !ip.IsLoopback())
}

// isUnreached reports whether nothing has answered the check of a page that failed with err.
func isUnreached(err error) bool {
	_, isFeed := errors.AsType[feedError](err)
	return !isFeed && protocols.ContactOf(err) == protocols.ContactNone
}

// excuse records the failures of pages without counting them if the network is to blame, so that they are read again at the next
// occasion.
func (r *refresh) excuse(ctx context.Context) {
	if len(r.unreached) == 0 || r.err != nil {
		return
	}
	if r.IsDown == nil || !r.IsDown() {
		sources, err := r.Store.Sources(ctx)
		if r.err = err; err != nil || !IsDisconnected(sources) {
			return
		}
	}
	for _, src := range r.unreached {
		src.Failures--
		if _, r.err = r.Store.KeepCheck(ctx, src, nil, nil); r.err != nil {
			return
		}
	}
}
