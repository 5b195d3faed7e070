package ftp

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gofer/internal/text/charset"
)

// monthNames are the names of the months as ls prints them, one language a line and one month a word, with
// other forms of the name after slashes. Croatian is missing, because its lip, srp and lis are other months
// in Polish and Czech.
var monthNames = [...]string{
	"jan/january feb/february mar/march apr/april may jun/june jul/july aug/august sep/sept/september oct/october nov/november dec/december",
	"jan/jän/januar/jänner feb/februar/feber mär/mrz/märz apr/april mai jun/juni jul/juli aug/august sep/sept/september okt/oktober nov/november dez/dezember",
	"jan/janv/janvier fév/fev/févr/fevr/février/fevrier mar/mars avr/avril mai jun/juin jui/juil/juillet aoû/août/aou/aout sep/sept/septembre oct/octobre nov/novembre déc/dec/décembre/decembre", //nolint:misspell // French without accents
	"ene/enero feb/febrero mar/marzo abr/abril may/mayo jun/junio jul/julio ago/agosto sep/sept/set/septiembre/setiembre oct/octubre nov/noviembre dic/diciembre",
	"gen/genn/gennaio feb/febb/febbraio mar/marzo apr/aprile mag/maggio giu/giugno lug/luglio ago/agosto set/sett/settembre ott/ottobre nov/novembre dic/dicembre",
	"jan/janeiro fev/fevereiro mar/março/marco abr/abril mai/maio jun/junho jul/julho ago/agosto set/setembro out/outubro nov/novembro dez/dezembro",
	"gen/gener febr/febrer març abr/abril maig juny/jun jul/juliol ag/ago/agost set/setembre oct/octubre nov/novembre des/desembre",
	"jan/januari feb/febr/februari mrt/maart apr/april mei jun/juni jul/juli aug/augustus sep/sept/september okt/oktober nov/november dec/december",
	"jan/januari feb/februari mar/mars apr/april maj jun/juni jul/juli aug/augusti sep/september okt/oktober nov/november dec/december",
	"jan/januar feb/februar mar/mars/marts apr/april maj/mai jun/juni jul/juli aug/august sep/sept/september okt/oktober nov/november dec/des/december/desember",
	"jan/janúar feb/febrúar mar/mars apr/apríl maí jún/júní júl/júlí ágú/ágúst sep/september okt/október nóv/nóvember des/desember",
	"tam/tammi/tammikuu/tammikuuta hel/helmi/helmikuu/helmikuuta maa/maalis/maaliskuu/maaliskuuta huh/huhti/huhtikuu/huhtikuuta tou/touko/toukokuu/toukokuuta kes/kesä/kesäkuu/kesäkuuta hei/heinä/heinäkuu/heinäkuuta elo/elokuu/elokuuta syy/syys/syyskuu/syyskuuta lok/loka/lokakuu/lokakuuta mar/marras/marraskuu/marraskuuta jou/joulu/joulukuu/joulukuuta",
	"jaan/jaanuar veebr/veebruar märts apr/aprill mai juuni juuli aug/august sept/september okt/oktoober nov/november dets/detsember",
	"janv/janvāris febr/februāris marts apr/aprīlis maijs/mai jūn/jūnijs jūl/jūlijs aug/augusts sept/septembris okt/oktobris nov/novembris dec/decembris",
	"sau/sausio vas/vasario kov/kovo bal/balandžio geg/gegužės bir/birželio lie/liepos rgp/rugp/rugpjūčio rgs/rugs/rugsėjo spa/spal/spalio lap/lapkričio grd/gruodžio",
	"sty/stycznia/styczeń lut/lutego/luty mar/marca/marzec kwi/kwietnia/kwiecień maj/maja cze/czerwca/czerwiec lip/lipca/lipiec sie/sierpnia/sierpień wrz/września/wrzesień paź/października/październik lis/listopada/listopad gru/grudnia/grudzień",
	"led/ledna/leden úno/února/únor bře/března/březen dub/dubna/duben kvě/května/květen čer/čen/čvn/června/červen čec/čvc/července/červenec srp/srpna/srpen zář/září říj/října/říjen lis/listopadu pro/prosince/prosinec",
	"jan/januára/január feb/februára/február mar/marca/marec apr/apríla/apríl máj/mája jún/júna júl/júla aug/augusta sep/septembra okt/októbra/október nov/novembra dec/decembra",
	"jan/januar feb/februar mar/marec apr/april maj jun/junij jul/julij avg/avgust sep/september okt/oktober nov/november dec/december",
	"jan/január febr/feb/február márc/már/március ápr/április máj/május jún/június júl/július aug/augusztus szept/szep/szeptember okt/október nov/november dec/december",
	"ian/ianuarie feb/februarie mar/martie apr/aprilie mai iun/iunie iul/iulie aug/august sep/sept/septembrie oct/octombrie nov/noiembrie dec/decembrie",
	"oca/ocak şub/şubat/sub mar/mart nis/nisan may/mayıs haz/haziran tem/temmuz ağu/ağustos/agu eyl/eylül eki/ekim kas/kasım ara/aralık",
	"янв/января/январь фев/февр/февраля/февраль мар/марта/март апр/апреля/апрель май/мая июн/июня/июнь июл/июля/июль авг/августа/август сен/сент/сентября/сентябрь окт/октября/октябрь ноя/нояб/ноября/ноябрь дек/декабря/декабрь",
	"січ/січня/січень лют/лютого/лютий бер/берез/березня/березень кві/квіт/квітня/квітень тра/трав/травня/травень чер/черв/червня/червень лип/липня/липень сер/серп/серпня/серпень вер/верес/вересня/вересень жов/жовт/жовтня/жовтень лис/листоп/листопада/листопад гру/груд/грудня/грудень",
	"сту/студз/студзеня лют/лютага сак/сакавіка кра/крас/красавіка май/мая/траўня чэр/чэрвеня ліп/ліпеня жні/жніўня вер/верасня кас/кастрычніка ліс/лістапада сне/снежня",
	"яну/януари фев/февруари мар/март апр/април май юни юли авг/август сеп/септември окт/октомври ное/ноември дек/декември",
	"јан/јануар феб/фебруар мар/март апр/април мај јун/јуни јул/јули авг/август сеп/септембар окт/октобар нов/новембар дец/децембар",
	"ιαν/ιανουαρίου/ιανουάριος φεβ/φεβρ/φεβρουαρίου/φεβρουάριος μαρ/μάρ/μάρτ/μαρτίου/μάρτιος απρ/απριλίου/απρίλιος μαΐ/μαϊ/μάι/μάϊ/μαι/μαΐου/μάιος ιουν/ιούν/ιουνίου/ιούνιος ιουλ/ιούλ/ιουλίου/ιούλιος αυγ/αύγ/αυγούστου/αύγουστος σεπ/σεπτ/σεπτεμβρίου/σεπτέμβριος οκτ/οκτωβρίου/οκτώβριος νοε/νοέ/νοεμ/νοεμβρίου/νοέμβριος δεκ/δεκεμβρίου/δεκέμβριος",
	"ינו/ינואר פבר/פברואר מרץ/מרס אפר/אפריל מאי יונ/יוני יול/יולי אוג/אוגוסט ספט/ספטמבר אוק/אוקטובר נוב/נובמבר דצמ/דצמבר",
	"一月 二月 三月 四月 五月 六月 七月 八月 九月 十月 十一月 十二月",
}

// totals are the words before the number of blocks in the first line of ls.
const totals = "total insgesamt gesamt gesamtzahl totale totaal totalt totalet итого всего всього razem łącznie celkem spolu összesen yhteensä kokku iš toplam σύνολο ukupno skupaj 合計 总用量 总计 總計 합계"

// otherCharsets are charsets of words in listings that are not in [charset.All].
var otherCharsets = [...]string{
	"windows-1253", "windows-1254", "iso-8859-4", "iso-8859-13", "windows-1257", "windows-1255", "ibm852", "x-mac-cyrillic",
}

// octetsOf returns s in each charset that has all its characters.
func octetsOf(s string) (all []string) {
	for _, c := range charset.All() {
		if octets, _, ok := c.Encode(s); ok && (octets != s || c == charset.UTF8) {
			all = append(all, octets)
		}
	}
	for _, name := range otherCharsets {
		if octets, err := charset.ByName(name).NewEncoder().String(s); err == nil && octets != s {
			all = append(all, octets)
		}
	}
	return all
}

// englishWords has the words of most listings, so that few listings need the memory of listWords.
var englishWords = sync.OnceValue(func() map[string]time.Month { return newWords(monthNames[:1], "total") })

// listWords has the words of all languages.
var listWords = sync.OnceValue(func() map[string]time.Month { return newWords(monthNames[:], totals) })

// newWords returns the words of languages, which are lines of monthNames, with the number of the month, and those of
// totals with 0. The keys are octets in all charsets: in lower case, in upper case and with a capital letter.
func newWords(languages []string, totals string) map[string]time.Month {
	words := make(map[string]time.Month)
	add := func(word string, month time.Month) {
		_, n := utf8.DecodeRuneInString(word)
		for _, form := range []string{word, strings.ToUpper(word[:n]) + word[n:], strings.ToUpper(word)} {
			for _, octets := range octetsOf(form) {
				if _, known := words[octets]; !known {
					words[octets] = month
				}
			}
		}
	}
	for _, language := range languages {
		for i, month := range strings.Fields(language) {
			for word := range strings.SplitSeq(month, "/") {
				add(word, time.Month(i+1))
			}
		}
	}
	for word := range strings.FieldsSeq(totals) {
		add(word, 0)
	}
	return words
}

// findWord returns the month that word names, or 0 for a word before the number of blocks.
func findWord(word string) (month time.Month, known bool) {
	if month, known = englishWords()[word]; !known && !startsWithDigit(word) {
		month, known = listWords()[word]
	}
	return month, known
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// dateSigns are the signs that follow the numbers of years, months and days in Chinese, Japanese and Korean.
var dateSigns = sync.OnceValue(func() (all []string) {
	for _, sign := range []string{"年", "月", "日", "년", "월", "일"} {
		all = append(all, octetsOf(sign)...)
	}
	return all
})

// trimSign removes a sign of dateSigns from the end of s.
func trimSign(s string) string {
	if s == "" || s[len(s)-1] <= '9' || s[0] > '9' {
		return s
	}
	for _, sign := range dateSigns() {
		if number, ok := strings.CutSuffix(s, sign); ok {
			return number
		}
	}
	return s
}

// parseMonth parses the name of a month in any language and charset, or the number of a month with its sign, or
// returns 0.
func parseMonth(s string) time.Month {
	if len(s) < 2 || len(s) > 24 {
		return 0
	}
	if digits := trimSign(s); digits != s {
		if n := parseNumber(digits); n >= 1 && n <= 12 {
			return time.Month(n)
		}
		return 0
	}
	s = strings.TrimRight(s, ".,")
	month, known := findWord(s)
	if !known {
		month, _ = findWord(strings.ToLower(s))
	}
	return month
}
