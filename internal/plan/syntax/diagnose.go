package syntax

func (p *parser) searching() bool { return p.diag && !p.plainly }

func (p *parser) diagNamed() Expr                    { return p.expression() }
func (p *parser) diagExpression()                    {}
func (p *parser) diagNotAfter()                      {}
func (p *parser) diagParen()                         {}
func (p *parser) diagUnpacking()                     {}
func (p *parser) diagComprehensionTarget(e []Expr)   {}
func (p *parser) diagDictKey(e Expr)                 {}
func (p *parser) diagDictUnpacking(t *token, e Expr) {}
func (p *parser) diagMissingColon(e Expr)            {}
func (p *parser) diagDictValue()                     {}
func (p *parser) diagStarKey()                       {}
func (p *parser) diagForTarget(i int)                {}
func (p *parser) diagArguments()                     {}
func (p *parser) diagStarAfterDoubleStar()           {}
func (p *parser) diagParameters(k kind, b bool)      {}
func (p *parser) diagFieldStart(s string)            {}
func (p *parser) diagFieldValue(s string)            {}
func (p *parser) diagFieldEqual(s string)            {}
func (p *parser) diagFieldEnd(s string, a, b bool)   {}
func (p *parser) diagConversion(s string)            {}
func (p *parser) diagStatement()                     {}
func (p *parser) diagDelete(i int)                   {}
func (p *parser) diagAssert(e Expr)                  {}
func (p *parser) diagImportTarget()                  {}
func (p *parser) missingColon()                      { p.failTok(p.tok, "expected ':'") }
func (p *parser) diagTypeBound(k kind)               {}
func (p *parser) diagHandlerName(s string)           {}
func (p *parser) diagWithTarget(i int)               {}
func (p *parser) diagMatch(t *token)                 {}
func (p *parser) diagAsPattern()                     {}
func (p *parser) diagRestNotLast(t *token)           {}
