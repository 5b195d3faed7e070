package demo

import (
	"crypto/ed25519"
	"crypto/rand"
	"io"
	"io/fs"
	"net"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"github.com/spf13/afero"
	"golang.org/x/crypto/ssh"
)

// sshLoginTime is the limit for a login.
const sshLoginTime = 30 * time.Second

// SFTPServer is an SSH server on a free port of 127.0.0.1. It serves a read-only file tree by SFTP to every user, without a
// password. Its key is new in each run.
type SFTPServer struct {
	server
	root   afero.Fs
	config ssh.ServerConfig
}

// StartSFTP starts a server of root; Close stops it. File names in root begin with a slash.
func StartSFTP(root afero.Fs) (*SFTPServer, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.NewSignerFromKey(key)
	if err != nil {
		return nil, err
	}
	s := &SFTPServer{root: root, config: ssh.ServerConfig{NoClientAuth: true, ServerVersion: "SSH-2.0-gofer"}}
	s.config.AddHostKey(signer)
	return s, s.start(s.serve)
}

// URL returns the URL of the server's root directory.
func (s *SFTPServer) URL() string { return "sftp://" + FTPUser + "@" + s.hostInURLs() + "/;type=d" }

func (s *SFTPServer) serve(c net.Conn) {
	_ = c.SetDeadline(time.Now().Add(sshLoginTime))
	_, channels, requests, err := ssh.NewServerConn(c, &s.config)
	if err != nil {
		return
	}
	_ = c.SetDeadline(time.Time{})
	go ssh.DiscardRequests(requests)
	for opening := range channels {
		if opening.ChannelType() != "session" {
			_ = opening.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		ch, requests, err := opening.Accept()
		if err != nil {
			return
		}
		s.running.Go(func() { s.serveSession(ch, requests) })
	}
}

// serveSession serves the subsystem "sftp" and nothing else.
func (s *SFTPServer) serveSession(ch ssh.Channel, requests <-chan *ssh.Request) {
	defer ch.Close()
	for r := range requests {
		isSFTP := r.Type == "subsystem" && string(r.Payload) == "\x00\x00\x00\x04sftp"
		_ = r.Reply(isSFTP, nil)
		if isSFTP {
			go ssh.DiscardRequests(requests)
			tree := sftpTree{s.root}
			_ = sftp.NewRequestServer(ch, sftp.Handlers{FileGet: tree, FilePut: tree, FileCmd: tree, FileList: tree}).Serve()
			return
		}
	}
}

// sftpTree implements the handlers of the module.
type sftpTree struct{ root afero.Fs }

func (t sftpTree) Fileread(r *sftp.Request) (io.ReaderAt, error) {
	if info, err := t.root.Stat(r.Filepath); err == nil && info.IsDir() {
		return nil, sftp.ErrSSHFxFailure
	}
	file, err := t.root.Open(r.Filepath)
	return &sftpFile{File: file}, err
}

// sftpFile is a file whose pieces are requested at the same time. A file of afero is read by one goroutine.
type sftpFile struct {
	afero.File
	mu sync.Mutex
}

func (f *sftpFile) ReadAt(p []byte, offset int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.ReadAt(p, offset)
}

func (sftpTree) Filewrite(*sftp.Request) (io.WriterAt, error) {
	return nil, sftp.ErrSSHFxPermissionDenied
}

func (sftpTree) Filecmd(*sftp.Request) error { return sftp.ErrSSHFxPermissionDenied }

func (t sftpTree) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	switch r.Method {
	case "List":
		infos, err := afero.ReadDir(t.root, r.Filepath)
		return sftpList(infos), err
	case "Stat":
		info, err := t.root.Stat(r.Filepath)
		return sftpList{info}, err
	}
	return nil, sftp.ErrSSHFxOpUnsupported
}

// sftpList is a list of entries.
type sftpList []fs.FileInfo

func (l sftpList) ListAt(entries []fs.FileInfo, at int64) (int, error) {
	if at >= int64(len(l)) {
		return 0, io.EOF
	}
	n := copy(entries, l[at:])
	if n < len(entries) {
		return n, io.EOF
	}
	return n, nil
}
