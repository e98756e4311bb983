// Command gen writes the amd64 loops that decode one to four streams, and their
// Go stubs. Run it with go generate in the inflate package.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where the fields of the package's stream are.
const (
	srcAt  = 0
	srcLen = 8
	dstAt  = 24
	dstLen = 32
	inAt   = 48
	outAt  = 56
	bitsAt = 64
	leftAt = 72
	litAt  = 80
	distAt = litAt + 4*litSize
	stride = distAt + 4*distSize + 16
)

// The package's constants.
const (
	litBits   = 11
	distBits  = 8
	litSize   = 1<<litBits + 144*16
	distSize  = 1<<distBits + 16*128
	isSecond  = 1 << 13
	isEnd     = 1 << 14
	isInvalid = 1 << 15
	isOther   = 0xf000
	inMargin  = 16
	outMargin = 288
)

// steps is how many symbols of the first table there are bits for.
const steps = 56 / litBits

// lane is a stream: what it has in registers, and in the frame.
type lane struct {
	k               int
	bits, left, out reg.GPPhysical
	in              Mem // where src is read next
	lastIn, lastOut Mem // the places up to which there is room for a round
	start           Mem // of dst
}

var (
	base  = reg.RDI // of the first stream
	entry = reg.RAX
	temp  = reg.RCX
	sets  = [4][3]reg.GPPhysical{{reg.RBX, reg.R9, reg.R13}, {reg.RDX, reg.R10, reg.R14}, {reg.RSI, reg.R11, reg.R15}, {reg.R8, reg.R12, reg.RBP}}
)

func main() {
	ConstraintExpr("amd64")
	for n := 1; n <= 4; n++ {
		decode(n)
	}
	adler()
	Generate()
}

// field is a field of a lane's stream.
func (l *lane) field(at int) Mem { return Mem{Base: base, Disp: l.k*stride + at} }

// decode is decodeGo for n lanes.
func decode(n int) {
	name := fmt.Sprintf("decode%d", n)
	TEXT(name, NOSPLIT, "func(lanes *byte) int")
	Doc(fmt.Sprintf("%s decodes %d lanes in turns.", name, n))
	frame := AllocLocal(4*32 + 4*8)
	spare := func(i int) Mem { return frame.Offset(128 + 8*i) }
	Load(Param("lanes"), base)
	lanes := make([]*lane, n)
	for k := range lanes {
		at := func(i int) Mem { return frame.Offset(32*k + 8*i) }
		l := &lane{k, sets[k][0], sets[k][1], sets[k][2], at(0), at(1), at(2), at(3)}
		lanes[k] = l
		MOVQ(l.field(srcAt), entry)
		MOVQ(l.field(inAt), temp)
		ADDQ(entry, temp)
		MOVQ(temp, l.in)
		ADDQ(l.field(srcLen), entry)
		SUBQ(Imm(inMargin), entry)
		MOVQ(entry, l.lastIn)
		MOVQ(l.field(dstAt), entry)
		MOVQ(entry, l.start)
		MOVQ(l.field(outAt), l.out)
		ADDQ(entry, l.out)
		ADDQ(l.field(dstLen), entry)
		SUBQ(U32(outMargin), entry)
		MOVQ(entry, l.lastOut)
		MOVQ(l.field(bitsAt), l.bits)
		MOVQ(l.field(leftAt), l.left)
	}
	Label("round")
	for _, l := range lanes {
		MOVQ(l.in, temp)
		CMPQ(temp, l.lastIn)
		JA(LabelRef("full"))
		CMPQ(l.out, l.lastOut)
		JA(LabelRef("full"))
		l.fill()
	}
	MOVL(U32(litBits), temp.As32())
	for i := range steps {
		for _, l := range lanes {
			l.literal(i)
		}
	}
	for _, l := range lanes {
		ADDQ(Imm(steps), l.out)
	}
	JMP(LabelRef("round"))
	for i := range steps {
		for _, l := range lanes {
			// What the lanes have decoded of the round.
			Label(label("other", i, l.k))
			for _, m := range lanes {
				done := i
				if m.k < l.k {
					done++
				}
				if done > 0 {
					ADDQ(Imm(uint64(done)), m.out)
				}
			}
			JMP(LabelRef(label("symbol", l.k)))
		}
	}
	for _, l := range lanes {
		l.symbol(spare)
	}
	Label("full")
	MOVQ(I32(-1), temp)
	Label("done")
	for _, l := range lanes {
		MOVQ(l.in, entry)
		SUBQ(l.field(srcAt), entry)
		MOVQ(entry, l.field(inAt))
		SUBQ(l.start, l.out)
		MOVQ(l.out, l.field(outAt))
		MOVQ(l.bits, l.field(bitsAt))
		MOVBQZX(l.left.As8(), l.left)
		MOVQ(l.left, l.field(leftAt))
	}
	Store(temp, ReturnIndex(0))
	RET()
}

func label(name string, n ...int) string {
	for _, k := range n {
		name += fmt.Sprintf("_%d", k)
	}
	return name
}

// fill brings in bits from where temp points to, as stream.fill does. Of left,
// the lowest byte alone holds.
func (l *lane) fill() {
	MOVQ(Mem{Base: temp}, entry)
	SHLXQ(l.left, entry, entry)
	ORQ(entry, l.bits)
	MOVL(l.left.As32(), entry.As32())
	SHRL(Imm(3), entry.As32())
	ANDL(Imm(7), entry.As32())
	ADDQ(Imm(7), temp)
	SUBQ(entry, temp)
	MOVQ(temp, l.in)
	ORL(Imm(56), l.left.As32())
}

func (l *lane) drop() {
	SHRXQ(entry, l.bits, l.bits)
	SUBL(entry.As32(), l.left.As32())
}

// literal decodes the literal i of a round. temp is litBits.
func (l *lane) literal(i int) {
	BZHIL(temp.As32(), l.bits.As32(), entry.As32())
	MOVL(l.field(litAt).Idx(entry, 4), entry.As32())
	TESTL(U32(isOther), entry.As32())
	JNE(LabelRef(label("other", i, l.k)))
	l.drop()
	SHRL(Imm(16), entry.As32())
	MOVB(entry.As8(), Mem{Base: l.out, Disp: i})
}

// symbol decodes what is no literal of the first table.
func (l *lane) symbol(spare func(int) Mem) {
	// Two registers of another lane, for the time being.
	other := sets[(l.k+1)%4]
	a, b := other[0], other[1]
	ref := func(name string) LabelRef { return LabelRef(label(name, l.k)) }
	Label(label("symbol", l.k))
	MOVQ(a, spare(0))
	MOVQ(b, spare(1))
	MOVL(entry.As32(), a.As32())
	MOVQ(l.in, temp)
	l.fill()
	MOVL(a.As32(), entry.As32())
	MOVQ(l.bits, spare(2))
	MOVQ(l.left, spare(3))
	TESTL(U32(isSecond), entry.As32())
	JE(ref("first"))
	l.second(litAt, a)
	TESTL(U32(isOther), entry.As32())
	JNE(ref("first"))
	l.drop()
	SHRL(Imm(16), entry.As32())
	MOVB(entry.As8(), Mem{Base: l.out})
	INCQ(l.out)
	JMP(ref("restore"))

	Label(label("first", l.k))
	TESTL(U32(isEnd|isInvalid), entry.As32())
	JNE(ref("leave"))
	l.extended(b, a)
	MOVL(l.bits.As32(), entry.As32())
	ANDL(U32(1<<distBits-1), entry.As32())
	MOVL(l.field(distAt).Idx(entry, 4), entry.As32())
	TESTL(U32(isSecond), entry.As32())
	JE(ref("near"))
	l.second(distAt, a)
	Label(label("near", l.k))
	TESTL(U32(isInvalid), entry.As32())
	JNE(ref("leave"))
	l.extended(a, temp)
	MOVQ(l.out, temp)
	SUBQ(a, temp)
	CMPQ(temp, l.start)
	JB(ref("leave"))
	CMPQ(a, Imm(8))
	JB(ref("bytes"))
	Label(label("words", l.k))
	MOVQ(Mem{Base: temp}, entry)
	MOVQ(entry, Mem{Base: l.out})
	ADDQ(Imm(8), temp)
	ADDQ(Imm(8), l.out)
	SUBQ(Imm(8), b)
	JA(ref("words"))
	ADDQ(b, l.out)
	JMP(ref("restore"))
	Label(label("bytes", l.k))
	MOVB(Mem{Base: temp}, entry.As8())
	MOVB(entry.As8(), Mem{Base: l.out})
	INCQ(temp)
	INCQ(l.out)
	DECQ(b)
	JNE(ref("bytes"))

	Label(label("restore", l.k))
	MOVQ(spare(0), a)
	MOVQ(spare(1), b)
	JMP(LabelRef("round"))

	Label(label("leave", l.k))
	MOVQ(spare(2), l.bits)
	MOVQ(spare(3), l.left)
	MOVQ(spare(0), a)
	MOVQ(spare(1), b)
	MOVL(U32(l.k), temp.As32())
	JMP(LabelRef("done"))
}

// second drops the first part of a code, and looks its entry up in the second
// table. It needs a.
func (l *lane) second(table int, a reg.GPPhysical) {
	l.drop()
	MOVL(entry.As32(), a.As32())
	SHRL(Imm(8), a.As32())
	ANDL(Imm(15), a.As32())
	BZHIL(a.As32(), l.bits.As32(), a.As32())
	SHRL(Imm(16), entry.As32())
	ADDL(a.As32(), entry.As32())
	MOVL(l.field(table).Idx(entry, 4), entry.As32())
}

// extended is the package's: it leaves the length or distance of the entry in to,
// and drops its bits.
func (l *lane) extended(to, aside reg.GPPhysical) {
	MOVL(entry.As32(), aside.As32())
	SHRL(Imm(8), aside.As32())
	ANDL(Imm(15), aside.As32())
	SHRXQ(aside, l.bits, to)
	SUBL(entry.As32(), aside.As32())
	NEGL(aside.As32())
	BZHIQ(aside, to, to)
	l.drop()
	SHRL(Imm(16), entry.As32())
	ADDQ(entry, to)
}
