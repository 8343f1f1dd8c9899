#!/usr/bin/env bash
# Builds kube-apiserver, kube-controller-manager and kube-scheduler v1.20.2 from Debian's source
# package `kubernetes` into DIRECTORY/bin. Takes 40 minutes on two idle cores, and 4 GB.
# Usage: build-kubernetes.sh DIRECTORY
set -euo pipefail
directory=$(realpath -m "${1:?usage: build-kubernetes.sh DIRECTORY}")
for program in go dpkg-source; do
  command -v "$program" >/dev/null || { echo "$program is missing: apt-get install golang-go dpkg-dev" >&2; exit 1; }
done
export GOPATH=$directory/gopath GO111MODULE=off CGO_ENABLED=0 GOPROXY=off GOFLAGS=
export GOCACHE=$directory/gocache GOTMPDIR=$directory/gotmp
mkdir -p "$directory"/{bin,download,gotmp,gocache,gopath/src/k8s.io}
source=$GOPATH/src/k8s.io/kubernetes

if [ ! -d "$source" ]; then
  # Debian's own entry with deb-src in place of deb, for this download only.
  entry=$(mktemp --suffix=.sources)
  trap 'rm -f "$entry"' EXIT
  sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$entry"
  options=(-o Dir::Etc::SourceList="$entry" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$directory/lists")
  mkdir -p "$directory/lists/partial"
  apt-get "${options[@]}" update -qq
  (cd "$directory/download" && apt-get "${options[@]}" source --download-only -qq kubernetes)
  mkdir "$source"
  tar -xzf "$directory"/download/kubernetes_*.orig.tar.gz --strip-components=1 -C "$source"
fi
cd "$source"

# The API server contains OpenAPI definitions that the source package lacks.
if [ ! -f pkg/generated/openapi/zz_generated.openapi.go ]; then
  go build -p 1 -o "$directory/bin/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
  packages=$(grep -rlE '\+k8s:openapi-gen=' --include=*.go staging/src/k8s.io pkg cmd |
    grep -vE 'sample-apiserver|code-generator' | xargs -n 1 dirname |
    sed 's#^staging/src/#k8s.io/kubernetes/vendor/#; s#^\(pkg\|cmd\)/#k8s.io/kubernetes/\1/#' | sort -u | paste -sd,)
  "$directory/bin/openapi-gen" --logtostderr -i "$packages" -p k8s.io/kubernetes/pkg/generated/openapi \
    -O zz_generated.openapi -h hack/boilerplate/boilerplate.generatego.txt -r "$directory/violations" \
    --output-base "$GOPATH/src"
fi

version="-s -w"
for package in k8s.io/component-base/version k8s.io/kubernetes/vendor/k8s.io/component-base/version; do
  version="$version -X $package.gitVersion=v1.20.2 -X $package.gitMajor=1 -X $package.gitMinor=20"
done
for program in kube-scheduler kube-controller-manager kube-apiserver; do
  nice go build -p 1 -trimpath -ldflags "$version" -o "$directory/bin/" "./cmd/$program"
done
