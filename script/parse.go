package script

import (
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// dialect is Starlark with statements at the top level that may assign a name
// again, as a script of steps does, and without recursion and while.
var dialect = &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true}

// parse makes a program of a script.
func parse(name string, data []byte) (*starlark.Program, error) {
	src, err := newSource(name, data)
	if err != nil {
		return nil, err
	}
	f, err := dialect.Parse(name, string(src.text), 0)
	if err != nil {
		return nil, wrap(name, err)
	}
	g := guarder{source: src}
	g.statements(f.Stmts, true)
	if g.err != nil {
		return nil, g.err
	}
	p, err := starlark.FileProgram(f, predeclared.Has)
	if err != nil {
		return nil, wrap(name, err)
	}
	return p, nil
}

// guarder rewrites a parsed script: it puts back what the scan took out, and
// replaces every operation whose cost is not bounded by a call of a guard. The
// names of guards are no identifiers, so that no script can say them.
type guarder struct {
	source *source
	err    error
}

func (g *guarder) fail(at syntax.Position, format string, a ...any) {
	if g.err == nil {
		g.err = g.source.fail(place{at.Line, at.Col}, format, a...)
	}
}

// call is guard(args…), in an error at the position given.
func call(guard string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: guard}, Lparen: at, Args: args, Rparen: at}
}

func text(at syntax.Position, s string) syntax.Expr {
	return &syntax.Literal{Token: syntax.STRING, TokenPos: at, Value: s}
}

func (g *guarder) statements(list []syntax.Stmt, top bool) {
	for i := range list {
		list[i] = g.statement(list[i], top)
	}
}

func (g *guarder) statement(s syntax.Stmt, top bool) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.ExprStmt:
		at, _ := s.X.Span()
		if s.X = g.expr(s.X); top {
			s.X = call(guardResult, at, s.X)
		}
	case *syntax.AssignStmt:
		return g.assign(s)
	case *syntax.DefStmt:
		g.rename(s.Name)
		g.params(s.Params)
		g.statements(s.Body, false)
	case *syntax.ForStmt:
		s.Vars, s.X = g.target(s.Vars), g.expr(s.X)
		g.statements(s.Body, false)
	case *syntax.WhileStmt:
		s.Cond = g.expr(s.Cond)
		g.statements(s.Body, false)
	case *syntax.IfStmt:
		s.Cond = g.expr(s.Cond)
		g.statements(s.True, false)
		g.statements(s.False, false)
	case *syntax.ReturnStmt:
		if s.Result != nil {
			s.Result = g.expr(s.Result)
		}
	}
	return s
}

// assign turns x op= y into x = x op y, and what has a subscript into a call.
func (g *guarder) assign(s *syntax.AssignStmt) syntax.Stmt {
	if s.Op == syntax.EQ {
		s.LHS, s.RHS = g.target(s.LHS), g.expr(s.RHS)
		return s
	}
	op := augmented[s.Op]
	switch x := unparen(s.LHS).(type) {
	case *syntax.Ident:
		g.rename(x)
		old := &syntax.Ident{NamePos: x.NamePos, Name: x.Name}
		s.LHS, s.Op = x, syntax.EQ
		s.RHS = call(guardAugment, s.OpPos, text(s.OpPos, op.String()), old, g.expr(s.RHS))
	case *syntax.IndexExpr:
		return &syntax.ExprStmt{X: call(guardAugmentItem, s.OpPos,
			text(s.OpPos, op.String()), g.expr(x.X), g.subscript(x), g.expr(s.RHS))}
	default:
		g.fail(s.OpPos, "only a name or an item can be assigned with an operator")
	}
	return s
}

func unparen(x syntax.Expr) syntax.Expr {
	for {
		p, ok := x.(*syntax.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

func (g *guarder) rename(id *syntax.Ident) {
	if id.Name == g.source.load {
		id.Name = "load"
	}
}

// params allows no * and ** parameters: they would make tuples unseen.
func (g *guarder) params(list []syntax.Expr) {
	for _, p := range list {
		switch p := p.(type) {
		case *syntax.Ident:
			g.rename(p)
		case *syntax.BinaryExpr:
			if id, ok := p.X.(*syntax.Ident); ok {
				g.rename(id)
			}
			p.Y = g.expr(p.Y)
		case *syntax.UnaryExpr:
			if p.X != nil {
				g.fail(p.OpPos, "a script's functions take no %v parameter", p.Op)
			}
		}
	}
}

// target is what an assignment or a loop binds.
func (g *guarder) target(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		g.rename(x)
	case *syntax.ParenExpr:
		x.X = g.target(x.X)
	case *syntax.TupleExpr:
		g.targets(x.List)
	case *syntax.ListExpr:
		g.targets(x.List)
	case *syntax.IndexExpr:
		x.Y, x.X = call(guardKey, x.Lbrack, g.subscript(x)), g.expr(x.X)
	case *syntax.DotExpr:
		x.X = g.expr(x.X)
	default:
		return g.expr(x)
	}
	return x
}

func (g *guarder) targets(list []syntax.Expr) {
	for i := range list {
		list[i] = g.target(list[i])
	}
}

func (g *guarder) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = g.expr(list[i])
	}
}

func (g *guarder) expr(x syntax.Expr) syntax.Expr {
	switch x := x.(type) {
	case *syntax.Ident:
		g.rename(x)
	case *syntax.Literal:
		if v, ok := x.Value.(*big.Int); ok && v.BitLen() > maxBits {
			g.fail(x.TokenPos, "the number has more than %d bits", maxBits)
		}
	case *syntax.ParenExpr:
		x.X = g.expr(x.X)
	case *syntax.CallExpr:
		x.Fn = g.expr(x.Fn)
		g.arguments(x.Args)
	case *syntax.DotExpr:
		return call(guardAttr, x.Name.NamePos, g.expr(x.X), text(x.Name.NamePos, x.Name.Name))
	case *syntax.IndexExpr:
		key := g.subscript(x)
		return call(guardIndex, x.Lbrack, g.expr(x.X), key)
	case *syntax.SliceExpr:
		return call(guardSlice, x.Lbrack, g.expr(x.X), g.bound(x.Lo, x.Lbrack), g.bound(x.Hi, x.Lbrack), g.bound(x.Step, x.Lbrack))
	case *syntax.Comprehension:
		g.comprehension(x)
	case *syntax.DictExpr:
		g.exprs(x.List)
	case *syntax.DictEntry:
		x.Key, x.Value = call(guardKey, x.Colon, g.expr(x.Key)), g.expr(x.Value)
	case *syntax.LambdaExpr:
		g.params(x.Params)
		x.Body = g.expr(x.Body)
	case *syntax.ListExpr:
		g.exprs(x.List)
	case *syntax.CondExpr:
		x.Cond, x.True, x.False = g.expr(x.Cond), g.expr(x.True), g.expr(x.False)
	case *syntax.TupleExpr:
		at, _ := x.Span()
		g.exprs(x.List)
		return call(guardTuple, at, x)
	case *syntax.UnaryExpr:
		x.X = g.expr(x.X)
	case *syntax.BinaryExpr:
		x.X, x.Y = g.expr(x.X), g.expr(x.Y)
		if x.Op != syntax.AND && x.Op != syntax.OR {
			return call(guardBinary, x.OpPos, text(x.OpPos, x.Op.String()), x.X, x.Y)
		}
	}
	return x
}

func (g *guarder) arguments(list []syntax.Expr) {
	for i, a := range list {
		switch a := a.(type) {
		case *syntax.BinaryExpr:
			if a.Op == syntax.EQ { // a keyword
				if id, ok := a.X.(*syntax.Ident); ok {
					g.rename(id)
				}
				a.Y = g.expr(a.Y)
				continue
			}
			list[i] = g.expr(a)
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				a.X = call(guardSpread, a.OpPos, g.expr(a.X))
				continue
			}
			list[i] = g.expr(a)
		default:
			list[i] = g.expr(a)
		}
	}
}

func (g *guarder) comprehension(x *syntax.Comprehension) {
	for _, c := range x.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			c.Vars, c.X = g.target(c.Vars), g.expr(c.X)
		case *syntax.IfClause:
			c.Cond = g.expr(c.Cond)
		}
	}
	x.Body = g.expr(x.Body)
	if _, entry := x.Body.(*syntax.DictEntry); x.Curly && !entry {
		x.Body = call(guardKey, x.Lbrack, x.Body)
	}
}

// subscript is the key of an index expression: a tuple of slices and items
// where the scan found one.
func (g *guarder) subscript(x *syntax.IndexExpr) syntax.Expr {
	axes, ok := g.source.slices[place{x.Lbrack.Line, x.Lbrack.Col}]
	if !ok {
		return g.expr(x.Y)
	}
	key := &syntax.TupleExpr{Lparen: x.Lbrack, Rparen: x.Rbrack}
	for _, a := range axes {
		at := syntax.MakePosition(&g.source.name, a.at.line, a.at.col)
		var parts [3]syntax.Expr
		for i, p := range a.parts {
			if i == len(parts) {
				g.fail(at, "a slice has at most three parts")
				break
			}
			if !p.empty {
				parts[i] = g.part(p)
			}
		}
		switch {
		case len(a.parts) > 1:
			key.List = append(key.List, call(guardMakeSlice, at, g.bound(parts[0], at), g.bound(parts[1], at), g.bound(parts[2], at)))
		case parts[0] == nil:
			g.fail(at, "nothing stands before the comma")
		default:
			key.List = append(key.List, g.expr(parts[0]))
		}
	}
	return key
}

// bound is a part of a slice, None where it is left out.
func (g *guarder) bound(x syntax.Expr, at syntax.Position) syntax.Expr {
	if x == nil {
		return &syntax.Ident{NamePos: at, Name: guardNone}
	}
	return g.expr(x)
}

// part parses an expression that the scan cut out. The parenthesis that lets
// it span lines stands where the character before it was.
func (g *guarder) part(p span) syntax.Expr {
	x, err := dialect.ParseExpr(g.source.name, syntax.FilePortion{
		Content: []byte("(" + p.text + ")"), FirstLine: p.at.line, FirstCol: p.at.col - 1,
	}, 0)
	if err != nil {
		if g.err == nil {
			g.err = wrap(g.source.name, err)
		}
		return nil
	}
	return x
}
