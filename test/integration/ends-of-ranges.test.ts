import {
  type ApiObject,
  builtInKinds,
  isApiError,
  type Kind,
  resourceQuotas,
  type ResourceType,
  type TypeDescription,
} from "@kintsugi/api";
import { type Explained, explainObject, explainers, type KindsRead, type Objects } from "@kintsugi/explanation";
import { startVirtualCluster, type VirtualCluster } from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";
import { examples } from "../fuzz/examples.ts";
import { sampleOf } from "../support/samples.ts";

// A user may write any 31-bit number where a kind has an integer. Each integer gets the ends of its
// range, one integer in each object. The objects that the API server accepts exist together for two
// minutes, in a whole cluster of controllers, scheduler and kubelets. An allocation or a loop as
// long as such a number uses all memory, or minutes.

const int32Max = 2 ** 31 - 1;
/** The range of ports ends at the second number. */
const ends = [0, 65_535, int32Max];
const namespace = "default";
/** Two minutes are longer than most back-offs. */
const lifeMs = 120_000;
/** Limit on processor time for the objects of one kind; usual is 1 to 3 s. */
const processorMsMax = 40_000;
/** Printing or explaining one object takes well below a millisecond. */
const printMsMax = 250;
const heapBytesMax = 400 * 2 ** 20;

/** A kind for which fewer numbers are accepted has test objects that lack something. */
const acceptedMin: Readonly<Record<string, number>> = {
  Pod: 60,
  StatefulSet: 15,
  Deployment: 12,
  Job: 15,
  CronJob: 20,
  HorizontalPodAutoscaler: 9,
};

type Path = readonly string[];

interface Extreme {
  readonly what: string;
  readonly object: ApiObject;
}

const template = {
  metadata: { labels: { app: "fixture" } },
  spec: { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] },
};
const selector = { matchLabels: template.metadata.labels };
const endingSpec = { restartPolicy: "Never", ...template.spec };

const probe = { exec: { command: ["true"] } };
const podSpec = {
  terminationGracePeriodSeconds: 1,
  containers: [
    {
      ...template.spec.containers[0],
      ports: [{ containerPort: 80 }],
      livenessProbe: probe,
      readinessProbe: probe,
      startupProbe: probe,
      lifecycle: { preStop: { sleep: { seconds: 1 } } },
    },
  ],
  tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute" }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule", labelSelector: selector },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: selector } },
      ],
    },
  },
};
const scaled = { apiVersion: "apps/v1", kind: "Deployment", name: "fixture" };
const policy = { type: "Pods", value: 1, periodSeconds: 60 };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };

/** Objects with the fields that a number's parents require. */
const rich: Readonly<Record<string, object>> = {
  Pod: { apiVersion: "v1", kind: "Pod", spec: podSpec },
  HorizontalPodAutoscaler: {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    spec: {
      scaleTargetRef: scaled,
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [cpu],
      behavior: { scaleUp: { policies: [policy] }, scaleDown: { policies: [policy] } },
    },
  },
  ResourceClaim: {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "none", count: 1 } }] } },
  },
};

/** Numbers that cause a load only in combination. */
const together: readonly Record<string, unknown>[] = [
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    spec: { replicas: int32Max, podManagementPolicy: "Parallel", serviceName: "s", selector, template },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    spec: { replicas: int32Max, ordinals: { start: int32Max }, serviceName: "s", selector, template },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    spec: {
      replicas: int32Max,
      serviceName: "s",
      selector,
      template,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: int32Max, maxUnavailable: int32Max } },
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    spec: {
      replicas: int32Max,
      selector,
      template,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: int32Max, maxUnavailable: 0 } },
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    spec: { completions: int32Max, parallelism: int32Max, template: { spec: endingSpec } },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    spec: { completionMode: "Indexed", completions: int32Max, parallelism: 10_000, template: { spec: endingSpec } },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    spec: {
      completionMode: "Indexed",
      completions: 100_000,
      parallelism: 100_000,
      backoffLimitPerIndex: int32Max,
      maxFailedIndexes: 100_000,
      successPolicy: { rules: [{ succeededIndexes: "0-99999", succeededCount: 100_000 }] },
      template: { spec: endingSpec },
    },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    spec: {
      schedule: "@every 1s",
      startingDeadlineSeconds: int32Max,
      successfulJobsHistoryLimit: int32Max,
      jobTemplate: { spec: { parallelism: int32Max, template: { spec: endingSpec } } },
    },
  },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    spec: {
      scaleTargetRef: scaled,
      minReplicas: int32Max,
      maxReplicas: int32Max,
      behavior: { scaleUp: { policies: [{ type: "Pods", value: int32Max, periodSeconds: 1800 }] } },
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    spec: { podSelector: selector, ingress: [{ ports: [{ port: 1, endPort: 65_535 }] }] },
  },
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    spec: {
      devices: { requests: [{ name: "r", exactly: { deviceClassName: "none", count: Number.MAX_SAFE_INTEGER } }] },
    },
  },
];

/** Paths of integers in objects of a type, except paths in the templates of pods. */
function integersIn(type: TypeDescription, depth = 9): Path[] {
  if (depth === 0) return [];
  switch (type.type) {
    case "object":
      if (type.name.endsWith("PodTemplateSpec") || type.name.endsWith("ObjectMeta")) return [];
      return [...type.fields.values()]
        .filter(({ name }) => name !== "status")
        .flatMap((field) => integersIn(field.type, depth - 1).map((path) => [field.name, ...path]));
    case "list":
      return integersIn(type.items, depth - 1).map((path) => ["[]", ...path]);
    case "map":
      return [];
    default:
      return type.type === "integer" || type.format === "int-or-string" ? [[]] : [];
  }
}

/** The value with the number at the path; missing parents are created. */
function withNumber(value: unknown, path: Path, number: number): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return number;
  if (step === "[]") {
    const [first, ...others] = Array.isArray(value) ? (value as unknown[]) : [];
    return [withNumber(first, rest, number), ...others];
  }
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return { ...fields, [step]: withNumber(fields[step], rest, number) };
}

function kindOf({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): Kind | undefined {
  return builtInKinds.find(({ type }) => {
    const version = type.group === "" ? type.version : `${type.group}/${type.version}`;
    return type.kind === kind && version === apiVersion;
  });
}

function extremesOf(kind: Kind, example: object): Extreme[] {
  const single = integersIn(kind.description).flatMap((path, index) =>
    ends.map((end) => ({
      what: `${kind.type.kind} ${path.join(".")}: ${end}`,
      object: named(withNumber(example, path, end) as ApiObject, `end-${index}-${end}`),
    })),
  );
  const several = together
    .filter((object) => kindOf(object) === kind)
    .map((object, index) => ({
      what: `${kind.type.kind}, several`,
      object: named(object as unknown as ApiObject, `several-${index}`),
    }));
  return [...single, ...several];
}

function named(object: ApiObject, name: string): ApiObject {
  return { ...object, metadata: { ...object.metadata, name, namespace } };
}

/** A namespace with a full quota has few pods, and its controllers keep trying to create more. */
const quota = { metadata: { name: "few", namespace }, spec: { hard: { pods: "3" } } };

async function createAll(cluster: VirtualCluster, type: ResourceType<ApiObject>, extremes: readonly Extreme[]) {
  const accepted: string[] = [];
  for (const { what, object } of extremes) {
    const refusal = await cluster.during(cluster.client.create(type, object)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) accepted.push(what);
    // The API rejects with a status; any other result is a fault of this test or of the server.
    else if (!isApiError(refusal)) throw new Error(`${what} has no answer`, { cause: refusal });
  }
  return accepted;
}

/** Prints and explains each object, and returns the longest time for one. */
async function printAll(cluster: VirtualCluster, kind: Kind): Promise<number> {
  const { items } = await cluster.during(cluster.client.list(kind.type, { namespace }));
  const resource = kind.type.resource as Explained;
  const world = { objects: { [resource]: items } as Objects, timers: cluster.timers, nowMs: cluster.clock.nowMs() };
  let longestMs = 0;
  for (const object of items) {
    const startedMs = performance.now();
    kind.table?.cells(object, cluster.clock.nowMs());
    if (Object.hasOwn(explainers, resource)) explainObject(resource, object as KindsRead[typeof resource], { world });
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  }
  return longestMs;
}

const kinds = [...new Set([...examples, ...together].map((example) => kindOf(example)))].flatMap((kind) => {
  if (kind === undefined) return [];
  const example = rich[kind.type.kind] ?? examples.find((each) => kindOf(each) === kind) ?? { spec: {} };
  const extremes = extremesOf(kind, example);
  return extremes.length === 0 ? [] : [{ kind, extremes, name: kind.type.kind }];
});

describe("numbers at the end of their range", () => {
  test("are searched in the kinds that users write", () => {
    const names = kinds.map(({ name }) => name);
    for (const kind of ["StatefulSet", "Deployment", "ReplicaSet", "ReplicationController", "DaemonSet", "Job"])
      expect(names).toContain(kind);
    for (const kind of ["CronJob", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Pod", "Service"])
      expect(names).toContain(kind);
  });

  test.each(sampleOf(kinds, 2))(
    "of $name do not cost time or memory of the programs",
    async ({ kind, extremes }) => {
      await using cluster = await startVirtualCluster({
        nodes: 2,
        profile: "fast",
        leaderElection: false,
        disk: false,
      });
      if (kind.type.kind !== "Pod") await cluster.during(cluster.client.create(resourceQuotas, quota));
      const before = { processor: process.cpuUsage(), heap: process.memoryUsage().heapUsed };
      const accepted = await createAll(cluster, kind.type, extremes);
      await cluster.advance(lifeMs);
      const used = process.cpuUsage(before.processor);
      const longestMs = await printAll(cluster, kind);
      expect(cluster.deaths).toEqual([]);
      expect(accepted.length, "numbers that the API server accepts").toBeGreaterThanOrEqual(
        acceptedMin[kind.type.kind] ?? 0,
      );
      expect((used.user + used.system) / 1000).toBeLessThan(processorMsMax);
      expect(process.memoryUsage().heapUsed - before.heap).toBeLessThan(heapBytesMax);
      expect(longestMs).toBeLessThan(printMsMax);
    },
    120_000,
  );
});
