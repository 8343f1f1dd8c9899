import { systemClock } from "@kintsugi/clock";
import {
  clusterRoles,
  isApiError,
  namespaces,
  type Pod,
  pods,
  roleBindings,
  silentLogger,
  silentMetrics,
} from "@kintsugi/api";
import { createApiServer } from "@kintsugi/api-server/factory";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import { createFakeRuntime } from "@kintsugi/cri/simulated";
import { apiConfigSource, createKubelet, kubeletDefaults } from "@kintsugi/kubelet/factory";
import { kubeletRoutes } from "@kintsugi/kubelet/testing";
import {
  MemoryCgroups,
  MemoryFiles,
  MemoryManifests,
  MemoryMounts,
  quietMachine,
  ScriptedProber,
} from "@kintsugi/kubelet/simulated";
import { MemoryStore } from "@kintsugi/store/simulated";
import { expect, test } from "vitest";

// An API server and a kubelet over the fake runtime. A user with all rights in namespace "mine"
// tries to reach the pod of another namespace, and a static pod of the node, through its own pod.

const second = 1000;
const nodeName = "node-1";
const mirror = "kubernetes.io/config.mirror";
const mallory: Identity = { name: "mallory", groups: ["system:authenticated"] };
const script = { name: "c", image: "script.kintsugi.dev/run" };

const manifest = `apiVersion: v1
kind: Pod
metadata: {name: static, namespace: kube-system}
spec: {containers: [{name: c, image: script.kintsugi.dev/run}]}
`;

test("a pod that claims to be another pod's mirror is rejected", async () => {
  await using cluster = await startCluster();
  for (const uid of [cluster.victim.metadata.uid, cluster.staticUid]) {
    const refused = await cluster.user.create(pods, claiming(uid)).catch((error: unknown) => error);
    expect(isApiError(refused, "Forbidden") && refused.message).toContain(`annotation "${mirror}" is reserved`);
  }
  expect(await cluster.listMine()).toEqual([]);
});

test.each(["exec", "attach", "portforward"])(
  "if such a pod is in the store anyway, %s reaches only its own containers",
  async (verb) => {
    await using cluster = await startCluster();
    for (const uid of [cluster.victim.metadata.uid, cluster.staticUid]) {
      await cluster.smuggle(claiming(uid));
      await cluster.clock.advance(5 * second);
      const answer = await cluster.upgrade(mallory, `mine/pods/claims/${verb}?command=id&stdout=1&ports=80`);
      expect(cluster.reached).toEqual([]);
      expect(answer).toMatch(/not found/);
      await cluster.removeClaim();
    }
    // The same request reaches a pod by its own name, so the rejection above is due to the claim.
    const admin = { name: "admin", groups: ["system:masters"] };
    await cluster.upgrade(admin, `other/pods/victim/${verb}?command=id&stdout=1&ports=80`);
    await cluster.upgrade(admin, `kube-system/pods/static-${nodeName}/${verb}?command=id&stdout=1&ports=80`);
    expect(cluster.reached).toEqual([cluster.victim.metadata.uid, cluster.staticUid]);
  },
);

function claiming(uid: string | undefined): Pod {
  return {
    metadata: {
      name: "claims",
      namespace: "mine",
      annotations: { [mirror]: uid ?? "", "kubernetes.io/config.source": "file" },
      finalizers: ["example.com/stay"],
    },
    spec: { nodeName, containers: [script] },
  };
}

interface Identity {
  name: string;
  groups: string[];
}

async function startCluster() {
  const [clock, random] = [new VirtualClock(), new SeededRandom(5)];
  const store = new MemoryStore({ clock });
  const stop = new AbortController();
  const reached: string[] = [];
  const runtime = recording(createFakeRuntime({ clock, random }), reached);
  let dial: (path: string) => Promise<string> = () => Promise.reject(new Error("the kubelet has not started"));
  const kubeletDialer = {
    get: () => Promise.reject(new Error("not asked for")),
    send: () => Promise.reject(new Error("not asked for")),
    upgrade: refusing((path) => dial(path)),
  };
  const server = createApiServer({ store, clock, random, log: silentLogger, metrics: silentMetrics, kubeletDialer });
  const serving = server.run(stop.signal);
  await server.ready;
  const clientOf = (name: string, groups: string[] = []): Client =>
    createInProcessClient(
      { handler: server, clock, random },
      { identity: { name, groups: ["system:authenticated", ...groups] } },
    );
  const admin = clientOf("admin", ["system:masters"]);
  await prepare(admin);
  const kubelet = await makeKubelet({
    client: clientOf(`system:node:${nodeName}`, ["system:nodes"]),
    runtime,
    clock,
    random,
  });
  const running = kubelet.run(stop.signal).catch(() => {});
  dial = (path) => callKubelet(kubelet, path);
  await clock.advance(10 * second);
  const containers = await runtime.listContainers({ state: "running" });
  return {
    clock,
    reached,
    user: clientOf("mallory"),
    victim: await admin.get(pods, { namespace: "other", name: "victim" }),
    // A static pod's uid is a hash.
    staticUid: containers.map(({ labels }) => labels["io.kubernetes.pod.uid"] ?? "").find((uid) => !uid.includes("-")),
    listMine: async () => (await admin.list(pods, { namespace: "mine" })).items,
    smuggle: (pod: Pod) => smuggle({ admin, store }, pod),
    /**
     * The kubelet has deleted the mirror, because it does not mirror one of its pods; only the
     * finalizer keeps it.
     */
    removeClaim: async () => {
      const key = { namespace: "mine", name: "claims" };
      await admin.patch(pods, key, { type: "merge", body: { metadata: { finalizers: null } } });
      await clock.advance(5 * second);
    },
    upgrade: async (identity: Identity, path: string) => {
      const answer = await server.handle({
        method: "GET",
        path: `/api/v1/namespaces/${path}`,
        headers: { upgrade: "websocket", "user-agent": "test" },
        upgrade: "websocket",
        identity,
        signal: stop.signal,
      });
      return Buffer.from(answer.body as Uint8Array).toString();
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await Promise.all([serving, running]);
    },
  };
}

async function prepare(admin: Client): Promise<void> {
  for (const name of ["mine", "other"]) await admin.create(namespaces, { metadata: { name } });
  await admin.create(roleBindings, {
    metadata: { name: "mallory", namespace: "mine" },
    roleRef: { apiGroup: clusterRoles.group, kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: clusterRoles.group, kind: "User", name: "mallory" }],
  });
  const metadata = { name: "victim", namespace: "other" };
  await admin.create(pods, { metadata, spec: { nodeName, containers: [script] } });
}

interface KubeletAround {
  client: Client;
  runtime: ContainerRuntime;
  clock: VirtualClock;
  random: SeededRandom;
}

function makeKubelet(around: KubeletAround) {
  const manifests = new MemoryManifests();
  manifests.write("/manifests/static.yaml", manifest);
  return createKubelet(
    {
      ...around,
      log: silentLogger,
      metrics: silentMetrics,
      manifests,
      files: new MemoryFiles(),
      mounts: new MemoryMounts(),
      machine: quietMachine,
      prober: new ScriptedProber(),
      configSource: apiConfigSource(around.client),
      cgroups: new MemoryCgroups(),
    },
    {
      ...kubeletDefaults,
      nodeName,
      hostname: nodeName,
      nodeIps: ["192.168.0.11"],
      podCidr: "10.244.0.0/24",
      rootDirectory: "/kubelet",
      podLogsDirectory: "/logs",
      memoryDirectory: "/memory",
    },
  );
}

/** Bypasses admission, like an object that an earlier version may have accepted. */
async function smuggle(deps: { admin: Client; store: MemoryStore }, { metadata, spec }: Pod): Promise<void> {
  const { annotations, ...plain } = metadata;
  const made = await deps.admin.create(pods, { metadata: plain, spec: { containers: spec?.containers ?? [] } });
  const { resourceVersion: _, ...meta } = made.metadata;
  const head = JSON.stringify({ kind: "Pod", apiVersion: "v1", metadata: { ...meta, annotations } }).slice(0, -2);
  const tail = JSON.stringify({ spec: { ...made.spec, nodeName }, status: made.status }).slice(1);
  await deps.store.update("core/pods/mine/claims", (current) => ({
    put: { head: Buffer.from(`${head},"resourceVersion":"`), tail: Buffer.from(`"},${tail}`) },
    index: {
      uid: made.metadata.uid ?? "",
      ...current?.index,
      fields: { ...current?.index.fields, "spec.nodeName": nodeName },
    },
    result: undefined,
  }));
}

/** The path from the API server to the kubelet, which ends with the kubelet's message. */
function refusing(dial: (path: string) => Promise<string>) {
  return async (_: unknown, { path }: { path: string }) => {
    const body = [Buffer.from(await dial(path))] as unknown as AsyncIterable<Uint8Array>;
    return { upgraded: false as const, response: { status: 500, contentType: "text/plain", body } };
  };
}

/** Records the pod whose container, or sandbox, a stream would reach, and opens no stream. */
function recording<T extends ContainerRuntime>(runtime: T, reached: string[]): T {
  const refuse = async (id: string): Promise<never> => {
    const found = [...(await runtime.listContainers({ id })), ...(await runtime.listPodSandboxes({ id }))];
    reached.push(found[0]?.labels["io.kubernetes.pod.uid"] ?? "");
    throw new RuntimeError("failed", "reached");
  };
  return Object.assign(runtime, {
    exec: ({ containerId }: { containerId: string }) => refuse(containerId),
    attach: ({ containerId }: { containerId: string }) => refuse(containerId),
    portForward: (sandboxId: string) => refuse(sandboxId),
  });
}

/** Calls the kubelet like its HTTPS server; returns the message of the rejection. */
async function callKubelet(kubelet: Awaited<ReturnType<typeof createKubelet>>, path: string): Promise<string> {
  const url = new URL(path, "http://kubelet");
  const [segment, ...parts] = url.pathname.slice(1).split("/");
  const route = kubeletRoutes({ ...kubelet, clock: systemClock, errors: () => [] } as never).find(
    (each) => each.segment === segment,
  );
  try {
    await route?.upgrade?.({ parts, query: url.searchParams, signal: new AbortController().signal }, {} as never);
    return "no stream was opened";
  } catch (error) {
    return (error as Error).message;
  }
}
