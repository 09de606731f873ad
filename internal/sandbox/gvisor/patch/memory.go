package patch

// memory lets the memory of a restored guest be read when somebody touches it. gVisor
// reads all of it in the background, which costs every session the memory for pages that
// most of them never look at. Now what is touched is read, with some of what lies around
// it, and the rest when the guest is saved.
func memory() []edit {
	const (
		mapping = "pkg/sentry/mm/address_space.go"
		looking = "pkg/sentry/mm/pma.go"
		copying = "pkg/sentry/mm/io.go"
		holding = "pkg/sentry/pgalloc/pgalloc.go"
		loading = "pkg/sentry/pgalloc/save_restore.go"
		saving  = "runsc/boot/restore.go"
	)
	const oneMapping = "return pseg.ValuePtr().internalMappings.DropFirst64(offset).TakeFirst64(uint64(ar.Length())), nil, nil"
	return []edit{
		// How much is mapped at once, and so read, where something is still to be read. With
		// half of it a guest touches a fifth less, and twice as many touches have to wait.
		{mapping, "&& mf.IsAsyncLoading() {", "&& mf.AnyUnloaded(pseg.fileRange()) {", 1},
		{mapping, "setMapUnit(32 << 20)", "setMapUnit(128 << 10)", 1},

		// The sentry's own view is of a whole stretch of memory: what it looks at in it is
		// read, and not the stretch when the view is made.
		{looking, "ims, err := pma.file.MapInternal(pseg.fileRange(), perms)", "ims, err := mapUnloaded(pma.file, pseg.fileRange(), perms)", 1},
		{looking, "func (mm *MemoryManager) internalMappingsLocked(", "func (mm *MemoryManager) unloadedMappingsLocked(", 1},
		{copying, oneMapping, "if err := pseg.awaitLoaded(ar); err != nil {\n\t\t\treturn safemem.BlockSeq{}, nil, err\n\t\t}\n\t\t" + oneMapping, 1},
		{copying, "\t\tpmaAR := ar.Intersect(pseg.Range())\n\t\tif err := pseg.getInternalMappingsLocked(); err == nil {\n",
			"\t\tpmaAR := ar.Intersect(pseg.Range())\n\t\tif err := pseg.awaitLoaded(pmaAR); err != nil {\n\t\t\treturn ims, t, unbufBytes, err\n\t\t}\n\t\tif err := pseg.getInternalMappingsLocked(); err == nil {\n", 1},
		{holding, "func (f *MemoryFile) MapInternal(", "func (f *MemoryFile) MapUnloaded(", 1},
		{holding, "\tif amfl := f.asyncPageLoad.Load(); amfl != nil {\n\t\tif err := amfl.awaitLoad(fr); err != nil {\n\t\t\treturn safemem.BlockSeq{}, err\n\t\t}\n\t}\n", "", 1},

		// The reader sleeps while nobody waits, and has read what there is only when there
		// is nothing left.
		{loading, "lfStatus syncevent.Waiter\n", "lfStatus syncevent.Waiter\n\n\t// rest says that pages are to be read that nobody waits for.\n\trest atomicbitops.Bool\n", 1},
		{loading, "for amfl := apfl.amfls.Front(); amfl != nil; amfl = amfl.Next() {\n\t\t\t\tamfl.f.mu.Lock()\n",
			"for amfl := apfl.amfls.Front(); amfl != nil; amfl = amfl.Next() {\n\t\t\t\tif !apfl.readsAll(amfl) {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n\t\t\t\tamfl.f.mu.Lock()\n", 1},
		{loading, "pending := w.pending != 0\n", "pending := w.pending != 0\n\tif pending {\n\t\tapfl.lfStatus.Notify(aplLFPending)\n\t}\n", 1},
		{loading, "func (amfl *asyncMemoryFileLoad) awaitLoad(", "func (amfl *asyncMemoryFileLoad) awaitReader(", 1},
		{loading, "return amfl.awaitLoad(memmap.FileRange{0,", "return amfl.awaitReader(memmap.FileRange{0,", 1},
		{loading, "apfl.ar.Close()", "apfl.closeFile()", 1},
		{loading, "ev := apfl.lfStatus.Wait()", "ev := apfl.waitForWork()", 1},

		{saving, "func (l *Loader) save(o *control.SaveOpts) (err error) {\n", "func (l *Loader) save(o *control.SaveOpts) (err error) {\n\tl.k.MemoryFile().LoadRest()\n", 1},
	}
}
