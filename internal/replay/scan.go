package replay

import "strings"

// scanner takes a line apart. Every method takes something off the front of what
// is left and says whether it was there.
type scanner struct{ left string }

// word takes what stands before the next space, and that.
func (s *scanner) word() (string, bool) {
	s.left = skipSpaces(s.left)
	i := strings.IndexByte(s.left, ' ')
	if i < 0 {
		i = len(s.left)
	}
	word := s.left[:i]
	s.left = strings.TrimPrefix(s.left[i:], " ")
	return word, word != ""
}

func skipSpaces(text string) string {
	for text != "" && text[0] == ' ' {
		text = text[1:]
	}
	return text
}

// words passes over n of them.
func (s *scanner) words(n int) bool {
	for range n {
		if _, ok := s.word(); !ok {
			return false
		}
	}
	return true
}

// quoted takes a text in double quotes, in which a backslash keeps the next
// character from ending it.
func (s *scanner) quoted() (string, bool) {
	left := skipSpaces(s.left)
	if left == "" || left[0] != '"' {
		return "", false
	}
	for end := 1; ; end++ {
		more := strings.IndexByte(left[end:], '"')
		if more < 0 {
			return "", false
		}
		end += more
		if text := left[1:end]; !endsEscaped(text) {
			s.left = left[end+1:]
			return text, true
		}
	}
}

// endsEscaped reports whether a text ends with a backslash that keeps the next
// character from its meaning.
func endsEscaped(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// bracketed takes a text in [ and ].
func (s *scanner) bracketed() (string, bool) {
	left := skipSpaces(s.left)
	end := strings.IndexByte(left, ']')
	if end < 0 || left[0] != '[' {
		return "", false
	}
	s.left = left[end+1:]
	return left[1:end], true
}

// status takes an HTTP status, or what stands for one that was never sent.
func (s *scanner) status() bool {
	word, _ := s.word()
	if word == "-" || word == "-1" || word == "0" {
		return true
	}
	_, ok := digits(word)
	return ok && len(word) == 3
}

// endsOpen reports whether a line ends inside a quoted text.
func endsOpen(line string) bool {
	open := false
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			open = !open
		}
	}
	return open
}
