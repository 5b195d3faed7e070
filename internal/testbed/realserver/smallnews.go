package realserver

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Leafnode returns leafnode, which supports neither CAPABILITIES nor logins. It has fetched
// [SmallGroups] from [Nnrpd] and numbers their articles from 2. Each other group has one article
// that explains that the group is not fetched yet.
var Leafnode = sharedDaemon(startLeafnode)

// Sn returns sn, which supports neither CAPABILITIES nor OVER. It has [SmallGroups], whose articles
// it numbers from 10, and the group test.empty.
var Sn = sharedDaemon(startSn)

// SmallGroups returns the names of the groups on the small servers.
func SmallGroups() []string {
	return []string{"test.general", "test.threads", "test.mime", "test.charset", "test.headers"}
}

const leafnodeConf = "expire = 20000\nmaxage = 20000\nhostname = leafnode.test.home.arpa\nserver = %s\nport = %d\n"

func startLeafnode() (*Server, error) {
	const program = "usr/sbin/leafnode"
	return launch("leafnode", program, func(s *Server, n *namespace) error {
		upstream, err := nnrpd()
		if err != nil {
			return err
		}
		n.writeText("etc/news/leafnode/config", fmt.Sprintf(leafnodeConf, upstream.Host, upstream.Port))
		n.chown("etc/news/leafnode/config", news)
		n.chmod("etc/news/leafnode/config", 0o600)
		const spool = "var/spool/news"
		folders := []string{"", "/leaf.node", "/message.id", "/interesting.groups", "/failed.postings", "/out.going", "/temp.files"}
		for i := range 1000 {
			folders = append(folders, fmt.Sprintf("/message.id/%03d", i))
		}
		for _, name := range folders {
			n.mkdir(spool + name)
			n.chown(spool+name, news)
		}
		for _, name := range SmallGroups() {
			n.writeText(spool+"/interesting.groups/"+name, "")
			n.chown(spool+"/interesting.groups/"+name, news)
		}
		// Leafnode uses fixed paths, which the machine need not have.
		n.run(n.command(root, "/bin/sh", "-ec", `mount --bind "$0/etc" /etc; mount --bind "$0/var/spool" /var/spool`, n.dir))
		for range 2 { // the first run fetches the list of groups, the second the articles
			n.run(n.command(news, n.daemonPath("usr/sbin/fetchnews"), "-w", "-n"))
		}
		return s.serveAsInetd(func(string) *exec.Cmd { return n.command(news, n.daemonPath(program)) })
	})
}

func startSn() (*Server, error) {
	const bin = "usr/sbin"
	return launch("sn", bin+"/snntpd.bin", func(s *Server, n *namespace) error {
		n.mkdir("sn")
		n.chown("sn", news)
		command := func(name string, args ...string) *exec.Cmd {
			cmd := n.command(news, append([]string{n.daemonPath(bin + "/" + name)}, args...)...)
			cmd.Env = append(cmd.Env, "SNROOT="+n.path("sn"), "PATH="+n.daemonPath(bin)+":/usr/bin:/bin", "POSTING_OK=")
			return cmd
		}
		for _, g := range Groups() {
			if slices.Contains(SmallGroups(), g.Name) || g.Name == "test.empty" {
				n.run(command("snnewgroup", g.Name))
				n.writeText("sn/"+g.Name+"/.info", g.Description+"\n")
			}
		}
		var articles bytes.Buffer
		for _, a := range Articles() {
			if slices.Contains(SmallGroups(), a.Group) {
				articles.WriteString(a.Header + "\r\n" + strings.ReplaceAll("\n"+a.Body, "\n.", "\n..")[1:] + ".\r\n")
			}
		}
		store := command("snstore")
		store.Stdin = &articles
		n.run(store)
		return s.serveAsInetd(func(string) *exec.Cmd { return command("snntpd.bin") })
	})
}
