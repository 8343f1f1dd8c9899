import { type ApiObject, deployments, jobs, type ResourceType, statefulSets } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/** A kind of workload that is scaled up. */
export interface Workload {
  /** "deployment": the name of its object, and the label `app` of its pods. */
  readonly name: string;
  /** The kind with its relevant setting, for people. */
  readonly title: string;
  /** The target number of pods per second. */
  readonly goal?: number;
  /** Creates the workload without pods. */
  create(client: Client): Promise<void>;
  scaleUp(client: Client): Promise<void>;
  /** Deletes the workload, and thereby its pods. */
  remove(client: Client): Promise<void>;
}

const namespace = "default";

/** The three kinds, each of which is scaled from 0 to `count` pods by one write. */
export function workloadsOf(count: number): readonly Workload[] {
  return [
    workload(
      { name: "deployment", title: "a Deployment", goal: 1_200 },
      { type: deployments, spec: { replicas: 0, ...selectorAndTemplate("deployment") }, larger: { replicas: count } },
    ),
    workload(
      { name: "stateful-set", title: "a StatefulSet (Parallel)" },
      {
        type: statefulSets,
        spec: {
          replicas: 0,
          serviceName: "stateful-set",
          podManagementPolicy: "Parallel",
          ...selectorAndTemplate("stateful-set"),
        },
        larger: { replicas: count },
      },
    ),
    workload(
      { name: "job", title: "a Job" },
      {
        type: jobs,
        spec: { parallelism: 0, completions: count, template: template("job", "Never") },
        larger: { parallelism: count },
      },
    ),
  ];
}

interface Scaled<T extends ApiObject> {
  type: ResourceType<T>;
  spec: object;
  /** The fields of the spec that scale it up. */
  larger: object;
}

function workload<T extends ApiObject>(
  described: Pick<Workload, "name" | "title" | "goal">,
  { type, spec, larger }: Scaled<T>,
): Workload {
  const key = { namespace, name: described.name };
  return {
    ...described,
    create: async (client) => {
      await client.create(type, { metadata: key, spec } as object as T, { namespace });
    },
    scaleUp: async (client) => {
      await client.patch(type, key, { type: "merge", body: { spec: larger } });
    },
    remove: (client) => client.delete(type, key, { propagationPolicy: "Background" }),
  };
}

function selectorAndTemplate(app: string) {
  return { selector: { matchLabels: { app } }, template: template(app, "Always") };
}

/**
 * The requests follow upstream's scheduler_perf. Without a grace period a pod is removed
 * immediately when it is deleted, because there is no kubelet to end it.
 */
function template(app: string, restartPolicy: "Always" | "Never") {
  return {
    metadata: { labels: { app } },
    spec: {
      restartPolicy,
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: "c",
          image: "registry.k8s.io/pause:3.9",
          resources: { requests: { cpu: "100m", memory: "500Mi" } },
        },
      ],
    },
  };
}
