import {
  type ApiObject,
  daemonSets,
  deployments,
  events,
  horizontalPodAutoscalers,
  isConditionTrue,
  jobs,
  type Pod,
  pods,
  type PodSpec,
  replicaSets,
  replicationControllers,
  type ResourceType,
  secrets,
  statefulSets,
} from "@kintsugi/api";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Valid templates whose pods cannot be created, or cannot run: every kind of workload reports the
// fault as upstream does, and other workloads, and the workload's own earlier pods, continue.

const second = 1000;
const namespace = "default";
const good: PodSpec = { containers: [{ name: "main", image: "script.kintsugi.dev/run" }] };
const once = (spec: PodSpec): PodSpec => ({ ...spec, restartPolicy: "Never" });
const labelled = (app: string, spec: PodSpec) => ({ metadata: { labels: { app } }, spec });
const selected = (app: string, spec: PodSpec) => ({
  selector: { matchLabels: { app } },
  template: labelled(app, spec),
});

/** Every kind that creates pods, with a spec whose pods are `app`. */
const kinds: [kind: string, type: ResourceType<ApiObject>, specOf: (app: string, spec: PodSpec) => object][] = [
  ["Deployment", deployments as ResourceType<ApiObject>, (app, spec) => ({ replicas: 2, ...selected(app, spec) })],
  ["ReplicaSet", replicaSets as ResourceType<ApiObject>, (app, spec) => ({ replicas: 2, ...selected(app, spec) })],
  [
    "ReplicationController",
    replicationControllers as ResourceType<ApiObject>,
    (app, spec) => ({ replicas: 2, selector: { app }, template: labelled(app, spec) }),
  ],
  [
    "StatefulSet",
    statefulSets as ResourceType<ApiObject>,
    (app, spec) => ({ replicas: 2, serviceName: app, ...selected(app, spec) }),
  ],
  ["DaemonSet", daemonSets as ResourceType<ApiObject>, selected],
  ["Job", jobs as ResourceType<ApiObject>, (app, spec) => ({ template: labelled(app, once(spec)) })],
];

/** Container faults that only the node detects, with the reason and the message in the pod. */
const unrunnable: [what: string, spec: PodSpec, reason: RegExp, message: RegExp][] = [
  [
    "an image without a name",
    { containers: [{ name: "main", image: "UPPER//::bad" }] },
    /^InvalidImageName$/,
    /couldn't parse image name "UPPER\/\/::bad"/,
  ],
  [
    "an image that its registry rejects",
    { containers: [{ name: "main", image: "script.kintsugi.dev/pull-error:toomanyrequests" }] },
    /^(?:ErrImagePull|ImagePullBackOff)$/,
    /toomanyrequests|Back-off pulling image/,
  ],
  [
    "a command that its image lacks",
    { containers: [{ name: "main", image: "script.kintsugi.dev/start-error:no-such-file" }] },
    /^(?:RunContainerError|CrashLoopBackOff)$/,
    /no such file|back-off/,
  ],
  [
    "a missing ConfigMap",
    { containers: [{ ...good.containers[0]!, envFrom: [{ configMapRef: { name: "none" } }] }] },
    /^CreateContainerConfigError$/,
    /^configmap "none" not found$/,
  ],
  [
    "a key that its Secret lacks",
    {
      containers: [
        { ...good.containers[0]!, env: [{ name: "A", valueFrom: { secretKeyRef: { name: "half", key: "absent" } } }] },
      ],
    },
    /^CreateContainerConfigError$/,
    /^couldn't find key absent in Secret default\/half$/,
  ],
];

describe("a cluster with templates of invalid pods", () => {
  let cluster: VirtualCluster;
  beforeAll(async () => {
    cluster = await startVirtualCluster({ nodes: 2, profile: "fast" });
    const spec = { replicas: 2, ...selected("neighbour", good) };
    await cluster.during(cluster.client.create(deployments, { metadata: { name: "neighbour", namespace }, spec }));
    const secret = { metadata: { name: "half", namespace }, data: { present: "YQ==" } };
    await cluster.during(cluster.client.create(secrets, secret));
    await cluster.advance(10 * second);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const listed = async (app: string): Promise<Pod[]> =>
    (await cluster.client.list(pods, { namespace })).items.filter(({ metadata }) => metadata.labels?.["app"] === app);
  const uidsOf = (list: readonly Pod[]) =>
    list.map(({ metadata: { uid = "" } }) => uid).toSorted((a, b) => a.localeCompare(b));
  const create = (type: ResourceType<ApiObject>, name: string, spec: object) =>
    cluster.during(cluster.client.create(type, { metadata: { name, namespace }, spec } as ApiObject));
  const remove = (type: ResourceType<ApiObject>, name: string) =>
    cluster.during(cluster.client.delete(type, { namespace, name }, { propagationPolicy: "Background" }));

  test("reports it on a workload of any kind whose pods admission rejects, and does not affect other workloads", async () => {
    const named = kinds.map(([kind, ...others]) => [kind, `refused-${kind.toLowerCase()}`, ...others] as const);
    const before = uidsOf(await listed("neighbour"));
    for (const [, name, type, specOf] of named)
      await create(type, name, specOf(name, { ...good, runtimeClassName: "none" }));
    await cluster.advance(10 * second);
    const { items } = await cluster.client.list(events, { namespace });
    for (const [kind, name, type] of named) {
      expect(await listed(name)).toEqual([]);
      // The name of a Deployment's ReplicaSet begins with the Deployment's name.
      const failed = items.filter(
        ({ reason, involvedObject }) => reason === "FailedCreate" && involvedObject.name?.startsWith(name) === true,
      );
      expect([name, failed.map(({ message }) => message)]).toEqual([
        name,
        expect.arrayContaining([
          expect.stringMatching(/pods "[-\w]*" is forbidden: pod rejected: RuntimeClass "none" not found/),
        ]),
      ]);
      const owner = kind === "Deployment" ? "ReplicaSet" : kind;
      expect(new Set(failed.map(({ involvedObject }) => involvedObject.kind))).toEqual(new Set([owner]));
      const { status } = (await cluster.client.get(type, { namespace, name })) as { status?: Conditions };
      const counts = kind === "Deployment" || kind === "ReplicaSet" || kind === "ReplicationController";
      expect([kind, isConditionTrue(status?.conditions, "ReplicaFailure")]).toEqual([kind, counts]);
    }
    expect(uidsOf(await listed("neighbour"))).toEqual(before);
    for (const [, name, type] of named) await remove(type, name);
  });

  test.each(unrunnable)(
    "shows in its pod that it has %s, and keeps the earlier pods",
    async (_, spec, reason, message) => {
      const name = "updated";
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      const wanted = { replicas: 2, strategy, progressDeadlineSeconds: 10, ...selected(name, good) };
      await create(deployments as ResourceType<ApiObject>, name, wanted);
      await cluster.advance(10 * second);
      const before = await listed(name);
      const neighbours = uidsOf(await listed("neighbour"));
      expect(before).toHaveLength(2);
      const old = await cluster.client.get(deployments, { namespace, name });
      const bad = { ...old, spec: { ...old.spec!, template: labelled(name, spec) } };
      await cluster.during(cluster.client.update(deployments, bad));
      await cluster.advance(60 * second);

      const after = await listed(name);
      const [broken, ...others] = after.filter(({ metadata }) => !uidsOf(before).includes(metadata.uid ?? ""));
      expect(others).toEqual([]);
      const waiting = broken?.status?.containerStatuses?.[0]?.state?.waiting;
      expect(waiting?.reason).toMatch(reason);
      expect(waiting?.message).toMatch(message);
      const kept = after.filter((pod) => isConditionTrue(pod.status?.conditions, "Ready"));
      expect(uidsOf(kept)).toEqual(uidsOf(before));
      const { status } = await cluster.client.get(deployments, { namespace, name });
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }),
      );
      expect(uidsOf(await listed("neighbour"))).toEqual(neighbours);
      await remove(deployments as ResourceType<ApiObject>, name);
    },
  );

  type Metric = [what: string, metric: object, reason: string, because: string];
  const target = { type: "AverageValue", averageValue: "1" };
  const unserved: Metric[] = [
    [
      "pods' own metrics",
      { type: "Pods", pods: { metric: { name: "depth" }, target } },
      "FailedGetPodsMetric",
      "unable to get metric depth: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered",
    ],
    [
      "metrics from another cluster",
      { type: "External", external: { metric: { name: "queue" }, target } },
      "FailedGetExternalMetric",
      "unable to get external metric default/queue/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)",
    ],
  ];
  test.each(unserved)(
    "does not scale the target of an autoscaler by %s that no API serves",
    async (_, metric, reason, because) => {
      const name = "neighbour";
      const before = uidsOf(await listed(name));
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
      const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 5, metrics: [metric] };
      await create(horizontalPodAutoscalers as ResourceType<ApiObject>, name, spec);
      await cluster.advance(30 * second);
      const { status } = await cluster.client.get(horizontalPodAutoscalers, { namespace, name });
      const active = status?.conditions?.find(({ type }) => type === "ScalingActive");
      expect(active).toMatchObject({ status: "False", reason });
      expect(active?.message).toMatch(/^the HPA was unable to compute the replica count: /);
      expect(active?.message).toContain(because);
      const { items } = await cluster.client.list(events, { namespace });
      const about = items.filter(({ involvedObject: { kind } }) => kind === "HorizontalPodAutoscaler");
      expect(about.map((event) => event.reason)).toEqual(
        expect.arrayContaining([reason, "FailedComputeMetricsReplicas"]),
      );
      expect(uidsOf(await listed(name))).toEqual(before);
      await cluster.during(cluster.client.delete(horizontalPodAutoscalers, { namespace, name }));
    },
  );
});

interface Conditions {
  conditions?: { type: string; status: string }[];
}
