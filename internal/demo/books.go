package demo

import (
	"fmt"
	"slices"
	"strings"
)

// Book is a book in a library catalog.
type Book struct {
	ID, Title, Author, Place, Date, Subject string
}

// Books returns sixty books that are in the public domain.
func Books() (books []Book) {
	for line := range strings.Lines(bookList) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		books = append(books, Book{fmt.Sprintf("b%03d", len(books)+1), f[0], f[1], f[2], f[3], f[4]})
	}
	return books
}

// marc8 encodes the letters of the list in MARC-8, where a diacritic comes before its letter.
var marc8 = strings.NewReplacer("é", "\xe2e", "É", "\xe2E", "è", "\xe1e", "ê", "\xe3e", "á", "\xe2a", "ö", "\xe8o", "ä", "\xe8a", "ü", "\xe8u", "ñ", "\xe4n", "ç", "\xf0c", "ø", "\xb2", "æ", "\xb5", "ë", "\xe8e", "À", "\xe1A", "í", "\xe2i", "ó", "\xe2o")

// MARC returns the record of the book in the exchange format of ISO 2709 with the fields of MARC 21. If its number is odd, its charset is
// MARC-8, else UTF-8.
func (b Book) MARC() []byte {
	charset, encode := "a", func(s string) string { return s }
	if (b.ID[len(b.ID)-1]-'0')%2 == 1 {
		charset, encode = " ", marc8.Replace
	}
	fields := [][2]string{
		{"001", b.ID},
		{"008", "260301s" + b.Date + "    xx            000 0 eng  "},
		{"100", "1 \x1fa" + b.Author},
		{"245", "10\x1fa" + b.Title + " /\x1fc" + b.Author + "."},
		{"260", "  \x1fa" + b.Place + ",\x1fc" + b.Date + "."},
		{"650", " 0\x1fa" + b.Subject + "."},
		{"856", "40\x1fuhttp://books.example.invalid/" + b.ID},
	}
	directory, data := "", ""
	for _, f := range fields {
		value := encode(f[1]) + "\x1e"
		directory += fmt.Sprintf("%s%04d%05d", f[0], len(value), len(data))
		data += value
	}
	base := 24 + len(directory) + 1
	leader := fmt.Sprintf("%05dnam %s22%05d a 4500", base+len(data)+1, charset, base)
	return []byte(leader + directory + "\x1e" + data + "\x1d")
}

// value returns the text that a search with a Use attribute looks at, and whether the attribute is known.
func (b Book) value(use int) (string, bool) {
	switch use {
	case 0, 1016:
		return strings.Join([]string{b.Title, b.Author, b.Place, b.Subject, b.Date}, " "), true
	case 4:
		return b.Title, true
	case 1003:
		return b.Author, true
	case 21:
		return b.Subject, true
	case 7: // none of the books has an ISBN
		return "", true
	case 12, 1032:
		return b.ID, true
	}
	return "", false
}

// matches reports whether all words of the term are in the value of the book.
func (b Book) matches(use int, term string) bool {
	value, _ := b.value(use)
	words := bookWords(value)
	for _, w := range bookWords(term) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return len(bookWords(term)) > 0
}

func bookWords(s string) []string { return splitWAISWords(s) }

// bookList has the title, author, place, year and subject of each book.
const bookList = `Moby-Dick, or, The whale|Melville, Herman|New York|1851|Whaling
The lighthouse at the end of the world|Verne, Jules|Paris|1905|Lighthouses
Les misérables|Hugo, Victor|Bruxelles|1862|France
The wind in the willows|Grahame, Kenneth|London|1908|Moles (Animals)
À la recherche du temps perdu|Proust, Marcel|Paris|1913|Memory
Walden, or, Life in the woods|Thoreau, Henry David|Boston|1854|Solitude
On the origin of species|Darwin, Charles|London|1859|Evolution
The voyage of the Beagle|Darwin, Charles|London|1839|Voyages
Pride and prejudice|Austen, Jane|London|1813|Sisters
Emma|Austen, Jane|London|1815|England
Persuasion|Austen, Jane|London|1818|England
Jane Eyre|Brontë, Charlotte|London|1847|Governesses
Wuthering heights|Brontë, Emily|London|1847|Yorkshire
Middlemarch|Eliot, George|Edinburgh|1871|England
Silas Marner|Eliot, George|Edinburgh|1861|Weavers
Great expectations|Dickens, Charles|London|1861|Orphans
Bleak House|Dickens, Charles|London|1853|London
Hard times|Dickens, Charles|London|1854|Factories
Frankenstein|Shelley, Mary|London|1818|Scientists
Dracula|Stoker, Bram|London|1897|Vampires
Treasure Island|Stevenson, Robert Louis|London|1883|Pirates
Kidnapped|Stevenson, Robert Louis|London|1886|Scotland
The time machine|Wells, H. G.|London|1895|Time travel
The war of the worlds|Wells, H. G.|London|1898|Mars
Vingt mille lieues sous les mers|Verne, Jules|Paris|1870|Submarines
Madame Bovary|Flaubert, Gustave|Paris|1857|France
Germinal|Zola, Émile|Paris|1885|Coal miners
Candide|Voltaire|Genève|1759|Optimism
Die Leiden des jungen Werthers|Goethe, Johann Wolfgang von|Leipzig|1774|Letters
Faust|Goethe, Johann Wolfgang von|Tübingen|1808|Devil
Effi Briest|Fontane, Theodor|Berlin|1895|Marriage
Der grüne Heinrich|Keller, Gottfried|Braunschweig|1854|Painters
Buddenbrooks|Mann, Thomas|Berlin|1901|Lübeck
Don Quijote de la Mancha|Cervantes Saavedra, Miguel de|Madrid|1605|Knights
Fortunata y Jacinta|Pérez Galdós, Benito|Madrid|1887|Madrid
La divina commedia|Dante Alighieri|Venezia|1555|Hell
I promessi sposi|Manzoni, Alessandro|Milano|1827|Milan
Et dukkehjem|Ibsen, Henrik|København|1879|Marriage
Peer Gynt|Ibsen, Henrik|København|1867|Norway
Hunger|Hamsun, Knut|København|1890|Writers
War and peace|Tolstoy, Leo|Moscow|1869|Russia
Anna Karenina|Tolstoy, Leo|Moscow|1878|Marriage
Crime and punishment|Dostoyevsky, Fyodor|Moscow|1867|Murder
Dead souls|Gogol, Nikolai|Moscow|1842|Russia
The adventures of Huckleberry Finn|Twain, Mark|New York|1885|Mississippi River
Life on the Mississippi|Twain, Mark|Boston|1883|Mississippi River
The scarlet letter|Hawthorne, Nathaniel|Boston|1850|New England
Leaves of grass|Whitman, Walt|Brooklyn|1855|Poetry
The call of the wild|London, Jack|New York|1903|Dogs
The sea-wolf|London, Jack|New York|1904|Sealing
The jungle book|Kipling, Rudyard|London|1894|India
Kim|Kipling, Rudyard|London|1901|India
Alice's adventures in Wonderland|Carroll, Lewis|London|1865|Dreams
Through the looking-glass|Carroll, Lewis|London|1871|Chess
The secret garden|Burnett, Frances Hodgson|New York|1911|Gardens
A journal of the plague year|Defoe, Daniel|London|1722|Plague
Robinson Crusoe|Defoe, Daniel|London|1719|Islands
Gulliver's travels|Swift, Jonathan|London|1726|Voyages
The compleat angler|Walton, Izaak|London|1653|Fishing
Utopia|More, Thomas|Louvain|1516|Islands
`
