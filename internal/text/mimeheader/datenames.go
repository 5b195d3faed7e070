package mimeheader

import "strings"

// zones are the offsets of zones in minutes: those of RFC 5322, section 4.3, and those with a single meaning
// in the programs of Usenet. Military zones are not here, since RFC 822 has their signs wrong: they are
// "-0000".
var zones = map[string]int{
	"GMT": 0, "UTC": 0, "UT": 0, "Z": 0, "WET": 0,
	"EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420,
	"AST": -240, "ADT": -180, "NST": -210, "NDT": -150, "AKST": -540, "AKDT": -480, "HST": -600,
	"BST": 60, "WEST": 60, "CET": 60, "MET": 60, "MEZ": 60, "CEST": 120, "MEST": 120, "MESZ": 120, "EET": 120,
	"EEST": 180, "MSK": 180, "MSD": 240, "HKT": 480, "AWST": 480, "JST": 540, "KST": 540,
	"ACST": 570, "ACDT": 630, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780,
}

func isZone(name string) bool { _, ok := zones[name]; return ok }

// monthNames are the English names of the months. otherMonths are abbreviations in other languages whose
// first letters differ.
var (
	monthNames = [...]string{
		"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER",
	}
	otherMonths = map[string]int{
		"GEN": 1, "ENE": 1, "FEV": 2, "MRZ": 3, "MRT": 3, "ABR": 4, "AVR": 4, "MAI": 5, "MEI": 5, "MAG": 5, "GIU": 6,
		"JUIN": 6, "LUG": 7, "JUIL": 7, "AGO": 8, "SET": 9, "OKT": 10, "OUT": 10, "OTT": 10, "DEZ": 12, "DIC": 12, "DES": 12,
	}
	dayNames = [...]string{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}
)

// monthOf returns the month with a name in upper case, which may be shortened to three letters, or 0.
func monthOf(name string) int {
	if len(name) < 3 {
		return 0
	}
	for i, month := range monthNames {
		if strings.HasPrefix(month, name) {
			return i + 1
		}
	}
	return otherMonths[name]
}

// isDayOfWeek reports whether name, in upper case, is a day of the week, which may be shortened to three
// letters.
func isDayOfWeek(name string) bool {
	for _, day := range dayNames {
		if len(name) >= 3 && strings.HasPrefix(day, name) {
			return true
		}
	}
	return false
}
