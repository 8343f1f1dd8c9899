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
import { SeededRandom, VirtualClock } from "@kintsugi/clock/testing";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import { createFakeRuntime } from "@kintsugi/cri/testing";
import { apiConfigSource, createKubelet, kubeletDefaults } from "@kintsugi/kubelet/factory";
import {
  kubeletRoutes,
  MemoryCgroups,
  MemoryFiles,
  MemoryManifests,
  MemoryMounts,
  quietMachine,
  ScriptedProber,
} from "@kintsugi/kubelet/testing";
import { MemoryStore } from "@kintsugi/store/testing";
import { expect, test } from "vitest";

// An API server and a kubelet over the fake runtime. A user who may do everything in namespace "mine" tries to reach the pod of
// another namespace, and a static pod of the node, through a pod of his own.

const second = 1000;
const nodeName = "node-1";
const mirror = "kubernetes.io/config.mirror";
const script = { name: "c", image: "script.kintsugi.dev/run" };

const manifest = `apiVersion: v1
kind: Pod
metadata: {name: static, namespace: kube-system}
spec: {containers: [{name: c, image: script.kintsugi.dev/run}]}
`;

test("a pod that claims to be the mirror of another one is refused", async () => {
  await using cluster = await startCluster();
  for (const uid of [cluster.victim.metadata.uid, cluster.staticUid]) {
    const refused = await cluster.user.create(pods, claiming(uid)).catch((error: unknown) => error);
    expect(isApiError(refused, "Forbidden") && refused.message).toContain(`annotation "${mirror}" is reserved`);
  }
  expect(await cluster.listMine()).toEqual([]);
});

test.each(["exec", "attach", "portforward"])(
  "where such a pod is in the store all the same, %s reaches none but its own containers",
  async (verb) => {
    await using cluster = await startCluster();
    for (const uid of [cluster.victim.metadata.uid, cluster.staticUid]) {
      await cluster.smuggle(claiming(uid));
      await cluster.clock.advance(5 * second);
      const answer = await cluster.upgrade(
        cluster.userIdentity,
        `mine/pods/claims/${verb}?command=id&stdout=1&ports=80`,
      );
      expect(cluster.reached).toEqual([]);
      expect(answer).toMatch(/not found/);
      await cluster.removeClaim();
    }
    // The same words reach a pod by its own name, so what is refused above is refused because of the claim.
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

async function startCluster() {
  const [clock, random, log, metrics] = [new VirtualClock(), new SeededRandom(5), silentLogger, silentMetrics];
  const store = new MemoryStore({ clock });
  const stop = new AbortController();
  const reached: string[] = [];
  const runtime = recording(createFakeRuntime({ clock, random }), reached);
  let dial: (path: string) => Promise<string> = () => Promise.reject(new Error("the kubelet has not started"));
  const server = createApiServer({
    store,
    clock,
    random,
    log,
    metrics,
    kubeletDialer: {
      get: () => Promise.reject(new Error("not asked for")),
      upgrade: async (_, { path }) => {
        const text = await dial(path);
        const body = [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>;
        return { upgraded: false, response: { status: 500, contentType: "text/plain", body } };
      },
    },
  });
  const serving = server.run(stop.signal);
  await server.ready;
  const clientOf = (name: string, groups: string[] = []): Client =>
    createInProcessClient(
      { handler: server, clock, random },
      { identity: { name, groups: ["system:authenticated", ...groups] } },
    );
  const admin = clientOf("admin", ["system:masters"]);
  for (const name of ["mine", "other"]) await admin.create(namespaces, { metadata: { name } });
  await admin.create(roleBindings, {
    metadata: { name: "mallory", namespace: "mine" },
    roleRef: { apiGroup: clusterRoles.group, kind: "ClusterRole", name: "edit" },
    subjects: [{ apiGroup: clusterRoles.group, kind: "User", name: "mallory" }],
  });
  const manifests = new MemoryManifests();
  manifests.write("/manifests/static.yaml", manifest);
  const client = clientOf(`system:node:${nodeName}`, ["system:nodes"]);
  const kubelet = await createKubelet(
    {
      ...{ client, runtime, clock, random, log, metrics, manifests },
      files: new MemoryFiles(),
      mounts: new MemoryMounts(),
      machine: quietMachine,
      prober: new ScriptedProber(),
      configSource: apiConfigSource(client),
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
  const running = kubelet.run(stop.signal).catch(() => {});
  dial = (path) => callKubelet(kubelet, path);
  await admin.create(pods, {
    metadata: { name: "victim", namespace: "other" },
    spec: { nodeName, containers: [script] },
  });
  await clock.advance(10 * second);
  const containers = await runtime.listContainers({ state: "running" });
  const staticUid = containers
    .map(({ labels }) => labels["io.kubernetes.pod.uid"] ?? "")
    .find((uid) => !uid.includes("-"));
  const userIdentity = { name: "mallory", groups: ["system:authenticated"] };
  return {
    clock,
    reached,
    userIdentity,
    user: clientOf("mallory"),
    victim: await admin.get(pods, { namespace: "other", name: "victim" }),
    staticUid,
    listMine: async () => (await admin.list(pods, { namespace: "mine" })).items,
    /** Past admission, as what an earlier version may have let in. */
    smuggle: async ({ metadata, spec }: Pod) => {
      const { annotations, ...plain } = metadata;
      const made = await admin.create(pods, { metadata: plain, spec: { containers: spec?.containers ?? [] } });
      const { resourceVersion: _, ...meta } = made.metadata;
      const head = JSON.stringify({ kind: "Pod", apiVersion: "v1", metadata: { ...meta, annotations } }).slice(0, -2);
      const tail = JSON.stringify({ spec: { ...made.spec, nodeName }, status: made.status }).slice(1);
      await store.update("core/pods/mine/claims", (current) => ({
        put: { head: Buffer.from(`${head},"resourceVersion":"`), tail: Buffer.from(`"},${tail}`) },
        index: {
          uid: made.metadata.uid ?? "",
          ...current?.index,
          fields: { ...current?.index.fields, "spec.nodeName": nodeName },
        },
        result: undefined,
      }));
    },
    /** The kubelet has deleted the mirror that shows none of its pods; only the finalizer holds it. */
    removeClaim: async () => {
      const key = { namespace: "mine", name: "claims" };
      await admin.patch(pods, key, { type: "merge", body: { metadata: { finalizers: null } } });
      await clock.advance(5 * second);
    },
    upgrade: async (identity: { name: string; groups: string[] }, path: string) => {
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

/** Notes the pod whose container, or sandbox, a stream would reach, and opens none. */
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

/** As the kubelet's HTTPS server does: the words of the refusal. */
async function callKubelet(kubelet: Awaited<ReturnType<typeof createKubelet>>, path: string): Promise<string> {
  const url = new URL(path, "http://kubelet");
  const [segment, ...parts] = url.pathname.slice(1).split("/");
  const route = kubeletRoutes({ ...kubelet, errors: () => [] } as never).find((each) => each.segment === segment);
  try {
    await route?.upgrade?.({ parts, query: url.searchParams, signal: new AbortController().signal }, {} as never);
    return "no stream was opened";
  } catch (error) {
    return (error as Error).message;
  }
}
