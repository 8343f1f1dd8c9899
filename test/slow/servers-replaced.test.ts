import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadKubeconfig } from "@kintsugi/client";
import { etcdClientFiles, findCluster, type KnownCluster } from "@kintsugi/lab";
import type { ReplicatedStore } from "@kintsugi/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoServersCluster } from "../support/host-abilities.ts";
import {
  type KubernetesObject,
  kintsugi,
  type LabCluster,
  listServers,
  startLabCluster,
} from "../support/lab-cluster.ts";
import { eventually } from "../support/run-program.ts";
import { etcdEndpoints, openReplica } from "../support/servers/cluster-etcd.ts";
import { keepJournal, type WriteJournal } from "../support/servers/write-journal.ts";

// Three servers that are replaced on purpose: a rolling upgrade under a workload, a stop and a
// start of the whole cluster with all servers and with fewer, and a snapshot below another prefix.

const lacking = whyNoServersCluster();

describe.skipIf(sayWhyNot("servers that are replaced", lacking))("a control plane of three servers", () => {
  let cluster: LabCluster;
  let known: KnownCluster;

  const succeeds = async (...args: string[]) => expect(await cluster.kintsugi(...args)).toMatchObject({ code: 0 });
  const servers = () => listServers(cluster);
  const ready = (names: readonly string[]) =>
    eventually(
      `${names.join(", ")} are ready`,
      async () =>
        (await servers())
          .filter(({ api }) => api === "ready")
          .map(({ name }) => name)
          .join() === names.join(),
      90_000,
    );
  const pods = async () => {
    const { items } = await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", "app=web");
    return items.map(({ metadata, status }) => ({
      uid: metadata.uid,
      restarts: status.containerStatuses?.[0]?.restartCount,
    }));
  };

  beforeAll(async () => {
    cluster = await startLabCluster({ name: "replaced", nodes: 1, args: ["--servers", "3"] });
    const found = await findCluster(cluster.name);
    if (found === undefined) throw new Error("the cluster is not there");
    known = found;
    await cluster.kubectl("create", "deployment", "web", "--image=busybox:1", "--replicas=2", "--", "sleep", "1d");
    await cluster.kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=60s");
    await ready(["server-1", "server-2", "server-3"]);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("a rolling upgrade under a workload fails only requests that succeed when they are retried", async () => {
    const before = await pods();
    const access = loadKubeconfig(cluster.kubeconfig);
    const journal: WriteJournal = keepJournal(access, { prefix: "upgrade", servers: access.servers ?? [] });
    const stop = new AbortController();
    const counts = { done: 0, mended: 0 };
    const unmended: string[] = [];
    const kubectlOnce = async (name: string) => {
      const made = await cluster.tryKubectl(["create", "configmap", name], { timeoutMs: 40_000 });
      if (made.code !== 0 && !made.stderr.includes("already exists")) return made.stderr;
      const read = await cluster.tryKubectl(["get", "configmap", name, "-o", "name"], { timeoutMs: 40_000 });
      return read.code === 0 ? undefined : read.stderr;
    };
    const looping = (async () => {
      for (let turn = 0; !stop.signal.aborted; turn++) {
        const name = `kubectl-${turn}`;
        if ((await kubectlOnce(name)) === undefined) {
          counts.done++;
          continue;
        }
        const again = await kubectlOnce(name);
        if (again === undefined) counts.mended++;
        else unmended.push(again);
      }
    })();
    for (const name of ["server-1", "server-2", "server-3"]) {
      journal.takeLongestStallMs();
      await succeeds("server", "restart", name);
      process.stdout.write(
        `${name} is replaced: the longest wait for a write was ${journal.takeLongestStallMs()} ms\n`,
      );
    }
    await ready(["server-1", "server-2", "server-3"]);
    stop.abort();
    await looping;
    process.stdout.write(`kubectl: ${counts.done} at the first try, ${counts.mended} at the second\n`);
    const lost = await journal.lost();
    await journal.end();
    expect([unmended, journal.failures, journal.missed, lost]).toEqual([[], [], [], []]);
    expect(counts.done).toBeGreaterThan(3);
    expect(journal.acknowledged.length).toBeGreaterThan(20);
    expect(await pods()).toEqual(before);
  });

  test("the timeline names the server that accepted a write, and each change of leader", async () => {
    const { stdout } = await cluster.kintsugi("timeline", "--json");
    const lines = JSON.parse(stdout) as { object: string; what: string; server?: string }[];
    expect(lines.some(({ object, server }) => object.startsWith("pod/") && /^server-[123]$/.test(server ?? ""))).toBe(
      true,
    );
    expect(lines.filter(({ object, what }) => object === "lease/kube-scheduler" && what === "leads")).not.toEqual([]);
  });

  test("a cluster that is stopped and started has its state, and a server that was off remains off", async () => {
    await cluster.kubectl("create", "configmap", "before-stop", "--from-literal=a=b");
    await succeeds("stop", "--grace", "2s");
    await succeeds("start");
    await ready(["server-1", "server-2", "server-3"]);
    expect(await cluster.kubectl("get", "configmap", "before-stop", "-o", "jsonpath={.data.a}")).toBe("b");
    await eventually(
      "the pods run again",
      async () => (await pods()).every(({ restarts = 0 }) => restarts > 0),
      60_000,
    );
    await succeeds("server", "kill", "server-2");
    await succeeds("stop", "--grace", "0s");
    await succeeds("start");
    await ready(["server-1", "server-3"]);
    expect(await cluster.kubectl("get", "configmap", "before-stop", "-o", "jsonpath={.data.a}")).toBe("b");
    await succeeds("server", "return", "server-2");
    await ready(["server-1", "server-2", "server-3"]);
  });

  test("a snapshot of three servers is restored below another prefix, for several replicas", async () => {
    const directory = mkdtempSync(join(tmpdir(), "kintsugi-snapshot-"));
    const { caFile, certFile, keyFile } = etcdClientFiles(known.paths.pki);
    const prefix = "/kintsugi/restored";
    try {
      const file = join(directory, "three.snapshot");
      await succeeds("snapshot", "save", file);
      const urls = etcdEndpoints(known)
        .map((endpoint) => `https://${endpoint}`)
        .join(",");
      const flags = ["--etcd-cafile", caFile, "--etcd-certfile", certFile, "--etcd-keyfile", keyFile];
      const restore = ["snapshot", "restore", file, "--etcd-servers", urls, ...flags, "--etcd-prefix", prefix];
      expect(await kintsugi(restore)).toMatchObject({ code: 0 });
      // The cluster itself is below another prefix, and a second restore would mix two stores.
      const again = await kintsugi(restore);
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("choose another --etcd-prefix")]);
      const [one, other] = [await openReplica(known, { prefix }), await openReplica(known, { prefix })];
      const names = (store: ReplicatedStore) =>
        store.list("core/configmaps/default/").entries.map((entry) => entry.key);
      expect(names(one)).toContain("core/configmaps/default/before-stop");
      expect(names(other)).toEqual(names(one));
      await Promise.all([one.close(), other.close()]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
