package syntax

import "fmt"

// String returns the name of the context's class in Python's ast, such as "Load".
func (c Context) String() string { return name("Context", contextNames[:], int(c)) }

// String returns the name of the operator's class in Python's ast, such as "Add".
func (o Operator) String() string { return name("Operator", operatorNames[:], int(o)) }

// String returns "And" or "Or".
func (o BoolOperator) String() string { return name("BoolOperator", boolNames[:], int(o)) }

// String returns the name of the operator's class in Python's ast, such as "USub".
func (o UnaryOperator) String() string { return name("UnaryOperator", unaryNames[:], int(o)) }

// String returns the name of the comparison's class in Python's ast, such as "NotIn".
func (o CmpOperator) String() string { return name("CmpOperator", cmpNames[:], int(o)) }

// String returns the kind's name, such as "Int".
func (k ConstKind) String() string { return name("ConstKind", constNames[:], int(k)) }

// Symbol returns the operator as it is written, such as "+".
func (o Operator) Symbol() string { return name("Operator", operatorSymbols[:], int(o)) }

// Symbol returns "and" or "or".
func (o BoolOperator) Symbol() string { return name("BoolOperator", boolSymbols[:], int(o)) }

// Symbol returns the operator as it is written, such as "not".
func (o UnaryOperator) Symbol() string { return name("UnaryOperator", unarySymbols[:], int(o)) }

// Symbol returns the comparison as it is written, such as "not in".
func (o CmpOperator) Symbol() string { return name("CmpOperator", cmpSymbols[:], int(o)) }

var (
	contextNames    = [...]string{"Load", "Store", "Del"}
	operatorNames   = [...]string{"", "Add", "Sub", "Mult", "MatMult", "Div", "Mod", "Pow", "LShift", "RShift", "BitOr", "BitXor", "BitAnd", "FloorDiv"}
	operatorSymbols = [...]string{"", "+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//"}
	boolNames       = [...]string{"", "And", "Or"}
	boolSymbols     = [...]string{"", "and", "or"}
	unaryNames      = [...]string{"", "Invert", "Not", "UAdd", "USub"}
	unarySymbols    = [...]string{"", "~", "not", "+", "-"}
	cmpNames        = [...]string{"", "Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "Is", "IsNot", "In", "NotIn"}
	cmpSymbols      = [...]string{"", "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"}
	constNames      = [...]string{"", "None", "True", "False", "Ellipsis", "Int", "Float", "Complex", "Str", "Bytes"}
)

// name looks i up, and is total: a value that is no member prints its number.
func name(kind string, table []string, i int) string {
	if i < len(table) && table[i] != "" {
		return table[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// itoa writes a number that is not negative.
func itoa(n int) string { return fmt.Sprint(n) }
