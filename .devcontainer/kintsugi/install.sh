#!/bin/sh
# Installs the command kintsugi into a dev container, by the option VERSION of devcontainer-feature.json.
set -eu
version="${VERSION:-latest}"

if ! command -v npm >/dev/null; then
  echo "kintsugi needs Node.js with npm: add the feature ghcr.io/devcontainers/features/node before it" >&2
  exit 1
fi

case "$version" in
  *.tgz) wanted="$version" ;;
  *) wanted="kintsugi@$version" ;;
esac

if ! npm install --global --ignore-scripts --no-audit --no-fund "$wanted"; then
  echo "$wanted could not be installed; a checkout makes the package's file by \`npm run package\`" >&2
  exit 1
fi
kintsugi --version
