import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MemoryFiles } from "../../simulated/memory-files.ts";
import type { Files } from "./files.ts";
import { nodeFiles } from "./node-files.ts";

// The file system in memory behaves like the machine's for every operation of a kubelet.

const directories = ["a", "a/b", "c"] as const;
const files = ["x", "y", "z"] as const;
const inDirectory = fc
  .tuple(fc.constantFrom(...directories), fc.constantFrom(...files))
  .map((parts) => parts.join("/"));

/** Performs one operation below the root, and returns everything that its caller can observe. */
type Act = (files: Files, root: string) => Promise<unknown>;

const seenText = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString();

/** Moves an existing path, because the machine rejects the move of a missing path. */
async function move(on: Files, { from, to }: { from: string; to: string }): Promise<unknown> {
  const kind = await on.kindOf(from);
  if (kind === undefined || from === to) return kind;
  await on.remove(to);
  return on.rename(from, to);
}

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(inDirectory, fc.string()).map(
    ([path, text]): Act =>
      (on, root) =>
        on.write(join(root, path), text),
  ),
  fc.constantFrom(...directories).map(
    (path): Act =>
      (on, root) =>
        on.makeDirectory(join(root, path)),
  ),
  inDirectory.map((path): Act => async (on, root) => {
    await on.makeDirectory(join(root, path, ".."));
    await on.create(join(root, path), 0o600);
  }),
  fc.constantFrom(...directories).map(
    (path): Act =>
      (on, root) =>
        on.remove(join(root, path)),
  ),
  inDirectory.map(
    (path): Act =>
      (on, root) =>
        on.remove(join(root, path)),
  ),
  fc.tuple(inDirectory, inDirectory).map(([from, to]): Act => async (on, root) => {
    await on.makeDirectory(join(root, to, ".."));
    return move(on, { from: join(root, from), to: join(root, to) });
  }),
  fc.constant<Act>((on, root) => move(on, { from: join(root, "a"), to: join(root, "c") })),
  inDirectory.map((path): Act => async (on, root) => {
    if ((await on.kindOf(join(root, path))) === "file") await on.compress(join(root, path));
  }),
);

async function look(on: Files, root: string): Promise<unknown> {
  const paths = directories.flatMap((directory) => [directory, ...files.map((file) => `${directory}/${file}`)]);
  return Promise.all(
    paths.map(async (name) => {
      const path = join(root, name);
      const [text, [size]] = [seenText(on.readTail(path, 4)), await on.sizes([path])];
      return { name, names: await on.list(path), kind: await on.kindOf(path), text, size };
    }),
  );
}

test("files in memory behave as the machine's files", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { maxLength: 12 }), async (chosen) => {
      const root = await mkdtemp(join(tmpdir(), "files-contract-"));
      try {
        const memory = new MemoryFiles();
        for (const act of chosen) {
          const [real, virtual] = [await act(nodeFiles, root), await act(memory, root)];
          expect(virtual).toEqual(real);
          expect(await look(memory, root)).toEqual(await look(nodeFiles, root));
        }
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    }),
    { numRuns: 100 },
  );
});

test("a link is listed, and another link replaces it in one step", async () => {
  const root = await mkdtemp(join(tmpdir(), "files-contract-"));
  try {
    for (const on of [nodeFiles, new MemoryFiles()]) {
      await on.write(join(root, "version-1/key"), "text");
      await on.link("version-1", join(root, "..data"));
      await on.link("version-2", join(root, "..data"));
      expect(await on.list(root)).toEqual(["..data", "version-1"]);
      expect((await on.usage(join(root, "version-1"))).inodes).toBe(2);
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});
