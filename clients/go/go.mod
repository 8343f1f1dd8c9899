module kintsugi.dev/clients/go

go 1.19
