module example.com/acme/words

go 1.20
