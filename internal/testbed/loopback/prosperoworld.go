package loopback

import (
	"fmt"
	"io/fs"
	"net"
	"strings"
)

// fillProspero fills the Prospero server of the world.
func (w *World) fillProspero(files fs.FS) error {
	w.offer(w.Prospero.URL(""), "A Prospero directory")
	w.prosperoLinks()
	return w.prosperoTexts(files)
}

// prosperoList is a directory that is being written.
type prosperoList struct{ strings.Builder }

func (l *prosperoList) link(kind, target, name, addr, hsoname string, attributes ...string) {
	fmt.Fprintf(l, "LINK  %s %s %s %s ASCII %s 0\n", kind, target, prosperoQuoted(name), prosperoHost(addr), prosperoQuoted(hsoname))
	for _, a := range attributes {
		l.WriteString("ATTRIBUTE " + a + "\n")
	}
}

// prosperoLinks makes the root, which union links merge with a directory of texts and a
// directory of links to the other servers, and a directory of many links.
func (w *World) prosperoLinks() {
	own := w.Prospero.Addr()
	var root, elsewhere, many prosperoList
	root.link("L", "DIRECTORY", "many", own, "/pros/many", "LINK FIELD MENU-ITEM-DESCRIPTION 'a thousand links'")
	root.link("U", "DIRECTORY", "texts", own, "/pros/texts")
	root.link("U", "DIRECTORY", "elsewhere", own, "/pros/elsewhere")
	root.link("L", "SYMBOLIC", "home", "demo-system:0", "/home")
	root.link("L", "NULL", "private", own, "/pros/private")
	w.Prospero.Directory("", root.String())

	elsewhere.link("L", "EXTERNAL", "gopher hole", w.Gopher.Addr(), "", "CACHED FIELD ACCESS-METHOD GOPHER '' '' ASCII '' 1")
	elsewhere.link("L", "EXTERNAL", "read me.txt", w.FTP.Addr(), "/README", "CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' TEXT")
	elsewhere.link("L", "EXTERNAL", "session", w.Telnet.Addr(), "", "CACHED FIELD ACCESS-METHOD TELNET '' '' '' '' 'type help'")
	elsewhere.link("L", "EXTERNAL", "local file", own, "/etc/motd", "CACHED FIELD ACCESS-METHOD LOCAL '' '' '' ''")
	elsewhere.link("L", "DIRECTORY", "filtered", own, "/pros/many", "LINK FIELD FILTER FILTER DIRECTORY POST SERVER PREDEFINED short ARGS 10")
	w.Prospero.Directory("/pros/elsewhere", elsewhere.String())

	for i := range 1000 {
		many.link("L", "DIRECTORY", fmt.Sprintf("link-%04d", i), own, "")
	}
	w.Prospero.Directory("/pros/many", many.String())
}

// prosperoTexts serves texts of the world, which the FTP server has too.
func (w *World) prosperoTexts(files fs.FS) error {
	const folder = "gopher/library/history"
	texts, err := fs.ReadDir(files, folder)
	if err != nil {
		return err
	}
	var list prosperoList
	for _, e := range texts {
		data, err := fs.ReadFile(files, folder+"/"+e.Name())
		if err != nil || strings.Contains(string(data), "@") || e.Name() == "gophermap" {
			continue
		}
		object := "/pros/texts/" + e.Name()
		w.Prospero.Contents(object, data)
		list.link("L", "FILE", e.Name(), w.Prospero.Addr(), object,
			fmt.Sprintf("OBJECT INTRINSIC SIZE SEQUENCE %d' bytes'", len(data)),
			"OBJECT INTRINSIC LAST-MODIFIED SEQUENCE "+worldDate.Format("20060102150405Z"),
			"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''",
			"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP "+prosperoHost(w.FTP.Addr())+" ASCII "+prosperoQuoted("/pub/texts/"+e.Name())+" BINARY")
	}
	w.Prospero.Directory("/pros/texts", list.String())
	return nil
}

// prosperoHost is host:port as Prospero writes it, with the host type; port 0 is
// a virtual system.
func prosperoHost(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if port == "0" {
		return "VIRTUAL-SYSTEM " + host
	}
	return "INTERNET-D " + host + "(" + port + ")"
}
