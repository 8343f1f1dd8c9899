import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/**
 * What group or others may do anything with, below a directory and it included: "644 pki/ca.crt", relative to it. `isAllowed` names what is
 * not looked into.
 */
export async function openToOthers(
  root: string,
  isAllowed: (path: string) => boolean = () => false,
): Promise<string[]> {
  const found: string[] = [];
  const walk = async (path: string): Promise<void> => {
    const name = relative(root, path);
    if (isAllowed(name)) return;
    // Files come and go while programs work; the mode of a link says nothing.
    const info = await lstat(path).catch(() => undefined);
    if (info === undefined || info.isSymbolicLink()) return;
    if ((info.mode & 0o077) !== 0) found.push(`${(info.mode & 0o777).toString(8)} ${name === "" ? "." : name}`);
    if (!info.isDirectory()) return;
    for (const each of await readdir(path).catch(() => [])) await walk(join(path, each));
  };
  await walk(root);
  return found.sort();
}
