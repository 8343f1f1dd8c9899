import { randomUUID } from "node:crypto";
import { rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "@kintsugi/daemon";
import { CommandError } from "../base/command.ts";

export interface AssetCommands {
  readonly kubeApiserver: readonly string[];
  readonly etcd: readonly string[];
}

/**
 * Returns the programs that envtest looks for by name, as shell scripts. Each replaces its shell
 * process, so that signals reach it.
 */
export function assetScripts({ kubeApiserver, etcd }: AssetCommands): Record<string, string> {
  return { "kube-apiserver": inPlace(kubeApiserver), etcd: inPlace(etcd), kubectl: kubectlElsewhere };
}

const inPlace = (words: readonly string[]) => `#!/bin/sh\nexec ${words.map(quoted).join(" ")} "$@"\n`;

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Runs the first kubectl of the PATH that is not this script. */
const kubectlElsewhere = `#!/bin/sh
own=$(cd "$(dirname "$0")" && pwd -P)
IFS=:
for directory in $PATH; do
  if [ -x "$directory/kubectl" ] && [ "$(cd "$directory" && pwd -P)" != "$own" ]; then
    unset IFS
    exec "$directory/kubectl" "$@"
  fi
done
echo "kubectl is not installed: install it, or put it on the PATH" >&2
exit 1
`;

/**
 * Writes the programs into a directory, each by a rename, so that a concurrent suite starts the
 * earlier or the later file.
 * @throws CommandError, UnusableDirectory.
 */
export async function writeAssets(directory: string, scripts: Readonly<Record<string, string>>): Promise<void> {
  await makeDirectory(directory, { flag: "--directory", mode: 0o700 });
  await assertOwn(directory);
  for (const [name, text] of Object.entries(scripts)) {
    const whole = join(directory, `.${name}.${randomUUID()}`);
    await writeFile(whole, text, { mode: 0o755 });
    await rename(whole, join(directory, name));
  }
}

/** A user who can write into the directory controls the programs that the suite runs. */
async function assertOwn(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new CommandError(
    `other users can write into ${directory}, and so change what your suites run: choose a directory of your own with --directory`,
  );
}
