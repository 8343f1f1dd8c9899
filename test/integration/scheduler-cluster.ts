import { type ApiObject, type Event, events, nodes, pods, type PodSpec, priorityClasses } from "@kintsugi/api";
import { type Informer, type HandlerRequest, type HandlerResponse, type RequestHandler } from "@kintsugi/client";
import { createScheduler, type SchedulerOptions } from "@kintsugi/scheduler/factory";
import { startApiInMemory } from "../support/servers/api-in-memory.ts";

const second = 1000;

type Intercept = (
  request: HandlerRequest,
  forward: (request: HandlerRequest) => Promise<HandlerResponse>,
) => Promise<HandlerResponse>;

interface ClusterOptions extends Partial<Omit<SchedulerOptions, "leaderElection">> {
  schedulers?: number;
  /** A proxy between the schedulers and the server. */
  intercept?: Intercept;
  leaderElection?: Omit<NonNullable<SchedulerOptions["leaderElection"]>, "identity">;
}

/**
 * Starts an API server with schedulers, in virtual time. The pods are not run by a kubelet: they
 * are bound, and removed immediately when they are deleted.
 */
export async function startSchedulerCluster({
  schedulers = 1,
  leaderElection,
  intercept,
  ...options
}: ClusterOptions = {}) {
  const { clock, random, log, metrics, store, server, stop, serving, clientOf } = await startApiInMemory();
  const intercepted: RequestHandler =
    intercept === undefined ? server : { handle: async (request) => intercept(request, server.handle) };
  const client = clientOf("admin", ["system:masters"]);
  const running: { stop: AbortController; done: Promise<void> }[] = [];

  let copyOfPods: Pick<Informer<ApiObject>, "list"> | undefined;
  const startScheduler = () => {
    const own = clientOf("system:kube-scheduler", [], intercepted);
    own.onFollow = (informer) => void (informer.type.resource === "pods" && (copyOfPods = informer));
    const scheduler = createScheduler(
      { client: own, clock, random, log, metrics },
      {
        ...options,
        ...(leaderElection === undefined
          ? {}
          : { leaderElection: { ...leaderElection, identity: `scheduler-${running.length}` } }),
      },
    );
    const stopOne = new AbortController();
    running.push({ stop: stopOne, done: scheduler.run(stopOne.signal) });
  };
  for (let i = 0; i < schedulers; i++) startScheduler();
  await clock.settle();

  const pod = (name: string) => client.get(pods, { namespace: "default", name });
  return {
    clock,
    client,
    startScheduler,
    pod,
    /** The names of the pods in the memory of the last started scheduler. */
    keptPods: () => (copyOfPods?.list() ?? []).map(({ metadata }) => metadata.name ?? "").sort(),
    stopScheduler: async (index: number) => {
      running[index]?.stop.abort(new Error("stopped by the test"));
      await clock.advance(second);
      await running[index]?.done;
    },
    addNode: async (name: string, spec: object = {}) => {
      const node = await client.create(nodes, { metadata: { name }, spec });
      const status = {
        allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
        conditions: [{ type: "Ready", status: "True" as const }],
      };
      await client.update(nodes, { ...node, status }, { subresource: "status" });
      const taints = "taints" in spec ? spec.taints : null;
      await client.patch(nodes, { namespace: "", name }, { type: "merge", body: { spec: { taints } } });
    },
    addPod: (
      name: string,
      requests: Record<string, string> = {},
      { labels = {}, ...spec }: Partial<PodSpec> & { labels?: Record<string, string> } = {},
    ) =>
      client.create(pods, {
        metadata: { name, namespace: "default", labels },
        spec: { containers: [{ name: "main", image: "app", resources: { requests } }], ...spec },
      }),
    addPriorityClass: (name: string, value: number, preemptionPolicy: "Never" | "PreemptLowerPriority") =>
      client.create(priorityClasses, { metadata: { name }, value, preemptionPolicy }),
    removePod: (name: string) => client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds: 0 }),
    bind: async (name: string, node: string) => {
      const { metadata } = await pod(name);
      await client.call({
        method: "POST",
        path: `/api/v1/namespaces/default/pods/${name}/binding`,
        body: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name, uid: metadata.uid },
          target: { kind: "Node", name: node },
        },
      });
    },
    nodeOf: async (name: string) => (await pod(name)).spec?.nodeName,
    podsPerNode: async () => {
      const counts: Record<string, number> = {};
      for (const { spec } of (await client.list(pods)).items)
        counts[spec?.nodeName ?? ""] = (counts[spec?.nodeName ?? ""] ?? 0) + 1;
      return counts;
    },
    eventsOf: async (name: string) => {
      const { items } = await client.list<Event>(events, { fieldSelector: `involvedObject.name=${name}` });
      return items.map(({ reason, message }) => `${reason}: ${message}`);
    },
    async [Symbol.asyncDispose]() {
      for (const { stop: stopOne } of running) stopOne.abort(new Error("the test is over"));
      await clock.advance(20 * second);
      await Promise.all(running.map(({ done }) => done));
      stop.abort();
      await serving;
      await store.close();
    },
  };
}
