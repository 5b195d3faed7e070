package app

import (
	"bytes"
	"cmp"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gofer/internal/usenet/newsrc"
	"gofer/internal/userfile"
	"gofer/urlcore"
)

// newsrcName matches the names of newsrc files, except the file of the default server (see newNewsFiles).
var newsrcName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.newsrc-([A-Za-z0-9][A-Za-z0-9.-]*?)(?:_([0-9]{1,5}))?$`)
})

// subscribedServers returns the servers whose newsrc file has a subscribed group.
func (f *newsFiles) subscribedServers() []urlcore.News {
	return slices.DeleteFunc(f.serversWithFile(), func(server urlcore.News) bool {
		file, err := f.File(server)
		return err != nil || !slices.ContainsFunc(file.Groups(), func(g newsrc.Group) bool { return g.Subscribed })
	})
}

// serversWithFile returns the servers that have a newsrc file, except the default server.
func (f *newsFiles) serversWithFile() (servers []urlcore.News) {
	entries, _ := os.ReadDir(f.home) // sorted; empty after an error
	for _, e := range entries {
		name := newsrcName().FindStringSubmatch(e.Name())
		if name == nil || strings.HasSuffix(name[1], "-lock") || name[1] == "lock" {
			continue
		}
		u := urlcore.News{HostPort: urlcore.HostPort{Host: name[1]}, Group: "*"}
		if port, err := strconv.ParseUint(name[2], 10, 16); err == nil {
			u.Port, u.Secure = uint16(port), port == 563
		}
		c, err := urlcore.Canon(u)
		server, ok := c.(urlcore.News)
		if err == nil && ok && f.serverOf(server) != "" {
			servers = append(servers, server)
		}
	}
	return servers
}

const maxNewsTimes = 64 << 10 // bounds the times file, in octets

// timesFormat returns the format of the lines of the times file: "host:port" and a time.
func timesFormat() userfile.Entries {
	return userfile.Entries{Max: 1000, Size: maxNewsTimes, Key: func(line []byte) (string, bool) {
		name, _, ok := strings.Cut(string(line), " ")
		return name, ok && !strings.HasPrefix(name, "#")
	}}
}

// timesKey returns the server's name in the times file. It returns "" if there is no times file, or if the
// server belongs to about:demo.
func (f *newsFiles) timesKey(server urlcore.URL) string {
	name := f.serverOf(server)
	switch {
	case f.timesFile == "" || strings.HasPrefix(name, memoryPrefix):
		return ""
	case name == "":
		return cmp.Or(f.server, "default")
	}
	return name
}

// readTimes reads the times file.
func (f *newsFiles) readTimes() map[string]time.Time {
	times := make(map[string]time.Time)
	data, _ := userfile.Read(f.timesFile, 2*maxNewsTimes)
	for line := range bytes.Lines(data) {
		if name, ok := timesFormat().Key(line); ok {
			_, stamp, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			times[name], _ = time.Parse(time.RFC3339, stamp)
		}
	}
	return times
}

// lastRequest returns the time of the last request for new groups in an earlier run, by the server's clock.
func (f *newsFiles) lastRequest(server urlcore.URL) time.Time {
	return f.lastTimes()[f.timesKey(server)]
}

// recordRequest writes the time of a request to the times file. lastRequest still returns the old time.
func (f *newsFiles) recordRequest(server urlcore.URL, requestTime time.Time) error {
	name := f.timesKey(server)
	f.lastTimes()
	if name == "" || f.isPrivate != nil && f.isPrivate() {
		return nil
	}
	return userfile.Change(f.timesFile, 2*maxNewsTimes, func(old []byte) ([]byte, error) {
		return timesFormat().Set(old, name, name+" "+requestTime.UTC().Format(time.RFC3339)+"\n"), nil
	})
}
