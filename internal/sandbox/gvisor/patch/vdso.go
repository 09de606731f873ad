package patch

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// vdsoFile is the code of the sentry that runs in every program of the guest, for questions
// that need no system call.
const vdsoFile = "pkg/sentry/loader/vdsodata/vdso_amd64.so"

// processor has the question which processor a thread runs on answered without a system call.
// Libraries that keep a counter for each processor ask it thousands of times a second (DuckDB
// does at each allocation), and gVisor's vDSO makes a call of each, which takes longer than
// what it was asked for.
//
// A thread may be on any processor that it is allowed, and on another one as soon as it knows:
// the first one is as good as any until a program may not run on that. From then on it is a
// call again, in the whole sandbox.
func processor() []edit {
	return []edit{
		{"pkg/sentry/kernel/task_sched.go", "\tt.allowedCPUMask = mask\n\tt.cpu.Store(assignCPU(mask, rootTID))\n\treturn nil\n",
			"\tt.allowedCPUMask = mask\n\tt.cpu.Store(assignCPU(mask, rootTID))\n\tif mask[0]&1 == 0 {\n\t\treturn t.k.vdsoParams.leaveFirstCPU()\n\t}\n\treturn nil\n", 1},
	}
}

const (
	pageSize = 4096

	// leftAt is where the page of parameters, which lies before the code, says that a program
	// may not run on the first processor; added/vdso.go.txt writes it.
	leftAt = pageSize - 8
)

var (
	askProcessor = []byte{
		0xf3, 0x0f, 0x1e, 0xfa, // endbr64
		0xb8, 0x35, 0x01, 0x00, 0x00, // mov $SYS_getcpu, %eax
		0x0f, 0x05, // syscall
		0x48, 0x98, // cltq
		0xc3, // ret
	}
	firstProcessor = []byte{
		0x80, 0x3d, 0, 0, 0, 0, 0, // cmpb $0, left(%rip)
		0x75, 0x11, // jne ask
		0x31, 0xc0, // xor %eax, %eax
		0x48, 0x85, 0xff, // test %rdi, %rdi
		0x74, 0x02, // je node
		0x89, 0x07, // mov %eax, (%rdi)
		0x48, 0x85, 0xf6, // node: test %rsi, %rsi
		0x74, 0x02, // je out
		0x89, 0x06, // mov %eax, (%rsi)
		0xc3, // out: ret
		// ask: what askProcessor is
	}
)

// answerProcessor returns the vDSO with another __vdso_getcpu. The new code stands behind the
// file, on its last page, which is mapped whole, and a jump to it where the old code began.
func answerProcessor(vdso []byte) ([]byte, error) {
	file, err := elf.NewFile(bytes.NewReader(vdso))
	if err != nil {
		return nil, err
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	var text *elf.Prog
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			text = p
		}
	}
	var at uint64
	for _, s := range symbols {
		if s.Name == "__vdso_getcpu" && text != nil {
			at = s.Value - text.Vaddr
		}
	}
	code := (len(vdso) + 15) &^ 15
	if at == 0 || text.Off != 0 || at > uint64(len(vdso)) || !bytes.HasPrefix(vdso[at:], askProcessor) {
		return nil, fmt.Errorf("the vDSO has another __vdso_getcpu")
	}
	if last := int(text.Filesz-1) / pageSize; code/pageSize != last || (code+len(firstProcessor)+len(askProcessor)-1)/pageSize != last {
		return nil, fmt.Errorf("the page of the code in the vDSO is full")
	}
	out := append(make([]byte, 0, code+len(firstProcessor)+len(askProcessor)), vdso...)
	out = append(out, make([]byte, code-len(vdso))...)
	out = append(append(out, firstProcessor...), askProcessor...)
	binary.LittleEndian.PutUint32(out[code+2:], uint32(int32(leftAt-pageSize-(code+7))))
	jump := int(at) + 4 // behind endbr64
	out[jump] = 0xe9
	binary.LittleEndian.PutUint32(out[jump+1:], uint32(int32(code-(jump+5))))
	return out, nil
}
