module kintsugi.dev/envtest-replica

go 1.19
