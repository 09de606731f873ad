package main

// suite is the release of Debian that packages are taken from. Its main archive is not
// changed any more, so what root.json names can be fetched for years.
const suite = "bookworm"

// chosen are the packages of the root file system: what programs need (the C library
// and its loader, the libraries of C++), a shell and the tools that people and models
// write scripts with, certificates, time zones, fonts. Libraries that they need follow by
// name, so that nothing comes in unseen.
func chosen() []string {
	return []string{
		"libc6", "libc-bin", "gcc-12-base", "libgcc-s1", "libstdc++6", "libcrypt1", "libexpat1",
		"bash", "dash", "coreutils", "debianutils", "grep", "sed", "mawk", "findutils", "diffutils", "patch",
		"tar", "gzip", "bzip2", "xz-utils", "git", "ripgrep",
		"libtinfo6", "libselinux1", "libpcre2-8-0", "libacl1", "libattr1", "libgmp10", "liblzma5", "zlib1g", "libbz2-1.0",
		"ncurses-base", "tzdata", "ca-certificates", "fonts-dejavu-core", "fonts-droid-fallback",
	}
}

// rootDrop is what a sandbox has no use for of the packages: manuals and translations,
// what configures a machine, rare encodings, and what of git needs Perl or a network. The
// licences stay (usr/share/doc/NAME/copyright).
func rootDrop() drop {
	return drop{
		"etc", "var", "usr/sbin", "usr/games", "usr/include", "usr/share/man", "usr/share/info", "usr/share/locale",
		"usr/share/lintian", "usr/share/bug", "usr/share/menu", "usr/share/perl5", "usr/share/gitweb", "usr/share/libc-bin",
		"usr/share/bash-completion", "usr/share/debianutils", "usr/share/doc-base", "usr/share/gcc", "usr/share/gdb", "usr/share/tabset",
		"usr/share/fish", "usr/share/zsh", "usr/share/git-core/contrib", "usr/share/fonts-droid-fallback",
		"usr/share/doc/*/[^c]*", "usr/share/doc/*/c[^o]*", "usr/share/doc/*/co[^p]*",
		"usr/share/zoneinfo/right", "usr/share/zoneinfo/posix",
		"usr/lib/systemd", "usr/lib/tmpfiles.d", "usr/lib/sysusers.d", "usr/lib/valgrind", "usr/lib/mime", "usr/lib/*/audit", "usr/lib/*/perl5",
		// Of the encodings, those of Western Europe and of Unicode stay.
		"usr/lib/*/gconv/[A-BD-HJ-TV-Z]*", "usr/lib/*/gconv/C[^P]*", "usr/lib/*/gconv/CP[^1]*", "usr/lib/*/gconv/I[^S]*",
		"usr/lib/*/gconv/IS[^O]*", "usr/lib/*/gconv/ISO[^8]*", "usr/lib/*/gconv/lib*", "usr/lib/*/gconv/UHC*",
		"usr/bin/bashbug", "usr/bin/localedef", "usr/bin/pldd", "usr/bin/tzselect", "usr/bin/zdump", "usr/bin/scalar", "usr/bin/git-shell",
		"usr/bin/savelog", "usr/bin/ischroot",
		"usr/lib/git-core/git-http-*", "usr/lib/git-core/git-remote-*", "usr/lib/git-core/git-imap-send", "usr/lib/git-core/git-daemon",
		"usr/lib/git-core/git-shell", "usr/lib/git-core/scalar", "usr/lib/git-core/mergetools", "usr/lib/git-core/git-mergetool*",
		"usr/lib/git-core/git-add--interactive", "usr/lib/git-core/git-instaweb", "usr/lib/git-core/git-filter-branch",
		"usr/lib/git-core/git-send-email", "usr/lib/git-core/git-request-pull", "usr/lib/git-core/git-quiltimport",
		"usr/lib/git-core/git-web--browse", "usr/lib/git-core/git-sh-i18n--envsubst",
	}
}

// links are what the packages' scripts make when they are installed on a machine: the
// names of folders before all of them moved below usr, and the programs that several
// packages could be.
func links() map[string]string {
	return map[string]string{
		"bin": "usr/bin", "sbin": "usr/bin", "usr/sbin": "bin", "lib": "usr/lib", "lib64": "usr/lib64",
		"usr/share/terminfo": "../lib/terminfo", "usr/bin/awk": "mawk", "usr/bin/which": "which.debianutils", "usr/lib/git-core/git": "../../bin/git",
	}
}

// certificates is the file in which programs look for the authorities that they trust.
const certificates = "etc/ssl/certs/ca-certificates.crt"
