#!/usr/bin/env bash
# Brings packages of another Debian suite and installs none: fetch-packages.sh SUITE DIRECTORY PACKAGE... leaves them unpacked in
# DIRECTORY/root and their versions in DIRECTORY/versions. apt itself fetches and verifies, with lists and a cache of its own there.
set -euo pipefail
suite=${1:?usage: fetch-packages.sh SUITE DIRECTORY PACKAGE...}
directory=${2:?}
shift 2
mkdir -p "$directory"/{lists/partial,archives/partial}
cd "$directory"
# From where this host has its own packages.
mirror=$(apt-get indextargets --format '$(SITE)' 'Label: Debian' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:?this host has no packages from Debian} $suite main" > sources.list
: > status
options=(-qq -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$PWD/lists"
  -o "Dir::State::status=$PWD/status" -o "Dir::Cache=$PWD" -o "Dir::Cache::archives=$PWD/archives" -o Acquire::Languages=none
  -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
wanted=$(apt-cache "${options[@]}" show --no-all-versions "$@" | awk '/^Package:/ { name = $2 } /^Version:/ { print name, $2 }')
[ "$(cat versions 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf versions root archives/*.deb
(cd archives && apt-get "${options[@]}" download "$@")
for file in archives/*.deb; do dpkg-deb --extract "$file" root; done
rm archives/*.deb
echo "$wanted" > versions
