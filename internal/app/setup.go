package app

import (
	"context"
	"iter"

	"gofer/history"
	"gofer/history/bookmarks"
	"gofer/internal/pages/about"
	"gofer/internal/program/opener"
	"gofer/internal/transfer/download"
	"gofer/internal/transfer/keep"
	"gofer/internal/userfile/cache"
	"gofer/internal/userfile/config"
	"gofer/internal/wire"
	"gofer/internal/wire/identities"
	"gofer/protocols"
	"gofer/urlcore"
)

// Setup is the input for building the fetchers and gofer's own pages.
type Setup struct {
	Version     string
	Config      config.Config
	Offline     bool                   // make no connections
	TrustEnd    bool                   // the flag --trust-end, see [Setup.TrustsEnd]
	FileTypes   map[urlcore.URL]string // media types that the user gave for files of this machine
	InDemo      bool                   // gofer demo is running, which has its own settings
	ConfigError error                  // errors in the settings, or nil
	Visits      *history.Store         // nil in restricted mode
	Habits      ServerHabits           // what clients have learned of servers
	Getenv      func(string) string
	Dirs        config.Folders                                           // the folders of the user's files; empty in restricted mode
	Pins        wire.Pins                                                // certificates that the user trusts
	Identities  *identities.Store                                        // the certificates by which servers know the user
	Memory      *wire.Memory                                             // logins and consents of this run; nil: each client has a separate Memory
	Programs    *opener.Programs                                         // programs that open URLs and files that gofer cannot show
	Bookmarks   *bookmarks.Store                                         // nil if there is no folder for them or the settings hide them
	Copies      *cache.Store                                             // copies of pages, articles and overviews
	OldCopies   *cache.Store                                             // copies of pages that are shown although no new ones are kept; nil: Copies
	Network     *keep.Network                                            // whether the network is down
	Downloads   *download.Manager                                        // the downloads of this program
	CheckPost   func() error                                             // returns an error if articles must not be posted
	LastSession func() (int, bool)                                       // returns the number of tabs of the last session, and whether it crashed
	MarkRead    func(u urlcore.URL, numbers []protocols.Crosspost) error // records that articles of the server of u were read
	Locals      wire.Locals                                              // the servers of the demo
	IsPrivate   func() bool                                              // reports whether private mode is on; nil: it is not
	StartDemo   func(context.Context) (about.Demo, error)                // starts the demo at the first call

	// Open fetches other URLs for a scheme, and AskPort asks about the port of a data connection, see [portguard.Guard.DataPort].
	Open    *protocols.Guarded
	AskPort func(addr string, port uint16, sends bool) error

	news *newsFiles
}

// TrustsEnd implements [wire.Ends].
func (s *Setup) TrustsEnd(addr string) bool {
	return s.TrustEnd || config.HostSetting(&s.Config, addr, func(h config.Host) bool { return h.TrustEnd })
}

// IsAnonymous reports whether servers must not learn which account of this machine asks: in restricted and in private mode.
func (s *Setup) IsAnonymous() bool {
	return s.Config.Restrict.Enabled || s.IsPrivate != nil && s.IsPrivate()
}

// World is the set of running servers of the demo.
type World interface {
	StartURL() string                // the URL of the first page
	TourURL() string                 // the URL of the tour
	URLs() iter.Seq2[string, string] // start URLs and their titles
	NewsServer() string              // the "host:port" for news: URLs
	wire.Locals                      // the addresses where its servers listen
	Close() error
}
