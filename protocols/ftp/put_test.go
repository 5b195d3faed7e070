package ftp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

func TestPut(t *testing.T) {
	content := strings.Repeat("0123456789abcdef", 10_000)
	for _, tt := range []struct {
		name         string
		f            *fake
		url          string // relative to the server
		up           protocols.Upload
		want         []string // last commands
		wantStored   string
		wantQuestion string // part of the question
		wantKept     string // "date", "mode" or both
		wantReason   protocols.Reason
		wantErr      string
	}{
		{
			name: "new", f: &fake{}, url: "d/a.txt",
			want: []string{"SIZE a.txt", "EPSV", "CWD a.txt", "STOR a.txt", "SIZE a.txt"}, wantStored: content,
		},
		{name: "over TLS", f: &fake{tls: selfSigned(t), requiresReuse: true}, url: "d/a.txt", wantStored: content},
		{
			name: "empty", f: &fake{tls: selfSigned(t)}, url: "a", up: protocols.Upload{Body: strings.NewReader("")},
			want: []string{"STOR a", "SIZE a"},
		},
		{
			name: "of unknown size", f: &fake{}, url: "a",
			up: protocols.Upload{Body: iotest.DataErrReader(strings.NewReader("abc")), Size: -1}, wantStored: "abc",
		},
		{name: "growing", f: &fake{}, url: "a", up: protocols.Upload{Body: strings.NewReader("abcdef"), Size: 4}, wantStored: "abcd"},
		{
			name: "exists", f: &fake{replies: map[string]string{"SIZE": "213 7"}}, url: "a",
			wantQuestion: `Replace "a" at`, want: []string{"SIZE a", "EPSV"},
		},
		{
			name: "exists, without SIZE",
			f:    &fake{replies: map[string]string{"SIZE": "502 no", "MDTM": "213 20250101000000"}}, url: "a",
			wantQuestion: `Replace "a" at`,
		},
		{
			name: "existence unknown", f: &fake{replies: map[string]string{"SIZE": "502 no", "MDTM": "502 no"}},
			url: "a", wantQuestion: `Replace "a" at`,
		},
		{
			name: "listed as new", f: &fake{replies: map[string]string{"SIZE": "502 no", "MDTM": "502 no"}},
			url: "a", up: protocols.Upload{Listed: true}, want: []string{"SIZE a", "EPSV", "MDTM a", "STOR a", "SIZE a"}, wantStored: content,
		},
		{
			name: "new since the listing", f: &fake{replies: map[string]string{"SIZE": "213 5"}},
			url: "a", up: protocols.Upload{Listed: true}, wantQuestion: `Replace "a" at`,
		},
		{
			name: "replaced", f: &fake{replies: map[string]string{"SIZE": "213 160000"}}, url: "a",
			up: protocols.Upload{Replace: true}, want: []string{"SIZE a", "EPSV", "STOR a", "SIZE a"}, wantStored: content,
		},
		{
			name: "resumed",
			f:    &fake{replies: map[string]string{"SIZE": "213 3", "REST": "350 go on"}, data: map[string]string{"RETR": "abc"}},
			url:  "a",
			up:   protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true},
			want: []string{"SIZE a", "EPSV", "RETR a", "REST 3", "STOR a", "SIZE a"}, wantStored: "def",
			wantReason: protocols.Broken, wantErr: "the server has 3 of 6 octets", // because the fake always sends the same reply to SIZE
		},
		{
			name: "empty part", f: &fake{replies: map[string]string{"SIZE": "213 0"}}, url: "a",
			up: protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true}, want: []string{"STOR a", "SIZE a"}, wantStored: "abcdef",
			wantReason: protocols.Broken, wantErr: "the server has 0 of 6 octets",
		},
		{
			name: "only the end of its own part is compared",
			f: &fake{
				replies: map[string]string{"SIZE": "213 150000", "REST": "350 go on"},
				data:    map[string]string{"RETR": content[:comparedOctets]},
			},
			url:  "a",
			up:   protocols.Upload{Body: strings.NewReader(content), Size: 160_000, Resume: true, Sent: 160_000},
			want: []string{"REST 145904", "RETR a", "REST 150000", "STOR a", "SIZE a"}, wantStored: content[150_000:],
			wantReason: protocols.Broken, wantErr: "has 150000 of 160000",
		},
		{
			name: "another file with the same end", url: "a",
			f:    &fake{replies: map[string]string{"SIZE": "213 150000", "REST": "350 go on"}, data: map[string]string{"RETR": "x" + content[1:150_000]}},
			up:   protocols.Upload{Body: strings.NewReader(content), Size: 160_000, Resume: true},
			want: []string{"SIZE a", "EPSV", "RETR a"}, wantQuestion: `Replace "a" at`,
		},
		{
			name: "another file", f: &fake{replies: map[string]string{"SIZE": "213 3"}, data: map[string]string{"RETR": "abx"}}, url: "a",
			up: protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true}, want: []string{"RETR a"}, wantQuestion: `Replace "a" at`,
		},
		{
			name: "another file, replaced", f: &fake{replies: map[string]string{"SIZE": "213 3"}, data: map[string]string{"RETR": "abx"}}, url: "a",
			up:   protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true, Replace: true},
			want: []string{"RETR a", "STOR a", "SIZE a"}, wantStored: "abcdef", wantReason: protocols.Broken, wantErr: "has 3 of 6",
		},
		{
			name: "part longer than sent", f: &fake{replies: map[string]string{"SIZE": "213 3"}}, url: "a",
			up:   protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true, Replace: true, Sent: 2},
			want: []string{"SIZE a", "EPSV", "STOR a", "SIZE a"}, wantStored: "abcdef", wantReason: protocols.Broken, wantErr: "has 3 of 6",
		},
		{
			name: "size of the file before the upload", f: &fake{replies: map[string]string{"SIZE": "213 3"}}, url: "a",
			up:   protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true, Replace: true, Sent: 4, SizeBefore: 3},
			want: []string{"SIZE a", "EPSV", "STOR a", "SIZE a"}, wantStored: "abcdef", wantReason: protocols.Broken, wantErr: "has 3 of 6",
		},
		{
			name: "part shorter than its SIZE",
			f:    &fake{replies: map[string]string{"SIZE": "213 3"}, data: map[string]string{"RETR": "ab"}}, url: "a",
			up: protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true}, want: []string{"RETR a"}, wantQuestion: `Replace "a" at`,
		},
		{
			name: "part longer than its SIZE",
			f:    &fake{replies: map[string]string{"SIZE": "213 3"}, data: map[string]string{"RETR": "abcdefg"}}, url: "a",
			up: protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true}, want: []string{"RETR a"},
			wantReason: protocols.NotSupported, wantErr: "received more",
		},
		{
			name: "part unreadable", f: &fake{replies: map[string]string{"SIZE": "213 3", "RETR": "550 Permission denied"}}, url: "a",
			up: protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true}, want: []string{"RETR a"},
			wantQuestion: `Append the rest to "a" at`,
		},
		{
			name: "part unreadable, yes",
			f:    &fake{replies: map[string]string{"SIZE": "213 3", "RETR": "550 Permission denied", "REST": "350 go on"}},
			url:  "a",
			up:   protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true, Replace: true},
			want: []string{"RETR a", "REST 3", "STOR a", "SIZE a"}, wantStored: "def", wantReason: protocols.Broken, wantErr: "has 3 of 6",
		},
		{
			name: "changed after the upload",
			f:    &fake{replies: map[string]string{"SIZE": "213 3", "MDTM": "213 20250101000000", "FEAT": "211-\r\n MDTM\r\n211 end"}},
			url:  "a",
			up:   protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true, Modified: time.Date(2025, 1, 1, 0, 0, 0, 1, time.UTC)},
			want: []string{"SIZE a", "MDTM a"}, wantQuestion: `Replace "a" at`,
		},
		{
			name: "not changed after the upload",
			f: &fake{
				replies: map[string]string{"SIZE": "213 3", "MDTM": "213 20250101000001", "FEAT": "211-\r\n MDTM\r\n211 end", "REST": "350 go on"},
				data:    map[string]string{"RETR": "abc"},
			},
			url: "a",
			up: protocols.Upload{
				Body: strings.NewReader("abcdef"), Size: 6, Resume: true,
				Modified: time.Date(2025, 1, 1, 0, 0, 0, 999_999_999, time.UTC),
			},
			want:       []string{"SIZE a", "MDTM a", "EPSV", "RETR a", "REST 3", "STOR a", "SIZE a", "MDTM 20250101000000 a"},
			wantStored: "def", wantReason: protocols.Broken, wantErr: "has 3 of 6",
		},
		{
			name: "date and mode",
			f:    &fake{replies: map[string]string{"FEAT": "211-\r\n MDTM\r\n MFMT\r\n211 end", "MFMT": "213 set", "SITE": "200 set"}},
			url:  "a",
			up: protocols.Upload{
				Modified: time.Date(2025, 1, 1, 1, 0, 0, 9, time.FixedZone("", 3600)), Mode: "640", Listed: true,
				Replace: true,
			},
			want:       []string{"PWD", "EPSV", "STOR a", "SIZE a", "MFMT 20250101000000 a", "SITE CHMOD 640 a"},
			wantStored: content, wantKept: "date mode",
		},
		{
			name: "by MFF",
			f: &fake{replies: map[string]string{
				"FEAT": "211-\r\n MFMT\r\n MFF modify;UNIX.mode;\r\n211 end", "MFMT": "550 no", "MFF": "213 set",
			}},
			url:  "a",
			up:   protocols.Upload{Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Mode: "4755"},
			want: []string{"STOR a", "SIZE a", "MFMT 20250101000000 a", "MFF UNIX.mode=4755; a"}, wantStored: content, wantKept: "mode",
		},
		{
			name: "neither date nor mode", f: &fake{}, url: "a",
			up:   protocols.Upload{Modified: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), Mode: "755"},
			want: []string{"STOR a", "SIZE a", "SITE CHMOD 755 a"}, wantStored: content,
		},
		{
			name: "blanks that the server replaces", f: &fake{}, url: "%20a", want: []string{"STOR  a", "SIZE  a"},
			wantStored: content, wantReason: protocols.Rejected, wantErr: "blanks",
		},
		{
			name: "a directory", f: &fake{replies: map[string]string{"CWD a": "250 in"}}, url: "a",
			wantReason: protocols.BadURL, wantErr: "end the URL with /",
		},
		{name: "no name", f: &fake{}, url: "d/", wantReason: protocols.BadURL},
		{name: "as text", f: &fake{}, url: "a;type=a", wantReason: protocols.Unsupported},
		{name: "no such directory", f: &fake{replies: map[string]string{"CWD": "550 no"}}, url: "d/a", wantReason: protocols.NotFound},
		{
			name: "refused", f: &fake{replies: map[string]string{"STOR": "553 Could not create file."}}, url: "a",
			wantReason: protocols.Denied, wantErr: "Could not create file",
		},
		{
			name: "disk full", f: &fake{finalReply: "552 quota"}, url: "a", wantReason: protocols.ServerFailed,
			wantErr: "may have an incomplete file", wantStored: content,
		},
		{
			name: "connection dropped", f: &fake{replies: map[string]string{"STOR": "150 send it!"}}, url: "a",
			up:         protocols.Upload{Body: bytes.NewReader(make([]byte, 10<<20)), Size: 10 << 20},
			wantReason: protocols.Broken, wantErr: "may have an incomplete file",
		},
		{
			name: "body too short", f: &fake{}, url: "a", up: protocols.Upload{Body: strings.NewReader("abc"), Size: 5},
			wantReason: protocols.LocalFailure, wantErr: "2 octets are missing; the server has an incomplete file",
			wantStored: "abc",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.f.replies == nil {
				tt.f.replies = map[string]string{}
			}
			if _, ok := tt.f.replies["CWD a"]; !ok {
				tt.f.replies["CWD a"], tt.f.replies["CWD a.txt"] = "550 no directory", "550 no directory"
				tt.f.replies["CWD  a"] = "550 no directory"
			}
			f := startFake(t, tt.f)
			up := tt.up
			if up.Body == nil {
				up.Body, up.Size = strings.NewReader(content), int64(len(content))
			}
			u := parse(t, f.url(tt.url))
			if up.Sent > 0 {
				up.Part = u
			}
			err := newClient(t).Put(t.Context(), u, &up)
			var confirm *protocols.Confirm
			switch {
			case tt.wantQuestion != "":
				if !errors.As(err, &confirm) || !strings.Contains(confirm.Question, tt.wantQuestion) || confirm.Consent != protocols.ConsentReplace {
					t.Fatalf("Put() = %v; want the question %q", err, tt.wantQuestion)
				}
				if body := up.Body.(*strings.Reader); int64(body.Len()) != body.Size() {
					t.Errorf("Put() has read the body before the question: %d octets are left", body.Len())
				}
				confirm.GiveConsent()
				if !up.Replace {
					t.Error("Replace is not set after the consent")
				}
			case tt.wantReason != protocols.Unknown:
				if protocols.ReasonOf(err) != tt.wantReason || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("Put() = %v; want reason %v and the text %q", err, tt.wantReason, tt.wantErr)
				}
			case err != nil:
				t.Errorf("Put() = %v", err)
			}
			var kept []string
			for what, is := range map[string]bool{"date": up.DateKept, "mode": up.ModeKept} {
				if is {
					kept = append(kept, what)
				}
			}
			slices.Sort(kept)
			fetchtest.Equal(t, strings.Join(kept, " "), tt.wantKept, "what is kept")
			f.mu.Lock()
			got := f.stored["STOR "+strings.ReplaceAll(tt.url[strings.LastIndexByte(tt.url, '/')+1:], "%20", " ")]
			f.mu.Unlock()
			if got != tt.wantStored {
				t.Errorf("the server stored %d octets %.20q, want %d octets %.20q", len(got), got, len(tt.wantStored), tt.wantStored)
			}
			if sent := f.commands(); len(sent) < len(tt.want) || !slices.Equal(sent[len(sent)-len(tt.want):], tt.want) {
				t.Errorf("sent %q, want %q at the end", sent, tt.want)
			}
		})
	}
}

// TestPutIncomplete stores a file whose body fails, or whose context ends, in the middle. The server must
// not take the file for complete.
func TestPutIncomplete(t *testing.T) {
	broken, stopped := errors.New("the disk failed"), errors.New("stopped")
	half := bytes.Repeat([]byte("x"), 200_000)
	for name, f := range map[string]*fake{"clear": {}, "TLS": {tls: selfSigned(t)}} {
		for _, cancel := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				f := startFake(t, &fake{tls: f.tls, storeErrs: make(chan error, 1), replies: map[string]string{"CWD a": "550 no"}})
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				end, want := iotest.ErrReader(broken), broken
				if cancel {
					end, want = readerFunc(func([]byte) (int, error) {
						stop(stopped)
						return copy(half, "x"), nil
					}), stopped
				}
				up := &protocols.Upload{Body: io.MultiReader(bytes.NewReader(half), end), Size: 10_000_000}
				c := newClient(t)
				if err := c.Put(ctx, parse(t, f.url("a")), up); !errors.Is(err, want) || !strings.Contains(err.Error(), "incomplete") {
					t.Errorf("Put() = %v; want %v and the word incomplete", err, want)
				}
				if err := <-f.storeErrs; err == nil {
					t.Error("the data connection ended in an orderly way, so the server takes the file for complete")
				}
				fetchtest.Equal(t, c.idle.Len(), 0, "kept connections")
			})
		}
	}
}

// TestPutResumedAgain checks that an upload sends the whole rest, or the whole file, when the connection over which it found a
// part is lost before the rest is sent.
func TestPutResumedAgain(t *testing.T) {
	for size, want := range map[string]string{"213 3": "def", "550 no": "abcdef"} {
		f := startFake(t, &fake{
			replies: map[string]string{"0 SIZE a": "213 3", "SIZE": size, "REST": "350 go on", "0 REST 3": "", "CWD": "550 no"},
			data:    map[string]string{"RETR": "abc"},
		})
		c := newClient(t)
		fetchtest.Must(getBody(t, c, f.url("other")))(t) // leaves a session for the upload
		err := c.Put(t.Context(), parse(t, f.url("a")), &protocols.Upload{Body: strings.NewReader("abcdef"), Size: 6, Resume: true})
		f.mu.Lock()
		fetchtest.Equal(t, f.stored["STOR a"], want, "stored after SIZE %q: %v", size, err)
		f.mu.Unlock()
	}
}

// TestPartOfOther checks that a failed upload claims no part if the server denied the name after the data: then the file of this
// name is of somebody else.
func TestPartOfOther(t *testing.T) {
	for final, want := range map[string]bool{"552 full": true, "451 failed": true, "553 file exists": false, "550 cannot rename": false} {
		f := startFake(t, &fake{finalReply: final})
		up := &protocols.Upload{Listed: true, Replace: true, Body: strings.NewReader("abc"), Size: 3}
		err := newClient(t).Put(t.Context(), parse(t, f.url("a")), up)
		if got := up.Part != nil; got != want || err == nil {
			t.Errorf("Put() with the final reply %s: a part %v, error %v; want a part %v", final, got, err, want)
		}
	}
}
