package dump

import (
	"strings"
	"sync/atomic"

	"gofer/internal/testbed/fetchtest"
	"gofer/protocols"
)

// articleTests returns the rows of TestDump for articles and their headers.
func articleTests() []dumpTest {
	const article = "Path: a!b\nFrom: =?utf-8?Q?J=C3=BCrgen?= <j@h.example>, \"K, L\" <k@h.example>\nReply-To: old@h.example (Old Name)\n" +
		"Subject: =?utf-8?Q?=C3=BC?=\nDate: Fri, 03 Jan 2025 12:00:00 +0100\nNewsgroups: a.b,c.d\nFollowup-To: poster\n" +
		"Message-ID: <m@h>\nReferences: <r1@h>\n <r2@h><r3@h>\nXref: h a.b:7 c.d:9\nLines: 1\n\nHi\n"
	octets := strings.ReplaceAll(article, "\n", "\r\n")
	const oneMessage = "From joe Thu Jan  2 03:04:05 2020\nSubject: One\n\nA text.\n"
	const mailbox = oneMessage + "\nFrom ann Fri Jan  3 03:04:05 2020\nSubject: Two\n\nAnother.\n"
	return []dumpTest{
		{"all messages of a file, text", fetchtest.File(new(atomic.Int32), "text/plain", nil, mailbox), Text, mailbox},
		{"one message of a file, text", fetchtest.File(new(atomic.Int32), "text/plain", nil, oneMessage), Text, oneMessage},
		{"header of an article, text", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil, octets), Text, "" +
			"From: Jürgen <j@h.example>, \"K, L\" <k@h.example>\nSubject: ü\nDate: Fri, 03 Jan 2025 12:00:00 +0100\n" +
			"Newsgroups: a.b\n            c.d\nFollowup-To: poster\nMessage-ID: <m@h>\nReferences: <r1@h>\n" +
			"            <r2@h>\n            <r3@h>\n\nHi\n"},
		{"header of an article, json", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil, octets), JSON, "" +
			`{"head":{"url":"test:somewhere","title":"ü","media":"message/rfc822","size":null,"article":{` +
			`"from":[{"name":"Jürgen","address":"j@h.example"},{"name":"K, L","address":"k@h.example"}],` +
			`"reply_to":[{"name":"Old Name","address":"old@h.example"}],"subject":"ü","date":"2025-01-03T11:00:00Z",` +
			`"newsgroups":["news:a.b","news:c.d"],"followup_to":["poster"],"message_id":"m@h",` +
			`"references":["news:r1@h","news:r2@h","news:r3@h"],"numbers":{"a.b":7,"c.d":9},"lines":1}}}` + "\n" +
			`{"kind":"header","text":"From: Jürgen <j@h.example>, \"K, L\" <k@h.example>"}` + "\n" +
			`{"kind":"header","text":"Subject: ü"}` + "\n" +
			`{"kind":"header","text":"Date: Fri, 03 Jan 2025 12:00:00 +0100"}` + "\n" +
			`{"kind":"header","text":"Newsgroups: a.b","url":"news:a.b"}` + "\n" +
			`{"kind":"header","text":"            c.d","url":"news:c.d"}` + "\n" +
			`{"kind":"header","text":"Followup-To: poster"}` + "\n" +
			`{"kind":"header","text":"Message-ID: <m@h>","url":"news:m@h"}` + "\n" +
			`{"kind":"header","text":"References: <r1@h>","url":"news:r1@h"}` + "\n" +
			`{"kind":"header","text":"            <r2@h>","url":"news:r2@h"}` + "\n" +
			`{"kind":"header","text":"            <r3@h>","url":"news:r3@h"}` + "\n" +
			`{"kind":"header","text":"Path: a!b"}` + "\n" +
			`{"kind":"header","text":"Reply-To: old@h.example (Old Name)"}` + "\n" +
			`{"kind":"header","text":"Xref: h a.b:7 c.d:9"}` + "\n" +
			`{"kind":"header","text":"Lines: 1"}` + "\n" +
			`{"kind":"info","text":""}` + "\n" +
			`{"kind":"info","text":"Hi"}` + "\n"},
		{
			"header of an article in windows-1251, json", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil,
				"From: \xc8\xe2\xe0\xed \xcf\xe5\xf2\xf0\xee\xe2 <i@h.example>\r\nSubject: \xc2\xee\xef\xf0\xee\xf1 "+
					"\xee \xef\xf0\xee\xe3\xf0\xe0\xec\xec\xe5\r\nOrganization: \xd3\xed\xe8\xe2\xe5\xf0\xf1\xe8\xf2\xe5\xf2\r\n\r\n.\r\n"),
			JSON,
			`{"head":{"url":"test:somewhere","title":"Вопрос о программе","media":"message/rfc822","size":null,"article":{` +
				`"from":[{"name":"Иван Петров","address":"i@h.example"}],"subject":"Вопрос о программе","organization":"Университет"}}}` + "\n" +
				`{"kind":"header","text":"From: Иван Петров <i@h.example>"}` + "\n" +
				`{"kind":"header","text":"Subject: Вопрос о программе"}` + "\n" +
				`{"kind":"header","text":"Organization: Университет"}` + "\n" +
				`{"kind":"info","text":""}` + "\n" + `{"kind":"info","text":"."}` + "\n",
		},
		{
			"ISO-2022-JP below a subject in another charset", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil,
				"Subject: =?utf-8?B?w6k=?=\r\nContent-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$BF|K\\8l\x1b(B\r\n"),
			Text, "Subject: é\n\n日本語\n",
		},
		{
			"UTF-7 and ISO-2022-KR", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil,
				"Subject: =?iso-2022-kr?B?GyQpQw5HUQ8=?= =?utf-7?Q?+APY-?=\r\nContent-Type: text/plain; charset=\"utf-7\"\r\n\r\n+AOk-\r\n"),
			Text, "Subject: 한ö\n\né\n",
		},
		{
			"attachments of an article, json", fetchtest.File(new(atomic.Int32), protocols.MediaArticle, nil,
				"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/png; name=\"a b.png\"\r\n"+
					"Content-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b\r\nContent-Type: text/csv; name=c.csv\r\n\r\nx\r\n--b--\r\n"),
			JSON,
			`{"head":{"url":"test:somewhere","title":"","media":"message/rfc822","size":null}}` + "\n" +
				`{"kind":"header","text":"Content-Type: multipart/mixed; boundary=b"}` + "\n" + `{"kind":"info","text":""}` + "\n" +
				`{"kind":"image","text":"[attachment image/png, a b.png, 3 octets]","url":"about:attachment/1/a%20b.png?test%3Asomewhere",` +
				`"name":"a b.png","media":"image/png","size":3}` + "\n" +
				`{"kind":"text","text":"[text/csv, c.csv]","url":"about:attachment/2/c.csv?test%3Asomewhere","name":"c.csv","media":"text/csv"}` + "\n" +
				`{"kind":"info","text":"x"}` + "\n",
		},
	}
}
