import { rename, truncate, writeFile } from "node:fs/promises";
import { runCommand } from "@kintsugi/daemon";

/**
 * The journal of a new file already contains only zeros. Without this option mkfs.ext4 would write
 * up to 1 GiB of zeros, which would use space on the host's disk.
 */
const mkfsArguments = ["-q", "-F", "-m", "0", "-E", "lazy_journal_init=1"];

/**
 * Makes a sparse image. A crash leaves a draft next to it, which the next attempt replaces. A raw
 * image has no file system.
 */
export async function makeImage(image: string, { bytes, isRaw = false }: { bytes: number; isRaw?: boolean }) {
  const draft = draftOf(image);
  await writeFile(draft, "", { mode: 0o600 });
  await truncate(draft, bytes);
  if (!isRaw) await runCommand("mkfs.ext4", [...mkfsArguments, draft]);
  await rename(draft, image);
}

export function draftOf(image: string): string {
  return `${image}.new`;
}
