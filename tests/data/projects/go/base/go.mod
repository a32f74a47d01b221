module example.com/acme/store

go 1.21
