package realserver

import (
	"bytes"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Leafnode returns leafnode, which knows neither CAPABILITIES nor logins. It has
// fetched [SmallGroups] from [Nnrpd], which numbers begin at 2; of the others it
// has an article that says so.
func Leafnode(t testing.TB) *Server {
	t.Helper()
	return need(t, leafnode)
}

// Sn returns sn, which knows neither CAPABILITIES nor OVER. It has [SmallGroups]
// only, whose numbers begin at 10.
var Sn = daemon(startSn)

// SmallGroups are the groups of small servers.
func SmallGroups() []string {
	return []string{"test.general", "test.threads", "test.mime", "test.charset", "test.headers"}
}

const leafnodeConf = "expire = 20000\nmaxage = 20000\nhostname = leafnode.test.home.arpa\nserver = %s\nport = %s\n"

func startLeafnode() (_ *Server, err error) {
	const program = "usr/sbin/leafnode"
	prefix, err := find("leafnode", program)
	if err != nil {
		return nil, err
	}
	upstream, err := inn()
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("leafnode")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	host, port, err := net.SplitHostPort(upstream.reader.Addr)
	if err != nil {
		return nil, err
	}
	t := tree{root: n.dir}
	t.file("etc/news/leafnode/config", fmt.Sprintf(leafnodeConf, host, port))
	t.own("etc/news/leafnode/config", news)
	t.chmod("etc/news/leafnode/config", 0o600)
	const spool = "var/spool/news"
	folders := []string{"", "/leaf.node", "/message.id", "/interesting.groups", "/failed.postings", "/out.going", "/temp.files"}
	for i := range 1000 {
		folders = append(folders, fmt.Sprintf("/message.id/%03d", i))
	}
	for _, name := range folders {
		t.dir(spool + name)
		t.own(spool+name, news)
	}
	for _, name := range SmallGroups() {
		t.file(spool+"/interesting.groups/"+name, "")
		t.own(spool+"/interesting.groups/"+name, news)
	}
	if t.err != nil {
		return nil, t.err
	}
	// Its files have fixed places, which the machine need not have.
	if err := n.run(n.command(root, "/bin/sh", "-ec", `mount --bind "$0/etc" /etc; mount --bind "$0/var/spool" /var/spool`, n.dir)); err != nil {
		return nil, err
	}
	for range 2 { // the first learns the groups, the second fetches the articles
		if err := n.run(n.command(news, filepath.Join(prefix, "usr/sbin/fetchnews"), "-w", "-n")); err != nil {
			return nil, err
		}
	}
	s := &Server{Name: "leafnode", ns: n}
	addr, err := n.serve(func(string) *exec.Cmd { return n.command(news, filepath.Join(prefix, program)) })
	if err != nil {
		return nil, err
	}
	return s, s.at(addr)
}

func startSn() (_ *Server, err error) {
	const bin = "usr/sbin"
	prefix, err := find("sn", bin+"/snntpd.bin")
	if err != nil {
		return nil, err
	}
	n, err := newNamespace("sn")
	if err != nil {
		return nil, err
	}
	defer n.stopIf(&err)
	t := tree{root: n.dir}
	t.dir("sn")
	t.own("sn", news)
	if t.err != nil {
		return nil, t.err
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := n.command(news, append([]string{filepath.Join(prefix, bin, name)}, args...)...)
		cmd.Env = append(cmd.Env, "SNROOT="+filepath.Join(n.dir, "sn"), "PATH="+filepath.Join(prefix, bin)+":/usr/bin:/bin", "POSTING_OK=")
		return cmd
	}
	descriptions := map[string]string{}
	for _, g := range Groups() {
		descriptions[g.Name] = g.Description
	}
	for _, name := range append(SmallGroups(), "test.empty") {
		if err := n.run(command("snnewgroup", name)); err != nil {
			return nil, err
		}
		t.file("sn/"+name+"/.info", descriptions[name]+"\n")
	}
	var articles bytes.Buffer
	for _, a := range Articles() {
		if slices.Contains(SmallGroups(), a.Group) {
			articles.WriteString(a.Header + "\r\n" + strings.ReplaceAll("\n"+a.Body, "\n.", "\n..")[1:] + ".\r\n")
		}
	}
	store := command("snstore")
	store.Stdin = &articles
	if err := n.run(store); err != nil || t.err != nil {
		return nil, fmt.Errorf("snstore: %w, %w", err, t.err)
	}
	s := &Server{Name: "sn", ns: n}
	addr, err := n.serve(func(string) *exec.Cmd { return command("snntpd.bin") })
	if err != nil {
		return nil, err
	}
	return s, s.at(addr)
}
