package syntax

// charAliases are Unicode's aliases of character names: code point and alias
// in turn.
var charAliases = [...]string{
	"000A", "LINE FEED",
}
