package demo

// StartOriginalProspero starts a server that runs until Close and sends recorded replies of dirsrv
// (ISI's Prospero 5.3): a directory of files on FTP servers, the menu of a Gopher server through
// the gateway, an empty directory with a warning, a directory with an invisible link, and a chain
// of linked directories.
func StartOriginalProspero() (*ProsperoServer, error) {
	s, err := StartProspero()
	if err != nil {
		return nil, err
	}
	host := prosperoHost(s.Addr())
	s.SetDirectory("AFTP/pub", "LINK  L FILE hello.txt "+host+" ASCII AFTP'/pub/hello.txt' 0\n"+
		"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 12' bytes'\n"+
		"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n"+
		"ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP INTERNET-D ftp.example ASCII '/pub/hello.txt' BINARY\n")
	s.SetDirectory("GOPHER-GW/gopher.example(70)/1/", "LINK  L NULL '' NULL NULL NULL NULL 0\n"+
		"ATTRIBUTE OBJECT APPLICATION GOPHER-MENU-ITEM SEQUENCE 'iWelcome\tx\tnull.host\t1'\n"+
		"ATTRIBUTE OBJECT INTRINSIC OBJECT-INTERPRETATION SEQUENCE VOID\n"+
		"LINK  L DIRECTORY Search "+host+" ASCII GOPHER-GW'/gopher.example(70)/7//find' 0\n"+
		"ATTRIBUTE OBJECT APPLICATION GOPHER-MENU-ITEM SEQUENCE '7Search\t/find\tgopher.example\t70'\n"+
		"ATTRIBUTE OBJECT INTRINSIC OBJECT-INTERPRETATION SEQUENCE SEARCH\n")
	s.SetDirectory("warned", "WARNING MESSAGE Encountered' gopher link to CSO nameserver'\nNONE-FOUND\n")
	s.SetDirectory("hidden", "LINK  L FILE seen "+host+" ASCII '/pros/seen' 0\n"+
		"LINK  I FILE unseen "+host+" ASCII '/pros/unseen' 0\n")
	s.SetDirectory("/pros", "LINK  L DIRECTORY inside "+host+" ASCII '/elsewhere/dir' 0\n")
	s.SetDirectory("/elsewhere/dir", "LINK  L DIRECTORY deeper "+host+" ASCII '/far/away' 0\n")
	s.SetDirectory("/far/away", "LINK  L FILE found "+host+" ASCII '/pros/found' 0\n")
	s.SetContents("/pros/found", []byte("found\n"))
	return s, nil
}
