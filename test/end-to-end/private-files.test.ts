import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { configMaps } from "@kintsugi/api";
import { findCluster, nodePaths } from "@kintsugi/lab";
import { describe, expect, test } from "vitest";
import { prepareApiServer } from "../support/servers/api-server-process.ts";
import { sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { startLabCluster } from "../support/lab-cluster.ts";

test("no file of a running API server is open to other users", async () => {
  await using server = await prepareApiServer();
  await server.start();
  // Enough that LevelDB begins a new log and writes its first table.
  for (let i = 0; i < 24; i++) {
    const data = { filler: "x".repeat(900_000) };
    const made = { apiVersion: "v1" as const, kind: "ConfigMap" as const, metadata: { name: `filler-${i}` }, data };
    await server.client.create(configMaps, made, { namespace: "default" });
  }
  expect(await openToOthers(server.dataDirectory)).toEqual([]);
});

describe.skipIf(sayWhyNot("clusters on this host", whyNoClusters()))("a cluster on this host", () => {
  test("protects its files from other users, except for public files and a container's own", async () => {
    await using cluster = await startLabCluster({ name: "private-files", nodes: 1, proxy: true });
    await cluster.apply(secretAndPod);
    await cluster.kubectl("wait", "--for=condition=Ready", "pod/reader", "--timeout=60s");
    const known = await findCluster(cluster.name);
    if (known === undefined) throw new Error("the cluster is not there");
    const { paths } = known;
    const isAllowed = (path: string) => allowed.some(({ where }) => where.test(path));
    for (const directory of [paths.data, paths.run, paths.memory])
      expect([directory, await openToOthers(directory, isAllowed)]).toEqual([directory, []]);
    const ofNode = nodePaths(paths, { name: "node-1" });
    // Other users cannot reach the allowed files, because the directories above them are closed.
    for (const directory of [paths.pki, ofNode.data, ofNode.kubeletRoot, ofNode.kubeletMemory])
      expect([directory, await openToOthers(directory, (path) => path !== "")]).toEqual([directory, []]);
  });
});

/**
 * The reason why each may be open: it does not contain a secret, or a pod's user has to read it.
 */
const allowed: readonly { where: RegExp; because: string }[] = [
  { where: /^pki\/[^/]+\.crt$/, because: "certificates are public, and kubeadm gives them this mode" },
  {
    where: /^(nodes\/)?[^/]+\/containerd$/,
    because: "containerd's own: root file systems, in which users of containers read",
  },
  { where: /^[^/]+\/containerd\.sock(\.ttrpc)?$/, because: "containerd's own: its group may, which is root's" },
  { where: /^nodes\/[^/]+\/ipam$/, because: "the network plugin's own: the owners of addresses" },
  {
    where: /^nodes\/[^/]+\/kubelet\/pod-logs$/,
    because: "upstream's modes, and the runtime's for the logs themselves",
  },
  {
    where: /^nodes\/[^/]+\/kubelet\/pods$/,
    because: "upstream's modes: files that are mounted for users of containers",
  },
  { where: /^node-1\/[0-9a-f-]{36}$/, because: "the same in memory: Secrets, with the modes that their pods ask for" },
];

const secretAndPod = `
apiVersion: v1
kind: Secret
metadata: { name: reader }
stringData: { word: hidden }
---
apiVersion: v1
kind: Pod
metadata: { name: reader }
spec:
  volumes: [{ name: secret, secret: { secretName: reader } }]
  containers:
    - name: reader
      image: busybox:1
      command: [sleep, "3600"]
      volumeMounts: [{ name: secret, mountPath: /secret }]
`;

/**
 * Lists the files to which group or others have any right, in a directory and below it: "644
 * pki/ca.crt", relative to it. `isAllowed` names the paths that are skipped.
 */
async function openToOthers(root: string, isAllowed: (path: string) => boolean = () => false): Promise<string[]> {
  const found: string[] = [];
  const walk = async (path: string): Promise<void> => {
    const name = relative(root, path);
    if (isAllowed(name)) return;
    // Files appear and disappear while programs work; the mode of a link does not matter.
    const info = await lstat(path).catch(() => undefined);
    if (info === undefined || info.isSymbolicLink()) return;
    if ((info.mode & 0o077) !== 0) found.push(`${(info.mode & 0o777).toString(8)} ${name === "" ? "." : name}`);
    if (!info.isDirectory()) return;
    for (const each of await readdir(path).catch(() => [])) await walk(join(path, each));
  };
  await walk(root);
  return found.sort();
}
