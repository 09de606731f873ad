package vm

import "sync"

// once is a value of the whole process that is made when it is first needed. It
// has no initializer that names the function, because the tables of natives
// lead back to the machine.
type once[T any] struct {
	once sync.Once
	v    T
}

func (o *once[T]) get(f func() T) T {
	o.once.Do(func() { o.v = f() })
	return o.v
}
