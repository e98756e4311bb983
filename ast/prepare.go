package ast

import "context"

// Prepare fills in the metadata of every Load that lacks it and returns the
// tree over them, validated again; a tree that lacks nothing comes back as it
// is. Each uri is described once.
func Prepare(ctx context.Context, n Node, d Describer) (Node, error) {
	if n.Known() {
		return n, nil
	}
	found := map[string]Meta{}
	return Transform(n, func(n Node) (Node, error) {
		l, ok := n.(*Load)
		if !ok || l.Known() {
			return n, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, ok := found[l.uri]
		if !ok {
			var err error
			if m, err = d.Describe(ctx, l.uri); err != nil {
				return nil, &Error{Op: "load", Arg: "uri", Value: quote(l.uri), Err: err}
			}
			found[l.uri] = m
		}
		return l.WithMeta(m)
	})
}
