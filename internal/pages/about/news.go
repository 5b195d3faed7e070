package about

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"gofer/protocols"
	"gofer/urlcore"
)

// NewsServer is a news server with subscribed groups.
type NewsServer struct {
	Name string       // name in the settings; "" for a server without a name and for the server of news: URLs
	All  urlcore.News // URL of all groups
	// MaybeTLS is set if the port may need TLS although All is a URL without TLS.
	MaybeTLS bool
	// Groups waits until the server has answered. The parameter all is All, or All with TLS. The
	// sequence yields the subscribed groups, and how many unread articles each has. If the server does not answer,
	// Groups returns the error, and nil or a sequence of the groups that ends with the error. New returns the groups
	// created since the last call of New, and the time of that call.
	Groups func(ctx context.Context, all urlcore.News) (iter.Seq2[protocols.Line, error], error)
	New    func(ctx context.Context, all urlcore.News) (groups []protocols.Line, since time.Time, err error)
}

// NewsURL returns the URL of the subscribed groups on the news server with this name, or on all
// servers if name is "".
func NewsURL(name string) urlcore.URL {
	return Page(strings.TrimSuffix("news/"+urlcore.EscapeQuery(name), "/"))
}

// NewsName returns the name in a URL made by [NewsURL].
func NewsName(u urlcore.URL) (name string, ok bool) {
	g, _ := u.(urlcore.Generic)
	page, name, _ := strings.Cut(g.Rest, "/")
	return unescape(name), g.Name == "about" && page == "news"
}

// title returns the name of the server for headings.
func (s *NewsServer) title() string {
	switch {
	case s.Name != "":
		return s.Name
	case s.All.Host != "":
		return s.All.Addr()
	}
	return "your news server"
}

// newsSection is a part of about:news: the lines about one server.
type newsSection struct {
	server int
	lines  []protocols.Line
	err    error
}

// newsPage returns the page of the subscribed groups on the server of the URL, or on all servers. If the first
// server needs an answer of the user, the error is a [protocols.Question].
func (c *Client) newsPage(ctx context.Context, r request) (*protocols.Resource, error) {
	u, servers, title := r.URL, c.News(), "News"
	if name, _ := NewsName(u); name != "" {
		servers = slices.DeleteFunc(servers, func(s NewsServer) bool { return s.Name != name })
		if title = "News of " + name; len(servers) == 0 {
			return nil, c.missingPage(u)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	end := closer(func() {
		cancel()
		asking.Wait()
	})
	q := &newsQueue{arrived: make(chan newsSection, len(servers))}
	for i := range servers {
		q.waiting = append(q.waiting, i)
		asking.Go(func() {
			section := servers[i].fetchSection(ctx, len(servers) > 1)
			section.server = i
			q.arrived <- section
		})
	}
	if len(servers) > 1 {
		q.limit = time.After(newsWait)
	}
	var s newsSection
	if len(servers) > 0 {
		s = q.next()
	}
	if err := context.Cause(ctx); err != nil || s.server == 0 && protocols.QuestionOf(s.err) != nil {
		end()
		return nil, cmp.Or(err, s.err)
	}
	return &protocols.Resource{
		Head: protocols.Head{URL: u, Title: title, Layout: protocols.LayoutGroups, Size: -1},
		Lines: func(yield func(protocols.Line, error) bool) {
			for i := range servers {
				if i > 0 {
					if !yield(text(""), nil) {
						return
					}
					s = q.next()
				}
				if ctx.Err() != nil {
					yield(protocols.Line{}, context.Cause(ctx))
					return
				}
				for _, line := range s.lines {
					if !yield(line, nil) {
						return
					}
				}
			}
		},
		Closer: end,
	}, nil
}

// newsWait is the time after which sections are shown in the order of their arrival.
const newsWait = 2 * time.Second

// newsQueue returns sections in the order of their servers.
type newsQueue struct {
	arrived chan newsSection
	limit   <-chan time.Time
	late    bool // limit has fired, so next no longer waits for earlier servers
	known   []newsSection
	waiting []int // servers whose sections have not been shown, in order
}

// next waits for the next section. Until limit fires, sections come in the order of their servers, and
// afterwards in the order of their arrival.
func (q *newsQueue) next() newsSection {
	for {
		for n, server := range q.waiting {
			i := slices.IndexFunc(q.known, func(s newsSection) bool { return s.server == server })
			if i >= 0 {
				q.waiting = slices.Delete(q.waiting, n, n+1)
				return q.known[i]
			}
			if !q.late {
				break
			}
		}
		select {
		case s := <-q.arrived:
			q.known = append(q.known, s)
		case <-q.limit:
			q.late = true
		}
	}
}

// fetchGroups asks a server for the subscribed groups. If the server may use TLS, fetchGroups tries
// TLS first. A server without TLS ends this attempt at once by sending its greeting.
func (s *NewsServer) fetchGroups(ctx context.Context) (iter.Seq2[protocols.Line, error], error) {
	if s.MaybeTLS {
		secure := s.All
		secure.Secure = true
		groups, err := s.Groups(ctx, secure)
		if r := protocols.ReasonOf(err); r != protocols.Insecure && r != protocols.Broken {
			s.All = secure
			return groups, err
		}
	}
	return s.Groups(ctx, s.All)
}

// fetchSection asks a server for the lines of its section.
func (s *NewsServer) fetchSection(ctx context.Context, named bool) (section newsSection) {
	add := func(lines ...protocols.Line) { section.lines = append(section.lines, lines...) }
	if named {
		add(heading(s.title()))
	}
	none := true
	groups, err := s.fetchGroups(ctx)
	if section.err = err; groups != nil {
		for line, err := range groups {
			if section.err = err; err != nil {
				break
			}
			none = false
			add(line)
		}
	}
	var fresh []protocols.Line
	var since time.Time
	if section.err == nil {
		fresh, since, section.err = s.New(ctx, s.All)
		if none && protocols.QuestionOf(section.err) == nil { // a user without subscribed groups may have no news server
			section.err = nil
		}
	}
	switch {
	case protocols.QuestionOf(section.err) != nil:
		title := "Log in to see the unread articles"
		if confirm := new(protocols.Confirm); errors.As(section.err, &confirm) {
			title = "To see the unread articles: " + confirm.Question + "?"
		}
		add(link(title, s.All))
		return section
	case section.err != nil:
		add(failure("The unread articles are not known", section.err))
	case none:
		add(text("You have not subscribed to any group."),
			protocols.Line{Text: "Select a group in the list of groups and subscribe to it", Note: protocols.ActionFollow})
	}
	if len(fresh) > 0 {
		title := "New groups since " + since.Local().Format("2 January 2006")
		add(text(""), protocols.Line{Kind: protocols.Heading, Text: title, Note: protocols.ActionFollow})
		add(fresh...)
	}
	add(link("All groups of "+s.title(), s.All))
	return section
}
