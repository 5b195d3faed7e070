package realserver

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Leafnode returns leafnode, which knows neither CAPABILITIES nor logins. It has
// fetched [SmallGroups] from [Nnrpd], which numbers begin at 2; of the others it
// has an article that says so.
var Leafnode = daemon(startLeafnode)

// Sn returns sn, which knows neither CAPABILITIES nor OVER. It has [SmallGroups]
// only, whose numbers begin at 10.
var Sn = daemon(startSn)

// SmallGroups are the groups of small servers.
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
		n.file("etc/news/leafnode/config", fmt.Sprintf(leafnodeConf, upstream.Host, upstream.Port))
		n.own("etc/news/leafnode/config", news)
		n.chmod("etc/news/leafnode/config", 0o600)
		const spool = "var/spool/news"
		folders := []string{"", "/leaf.node", "/message.id", "/interesting.groups", "/failed.postings", "/out.going", "/temp.files"}
		for i := range 1000 {
			folders = append(folders, fmt.Sprintf("/message.id/%03d", i))
		}
		for _, name := range folders {
			n.mkdir(spool + name)
			n.own(spool+name, news)
		}
		for _, name := range SmallGroups() {
			n.file(spool+"/interesting.groups/"+name, "")
			n.own(spool+"/interesting.groups/"+name, news)
		}
		// Its files have fixed places, which the machine need not have.
		n.run(n.command(root, "/bin/sh", "-ec", `mount --bind "$0/etc" /etc; mount --bind "$0/var/spool" /var/spool`, n.dir))
		for range 2 { // the first learns the groups, the second fetches the articles
			n.run(n.command(news, n.installed("usr/sbin/fetchnews"), "-w", "-n"))
		}
		return s.serve(func(string) *exec.Cmd { return n.command(news, n.installed(program)) })
	})
}

func startSn() (*Server, error) {
	const bin = "usr/sbin"
	return launch("sn", bin+"/snntpd.bin", func(s *Server, n *namespace) error {
		n.mkdir("sn")
		n.own("sn", news)
		command := func(name string, args ...string) *exec.Cmd {
			cmd := n.command(news, append([]string{n.installed(bin + "/" + name)}, args...)...)
			cmd.Env = append(cmd.Env, "SNROOT="+n.path("sn"), "PATH="+n.installed(bin)+":/usr/bin:/bin", "POSTING_OK=")
			return cmd
		}
		for _, g := range Groups() {
			if slices.Contains(SmallGroups(), g.Name) || g.Name == "test.empty" {
				n.run(command("snnewgroup", g.Name))
				n.file("sn/"+g.Name+"/.info", g.Description+"\n")
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
		return s.serve(func(string) *exec.Cmd { return command("snntpd.bin") })
	})
}
