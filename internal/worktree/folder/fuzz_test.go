package folder

import "testing"

// FuzzTracked reads indexes of git that nobody vouches for.
func FuzzTracked(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00\x39\xd8\x90\x13\x9e\xe5\x35\x6c\x7e\xf5\x72\x21\x6c\xeb\xcd\x27\xaa\x41\xf9\xdf"))
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := tracked(data)
		if err != nil && files != nil {
			t.Error("an index that cannot be read has files")
		}
	})
}
