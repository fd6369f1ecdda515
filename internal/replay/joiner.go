package replay

import "strings"

// maxPieces is how many lines one record may be broken into.
const maxPieces = 4

// joiner makes entries of lines. A record that a raw line break has cut is put
// together again; what belongs to no record is counted, with its line number.
type joiner struct {
	parse parse
	tally *fileTally
	entry *entry            // of the line at hand
	emit  func(text string) // takes the entry, and may put another in its place

	pieces []piece // lines that are no record, the oldest first
	last   string  // the last record, for as long as more of it may follow
}

type piece struct {
	number int64
	text   string
}

// line takes the next line of the file.
func (j *joiner) line(number int64, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	*j.entry = entry{}
	switch j.parse(text, j.entry) {
	case record:
		j.giveUp(len(j.pieces))
		j.found(text)
	case remark:
		j.giveUp(len(j.pieces))
		j.last = ""
	default:
		j.rest(number, text)
	}
}

func (j *joiner) found(text string) {
	j.last = text
	j.tally.records++
	j.emit(text)
}

// rest takes a line that is no record by itself: the rest of one that was begun,
// or of one that was whole enough without it, or the beginning of another.
func (j *joiner) rest(number int64, text string) {
	for i := len(j.pieces) - 1; i >= 0; i-- {
		joined := j.joined(i) + text
		*j.entry = entry{}
		if j.parse(joined, j.entry) == record {
			j.tally.rejoined += int64(len(j.pieces) - i)
			j.pieces, j.last = j.pieces[:i], ""
			j.giveUp(i)
			j.found(joined)
			return
		}
	}
	if len(j.pieces) == 0 && j.last != "" && isTail(j.last, text) {
		j.tally.rejoined++
		return
	}
	j.pieces = append(j.pieces, piece{number, strings.Clone(text)})
	if len(j.pieces) == maxPieces {
		j.giveUp(1)
	}
}

func (j *joiner) joined(from int) string {
	var b strings.Builder
	for _, p := range j.pieces[from:] {
		b.WriteString(p.text)
	}
	return b.String()
}

// keep keeps what is remembered of lines without the text that they are parts of.
func (j *joiner) keep() { j.last = strings.Clone(j.last) }

// giveUp counts the oldest n pieces as what they are.
func (j *joiner) giveUp(n int) {
	for _, p := range j.pieces[:n] {
		j.tally.broken(p)
	}
	j.pieces = j.pieces[:copy(j.pieces, j.pieces[n:])]
}

// end is the end of the file.
func (j *joiner) end() { j.giveUp(len(j.pieces)) }

// isTail reports whether text goes on where the record before it was cut: inside
// a quoted text, or between two.
func isTail(before, text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t"), `"`) && text[0] != '"' || endsOpen(before)
}
