#!/usr/bin/env bash
# Packs what machines need into one archive: ./pack.sh kintsugi.tar.gz, after `npm run bundle`. It unpacks into kintsugi/, from where
# control-plane.sh and node.sh install it.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
archive=$(realpath -m "${1:?usage: pack.sh ARCHIVE.tar.gz}")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

for app in api-server scheduler controller-manager kubelet proxy cli; do
  bundle="$repository/apps/$app/bundle"
  [ -f "$bundle/main.mjs" ] || { echo "$bundle is not there: run \`npm run bundle\` first" >&2; exit 1; }
  install -d "$tree/kintsugi/apps/$app/bundle"
  install -m 0644 "$bundle"/*.mjs "$bundle"/*.script.js "$bundle"/*.code-cache "$tree/kintsugi/apps/$app/bundle/"
done
# The page that the API server serves.
[ -f "$repository/apps/dashboard/bundle/index.html" ] || { echo "apps/dashboard/bundle is not there: run \`npm run bundle\` first" >&2; exit 1; }
install -d "$tree/kintsugi/apps/dashboard"
cp -r "$repository/apps/dashboard/bundle" "$tree/kintsugi/apps/dashboard/bundle"
(cd "$repository" && node tools/copy-native-modules.mjs "$tree/kintsugi")
install -D -m 0755 "$repository/bin/kintsugi" "$tree/kintsugi/bin/kintsugi"
echo '{ "name": "kintsugi", "private": true, "type": "module" }' > "$tree/kintsugi/package.json"
cp -r "$repository/deploy/systemd" "$repository/deploy/provision" "$repository/demo" "$tree/kintsugi/"
tar -czf "$archive" --owner=0 --group=0 -C "$tree" kintsugi
echo "$archive: $(du -h "$archive" | cut -f1)"
