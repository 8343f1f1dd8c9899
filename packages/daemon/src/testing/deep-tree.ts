import { constants } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";

/**
 * Makes directories below a directory, each inside the previous directory, as a container would. It
 * works step by step, so that the path to the deepest directory may exceed the limit of a system
 * call. Each directory has a file.
 */
export async function makeDeepTree(root: string, { depth, name }: { depth: number; name: string }): Promise<void> {
  let current = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (let level = 0; level < depth; level++) {
      const path = `/proc/self/fd/${current.fd}`;
      await writeFile(`${path}/file`, "text");
      await mkdir(`${path}/${name}`);
      const next = await open(`${path}/${name}`, constants.O_RDONLY | constants.O_DIRECTORY);
      await current.close();
      current = next;
    }
  } finally {
    await current.close();
  }
}
