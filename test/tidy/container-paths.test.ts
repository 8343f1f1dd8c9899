import { expect, test } from "vitest";
import { type SourceFile, sourceFiles } from "./source-files.ts";

// A container may replace any name of its volumes by a link between two calls, and make trees that
// are deeper than the maximum length of a path. So the programs that share files with containers
// walk trees only by descriptors: `removeTree`, `treeUsage` and `walkTree` of @kintsugi/daemon, and
// the kubelet's `grantGroup` and `openInside`.

const workspaces = ["apps/kubelet", "apps/csi-lab", "apps/device-lab", "packages/lab", "apps/cli"];

/** Calls that act on the last file of a path, or on everything below it. */
const byPath = ["chmod", "chown", "lchown", "cp", "opendir", "lutimes", "utimes"];

/** Files that may use a call by a path, with the reason why containers cannot misuse it. */
const allowed: Readonly<Record<string, { calls: readonly string[]; because: string }>> = {
  "apps/kubelet/src/machine/files/open-inside.ts": { calls: ["chmod", "chown"], because: "the path is a descriptor's" },
  "apps/kubelet/src/machine/files/grant-group.ts": {
    calls: ["chmod", "chown", "lchown"],
    because: "the path is a descriptor's, or one name below it and no link is followed",
  },
  "apps/kubelet/src/machine/files/node-files.ts": {
    calls: ["lchown"],
    because: "files of the API's volumes, which containers only read",
  },
  "apps/csi-lab/src/host/copy-tree.ts": {
    calls: ["lchown", "lutimes"],
    because: "the path is one name below a descriptor, and no link is followed",
  },
  "packages/lab/src/supervisor/control-server.ts": { calls: ["chmod"], because: "a socket of the supervisor" },
  "packages/lab/src/compose/write-identities.ts": { calls: ["chown"], because: "files of a bundle" },
  "apps/cli/src/images/image-command.ts": { calls: ["recursive rm"], because: "a scratch directory of its own" },
  "apps/cli/src/logs/export-logs.ts": {
    calls: ["recursive readdir"],
    because: "folders of logs, in which programs of root alone create files",
  },
  "apps/cli/src/playground/serve-files.ts": { calls: ["recursive readdir"], because: "files of the package" },
  "apps/cli/src/demo/compose-stage.ts": { calls: ["recursive rm"], because: "files of a bundle" },
  "apps/cli/src/demo/vagrant-stage.ts": { calls: ["recursive rm"], because: "a scratch directory of its own" },
};

/** Lists the calls by path that a file uses. */
function callsByPath({ text }: SourceFile): string[] {
  const calls = new Set<string>();
  for (const [, names = ""] of text.matchAll(/import \{([^}]*)\} from "node:fs(?:\/promises)?";/g)) {
    for (const part of names.split(",")) {
      const name = part.trim().split(" as ")[0]?.replace(/Sync$/, "") ?? "";
      if (byPath.includes(name)) calls.add(name);
    }
  }
  if (/import (?:\* as )?\w+ from "node:fs/.test(text)) calls.add("all of node:fs");
  for (const [, name = ""] of text.matchAll(/\b(rm|readdir|rmdir|cp)(?:Sync)?\((?:[^()]|\([^()]*\))*recursive: true/g))
    calls.add(`recursive ${name}`);
  return [...calls].sort();
}

const isTest = (path: string) => path.endsWith(".test.ts") || path.includes("/testing/");

test("trees that containers may write to are walked by descriptors", () => {
  const files = workspaces.flatMap((each) => sourceFiles(`${each}/src`)).filter(({ path }) => !isTest(path));
  const found = files.map((file) => [file.path, callsByPath(file)] as const).filter(([, calls]) => calls.length > 0);
  const expected = Object.entries(allowed).map(([path, { calls }]) => [path, calls.toSorted()] as const);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

test.each([
  ["chmod", 'import { chmod } from "node:fs/promises";'],
  ["chown", 'import { mkdirSync, chownSync as own } from "node:fs";'],
  ["recursive rm", "await rm(join(root, name), { recursive: true, force: true });"],
  ["recursive readdir", "for (const name of readdirSync(root, { recursive: true })) use(name);"],
  ["all of node:fs", 'import * as fs from "node:fs";'],
])("%s is detected", (call, text) => {
  expect(callsByPath({ path: "a.ts", text })).toEqual([call]);
});
