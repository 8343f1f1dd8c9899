import { expect, test } from "vitest";
import { MemoryFiles } from "../../../simulated/memory-files.ts";
import { resolveCdiDevices } from "./cdi-specs.ts";
import { criEdits } from "./cri-edits.ts";

const kind = "gpu.example.com/gpu";
const directories = ["/etc/cdi", "/run/cdi"];
const spec = (containerEdits: object, more: object = {}) => ({
  cdiVersion: "0.6.0",
  kind,
  devices: [{ name: "0", containerEdits }],
  ...more,
});

async function resolved(contents: Readonly<Record<string, unknown>>, ids = [`${kind}=0`]) {
  const files = new MemoryFiles();
  for (const [path, content] of Object.entries(contents)) {
    await files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    await files.write(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  return resolveCdiDevices(files, { directories, ids });
}

test("a device is found in JSON and in YAML, with the edits of its file first", async () => {
  const shared = { containerEdits: { env: ["ALL=1"] } };
  expect(await resolved({ "/etc/cdi/a.json": spec({ env: ["GPU=0"] }, shared) })).toEqual({
    edits: [{ env: ["ALL=1"] }, { env: ["GPU=0"] }],
  });
  const yaml = `cdiVersion: 0.6.0\nkind: ${kind}\ndevices:\n- name: "0"\n  containerEdits:\n    env: [GPU=0]\n`;
  expect(await resolved({ "/run/cdi/a.yaml": yaml })).toEqual({ edits: [{ env: ["GPU=0"] }] });
});

test("the later directory takes precedence, and two files of one directory exclude each other", async () => {
  const [etc, run] = [spec({ env: ["FROM=etc"] }), spec({ env: ["FROM=run"] })];
  expect(await resolved({ "/etc/cdi/a.json": etc, "/run/cdi/a.json": run })).toEqual({
    edits: [{ env: ["FROM=run"] }],
  });
  await expect(resolved({ "/run/cdi/a.json": etc, "/run/cdi/b.json": run })).rejects.toThrow(
    "conflicting CDI device gpu.example.com/gpu=0: it is in /run/cdi/a.json and in /run/cdi/b.json",
  );
});

test.each<[string, string, unknown, RegExp]>([
  ["has an unknown field", "a.json", spec({ magic: true }), /Unrecognized key/],
  ["is too large", "a.json", " ".repeat(1024 * 1024 + 1), /more than 1048576 bytes/],
  ["has aliases", "a.yaml", `a: &a [x]\nb: [*a, *a]\n`, /[Aa]lias/],
  ["is not a specification", "a.json", [1], /expected object/],
  ["is of another form", "a.json", "kind: x", /JSON/],
])("a file that %s is not used, and is named", async (_name, file, content, because) => {
  await expect(resolved({ [`/run/cdi/${file}`]: content })).rejects.toThrow(because);
  await expect(resolved({ [`/run/cdi/${file}`]: content })).rejects.toThrow(
    `unresolvable CDI devices gpu.example.com/gpu=0 (/run/cdi/${file} is not valid: `,
  );
});

test("files in other directories and with other names are not read", async () => {
  const good = spec({});
  await expect(
    resolved({ "/elsewhere/a.json": good, "/run/cdi/a.txt": good, "/run/cdi/.a.json": good }),
  ).rejects.toThrow("unresolvable CDI devices gpu.example.com/gpu=0");
});

test("edits are converted to CRI's own fields", () => {
  const edits = {
    env: ["GPU=0", "EMPTY=", "PAIR=a=b"],
    deviceNodes: [
      { path: "/dev/gpu0", type: "c", major: 195, minor: 0 },
      { path: "/dev/gpu", hostPath: "/dev/gpu1", permissions: "rw" },
    ],
    mounts: [
      { hostPath: "/lab/0", containerPath: "/data", options: ["rbind", "ro", "rprivate"] },
      { hostPath: "/lab/1", containerPath: "/more", options: ["rslave"], type: "bind" },
    ],
  };
  expect(criEdits([edits])).toEqual({
    env: [
      ["GPU", "0"],
      ["EMPTY", ""],
      ["PAIR", "a=b"],
    ],
    devices: [
      { hostPath: "/dev/gpu0", containerPath: "/dev/gpu0", permissions: "rwm" },
      { hostPath: "/dev/gpu1", containerPath: "/dev/gpu", permissions: "rw" },
    ],
    mounts: [
      { hostPath: "/lab/0", containerPath: "/data", readonly: true, recursiveReadOnly: false, propagation: "private" },
      {
        hostPath: "/lab/1",
        containerPath: "/more",
        readonly: false,
        recursiveReadOnly: false,
        propagation: "host-to-container",
      },
    ],
    cdiDevices: [],
  });
});

const mount = { hostPath: "/lab/0", containerPath: "/data" };
test.each<[object, string]>([
  [{ hooks: [{ hookName: "createContainer", path: "/bin/true" }] }, "hooks need a container runtime that applies CDI"],
  [{ intelRdt: { closID: "x" } }, "intelRdt need"],
  [{ additionalGids: [5] }, "additionalGids need"],
  [{ netDevices: [{}] }, "netDevices need"],
  [{ deviceNodes: [{ path: "/dev/gpu", fileMode: 438 }] }, "a device node's fileMode need"],
  [{ deviceNodes: [{ path: "/dev/gpu", uid: 1000 }] }, "a device node's uid and gid need"],
  [{ deviceNodes: [{ path: "/dev/gpu", permissions: "x" }] }, 'permissions "x", not some of r, w and m'],
  [{ mounts: [{ ...mount, options: ["nosuid"] }] }, "the mount option nosuid need"],
  [{ mounts: [{ ...mount, type: "tmpfs" }] }, "a mount of type tmpfs need"],
  [{ mounts: [{ ...mount, hostPath: "/lab/../etc" }] }, 'CDI path "/lab/../etc" must be absolute and without ".."'],
  [{ mounts: [{ ...mount, containerPath: "data" }] }, 'CDI path "data" must be absolute'],
  [{ mounts: [{ ...mount, containerPath: "/" }] }, 'CDI path "/" must be absolute'],
  [{ env: ["=x"] }, 'CDI environment variable "=x" has no name'],
  [{ env: Array.from({ length: 1001 }, (_, index) => `A${index}=`) }, "more than 1000 changes"],
])("%j is rejected", (edits, because) => {
  expect(() => criEdits([edits])).toThrow(because);
});
