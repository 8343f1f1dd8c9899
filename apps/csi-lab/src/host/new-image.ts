import { rename, truncate, writeFile } from "node:fs/promises";
import { runCommand } from "@kintsugi/lab";

/**
 * The journal of a file that was just made is zero already. Without this option mkfs.ext4 writes up
 * to 1 GiB of zeros, all of which the host's disk would hold.
 */
const mkfsArguments = ["-q", "-F", "-m", "0", "-E", "lazy_journal_init=1"];

/**
 * Makes a sparse image; a crash leaves a draft beside it, which the next attempt replaces. A raw
 * one has no file system.
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
