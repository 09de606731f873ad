module praxis

go 1.26.3
