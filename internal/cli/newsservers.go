package cli

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

// fileOfServer matches the newsrc file of a server that a URL names; see newNewsFiles.
var fileOfServer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.newsrc-([A-Za-z0-9][A-Za-z0-9.-]*?)(?:_([0-9]{1,5}))?$`)
})

// Servers returns the servers with a newsrc file that has a subscribed group.
func (f *newsFiles) Servers() []urlcore.News {
	return slices.DeleteFunc(f.known(), func(server urlcore.News) bool {
		file, err := f.File(server)
		return err != nil || !slices.ContainsFunc(file.Groups(), func(g newsrc.Group) bool { return g.Subscribed })
	})
}

// known returns the servers that have a newsrc file by their names.
func (f *newsFiles) known() (servers []urlcore.News) {
	entries, _ := os.ReadDir(f.home) // sorted; none without a folder
	for _, e := range entries {
		name := fileOfServer().FindStringSubmatch(e.Name())
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

const maxNewsTimes = 64 << 10 // bounds the file of times

// newsTimes are the lines of the file of times: "host:port" and the time.
func newsTimes() userfile.Entries {
	return userfile.Entries{Max: 1000, Size: maxNewsTimes, Key: func(line []byte) (string, bool) {
		name, _, ok := strings.Cut(string(line), " ")
		return name, ok && !strings.HasPrefix(name, "#")
	}}
}

// nameOf is the server's name in the file of times; "" for one that has none.
func (f *newsFiles) nameOf(server urlcore.URL) string {
	name := f.serverOf(server)
	switch {
	case f.times == "" || strings.HasPrefix(name, inMemory):
		return ""
	case name == "":
		return cmp.Or(f.server, "default")
	}
	return name
}

// readTimes reads the file of times.
func (f *newsFiles) readTimes() map[string]time.Time {
	times := make(map[string]time.Time)
	data, _ := userfile.Read(f.times, 2*maxNewsTimes)
	for line := range bytes.Lines(data) {
		if name, ok := newsTimes().Key(line); ok {
			_, at, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			times[name], _ = time.Parse(time.RFC3339, at)
		}
	}
	return times
}

// Since returns when the server, by its clock, was asked in an earlier run.
func (f *newsFiles) Since(server urlcore.URL) time.Time { return f.since()[f.nameOf(server)] }

// Asked notes when the server was asked. Since does not change in this run.
func (f *newsFiles) Asked(server urlcore.URL, at time.Time) error {
	name := f.nameOf(server)
	f.since()
	if name == "" || f.silent != nil && f.silent() {
		return nil
	}
	return userfile.Change(f.times, 2*maxNewsTimes, func(old []byte) ([]byte, error) {
		return newsTimes().Set(old, name, name+" "+at.UTC().Format(time.RFC3339)+"\n"), nil
	})
}
