package demo

import (
	"fmt"
	"io/fs"
	"net"
	"strings"
)

// fillProspero adds the directories and objects of the World's Prospero server.
func (w *World) fillProspero(files fs.FS) error {
	w.addStartPage(w.Prospero.URL(""), "A Prospero directory")
	w.addProsperoLinks()
	return w.addProsperoTexts(files)
}

// prosperoList builds the reply to LIST for a directory.
type prosperoList struct{ strings.Builder }

func (l *prosperoList) addLink(kind, target, name, addr, hsoname string, attributes ...string) {
	fmt.Fprintf(l, "LINK  %s %s %s %s ASCII %s 0\n", kind, target, quoteProspero(name), prosperoHost(addr), quoteProspero(hsoname))
	for _, a := range attributes {
		l.WriteString("ATTRIBUTE " + a + "\n")
	}
}

// addProsperoLinks adds the root and two of the directories that it links to. The directory
// "elsewhere" has links to other servers, and a union link merges it into the root. The directory
// "many" has a thousand links.
func (w *World) addProsperoLinks() {
	self := w.Prospero.Addr()
	var root, elsewhere, many prosperoList
	root.addLink("L", "DIRECTORY", "many", self, "/pros/many", "LINK FIELD MENU-ITEM-DESCRIPTION 'a thousand links'")
	root.addLink("U", "DIRECTORY", "texts", self, "/pros/texts")
	root.addLink("U", "DIRECTORY", "elsewhere", self, "/pros/elsewhere")
	root.addLink("L", "SYMBOLIC", "home", "demo-system:0", "/home")
	root.addLink("L", "NULL", "private", self, "/pros/private")
	w.Prospero.SetDirectory("", root.String())

	elsewhere.addLink("L", "EXTERNAL", "gopher hole", w.Gopher.Addr(), "", "CACHED FIELD ACCESS-METHOD GOPHER '' '' ASCII '' 1")
	elsewhere.addLink("L", "EXTERNAL", "read me.txt", w.FTP.Addr(), "/README", "CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' TEXT")
	elsewhere.addLink("L", "EXTERNAL", "session", w.Telnet.Addr(), "", "CACHED FIELD ACCESS-METHOD TELNET '' '' '' '' 'type help'")
	elsewhere.addLink("L", "EXTERNAL", "local file", self, "/etc/motd", "CACHED FIELD ACCESS-METHOD LOCAL '' '' '' ''")
	elsewhere.addLink("L", "DIRECTORY", "filtered", self, "/pros/many", "LINK FIELD FILTER FILTER DIRECTORY POST SERVER PREDEFINED short ARGS 10")
	w.Prospero.SetDirectory("/pros/elsewhere", elsewhere.String())

	for i := range 1000 {
		many.addLink("L", "DIRECTORY", fmt.Sprintf("link-%04d", i), self, "")
	}
	w.Prospero.SetDirectory("/pros/many", many.String())
}

// addProsperoTexts adds a directory of texts that the FTP server has too.
func (w *World) addProsperoTexts(files fs.FS) error {
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
		w.Prospero.SetContents(object, data)
		list.addLink("L", "FILE", e.Name(), w.Prospero.Addr(), object,
			fmt.Sprintf("OBJECT INTRINSIC SIZE SEQUENCE %d' bytes'", len(data)),
			"OBJECT INTRINSIC LAST-MODIFIED SEQUENCE "+worldDate.Format("20060102150405Z"),
			"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''",
			"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP "+prosperoHost(w.FTP.Addr())+" ASCII "+quoteProspero("/pub/texts/"+e.Name())+" BINARY")
	}
	w.Prospero.SetDirectory("/pros/texts", list.String())
	return nil
}

// prosperoHost returns addr, a host:port, in Prospero's syntax, with the host type. Port 0 marks a
// virtual system.
func prosperoHost(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if port == "0" {
		return "VIRTUAL-SYSTEM " + host
	}
	return "INTERNET-D " + host + "(" + port + ")"
}
