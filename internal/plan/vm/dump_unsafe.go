package vm

import (
	"reflect"
	"unsafe"
)

// open lets a field that is not exported be read and written like any other. v
// must be addressable.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// pointer returns where v lies. v must be addressable and a T.
func pointer[T any](v reflect.Value) *T { return (*T)(unsafe.Pointer(v.UnsafeAddr())) }
