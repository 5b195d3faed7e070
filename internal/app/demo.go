package app

import (
	"cmp"
	"os"

	"gofer/internal/userfile/config"
	"gofer/urlcore"
)

// DemoHost is the host name of the demo's servers. The top-level domain "test" is reserved (RFC
// 6761, section 6.2), so no other host has the name.
const DemoHost = "demo.gofer.test"

// demoServers are the servers of a demo that runs in this program.
type demoServers struct {
	World
	temporary bool // the demo of about:demo: visits and tabs are not saved, because its servers end with this run
}

// useDemoSettings sets the settings that the demo has its own value for, by the tag demo: the news server, and no
// paths of the score file and of the file for posted articles. It also gives post.from a default.
func useDemoSettings(c *config.Config, world World) {
	c.NewsServer, c.ScoreFile, c.Post.Sent = world.NewsServer(), "", ""
	c.Post.From = cmp.Or(c.Post.From, c.Mail.From, "You <you@"+DemoHost+">")
}

// includes reports whether u is a URL of the demo.
func (d *demoServers) includes(u urlcore.URL) bool {
	if d == nil {
		return false
	}
	addr, ok := urlcore.Addr(u)
	_, isDemo := d.ListenAddr(addr)
	return isDemo || ok && addr == "" && !d.temporary // a news: URL for the news server of gofer demo
}

// isTemporary reports whether u is a URL of a demo whose visits are not saved.
func (d *demoServers) isTemporary(u urlcore.URL) bool {
	return d != nil && d.temporary && d.includes(u)
}

// canCreateFiles reports whether a file can be created in folder. It makes the folder if necessary.
func canCreateFiles(folder string) bool {
	if os.MkdirAll(folder, 0o700) != nil {
		return false
	}
	f, err := os.CreateTemp(folder, ".*")
	if err == nil {
		_ = f.Close()
		err = os.Remove(f.Name())
	}
	return err == nil
}
