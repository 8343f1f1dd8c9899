import {
  type ApiObject,
  type DaemonSet,
  type Deployment,
  formatMicroTime,
  type HorizontalPodAutoscaler,
  type Job,
  type Lease,
  type Pod,
  type PodDisruptionBudget,
  type Service,
} from "@kintsugi/api";
import { controllers } from "../controllers.ts";
import { targetNodeOf } from "../controllers/daemon-set/daemon-pod.ts";
import { aNode, ControllerTestCluster } from "./test-cluster.ts";

/**
 * The number of workloads in a namespace is the same in any cluster; the number of a DaemonSet's
 * pods is not.
 */
const workloadsPerNamespace = 5;

/** The work after a start of 200 nodes takes about ten rounds. */
const roundsOfRest = 100;

/**
 * An idle cluster of this number of nodes with all controllers. For each node there is a workload
 * of each kind: node `n-7` runs the one pod of the Deployment `w-7`. One DaemonSet, `agents`, has a
 * pod on each node, in the namespace of the first Services and budgets.
 */
export class GrownCluster {
  readonly cluster = new ControllerTestCluster({ allocateNodeCidrs: true, clusterCidr: "10.200.0.0/14" });
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  async start(): Promise<void> {
    const { cluster } = this;
    for (let i = 0; i < this.#size; i++) {
      cluster.put("nodes", aNode(`n-${i}`, { nowMs: cluster.clock.nowMs() }));
      this.renewLease(`n-${i}`);
      const namespace = this.namespaceOf(i);
      if (i % workloadsPerNamespace === 0)
        cluster.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      for (const [resource, object] of workloads(`w-${i}`, namespace)) cluster.put(resource, object);
    }
    cluster.put("daemonsets", agents);
    await cluster.start(...controllers);
    await this.rest();
    for (const pod of cluster.pods()) this.runPod(pod);
    await this.rest();
  }

  /**
   * Waits until all work has ended, even if a busy machine split it into more turns than one
   * settling.
   */
  async rest(): Promise<void> {
    for (let round = 0; round < roundsOfRest; round++) await this.cluster.clock.settle();
  }

  namespaceOf(i: number): string {
    return `ns-${Math.floor(i / workloadsPerNamespace)}`;
  }

  renewLease(node: string): void {
    const lease: Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "kube-node-lease", name: node },
      spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime: formatMicroTime(this.cluster.clock.nowMs()) },
    };
    this.cluster.put("leases", lease);
  }

  /** Does the scheduler's and the kubelet's part for a workload's pod. */
  runPod(pod: Pod, ready: "True" | "False" = "True"): void {
    const nodeName = targetNodeOf(pod) ?? (pod.metadata.labels?.["app"] ?? "").replace("w-", "n-");
    const status: Pod["status"] = {
      phase: "Running",
      podIP: "10.200.0.7",
      podIPs: [{ ip: "10.200.0.7" }],
      conditions: [{ type: "Ready", status: ready }],
    };
    this.cluster.put("pods", { ...pod, spec: { containers: [], ...pod.spec, nodeName }, status } as Pod);
  }

  agentOn(node: string): Pod {
    const pod = this.cluster
      .pods()
      .find(({ metadata, spec }) => metadata.labels?.["app"] === "agents" && spec?.nodeName === node);
    if (!pod) throw new Error(`no agent on ${node}`);
    return pod;
  }

  podOf(workload: string): Pod {
    const pod = this.cluster.pods().find(({ metadata }) => metadata.labels?.["app"] === workload);
    if (!pod) throw new Error(`no pod of ${workload}`);
    return pod;
  }
}

const agents: DaemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agents", namespace: "ns-0", generation: 1, uid: "uid-of-agents" },
  spec: {
    selector: { matchLabels: { app: "agents" } },
    template: {
      metadata: { labels: { app: "agents" } },
      spec: { containers: [{ name: "main", image: "busybox:1" }] },
    },
  },
};

/** One object of each kind; only the Deployment has a pod. */
function workloads(name: string, namespace: string): [resource: string, object: ApiObject][] {
  const metadata = { name, namespace, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
  const named = (kind: string) => ({ ...metadata, uid: `uid-of-${kind}-${name}` });
  const spec = { containers: [{ name: "main", image: "busybox:1" }] };
  const idle = { selector: { matchLabels: { idle: name } }, template: { metadata: { labels: { idle: name } }, spec } };
  const selector = { matchLabels: { app: name } };
  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: named("deployment"),
    spec: { replicas: 1, selector, template: { metadata: { labels: { app: name } }, spec } },
  };
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: named("service"),
    spec: { clusterIP: "10.0.0.1", selector: { app: name }, ports: [{ port: 80, protocol: "TCP" }] },
  };
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: named("budget"),
    spec: { minAvailable: 1, selector },
  };
  const autoscaler: HorizontalPodAutoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: named("autoscaler"),
    spec: { minReplicas: 1, maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } },
  };
  const job: Job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: named("job"),
    spec: { suspend: true, parallelism: 1, completions: 1, ...idle },
  };
  return [
    ["deployments", deployment],
    ["services", service],
    ["poddisruptionbudgets", budget],
    ["horizontalpodautoscalers", autoscaler],
    ["jobs", job],
    ...withoutPods(named, idle),
  ];
}

function withoutPods(
  named: (kind: string) => ApiObject["metadata"],
  idle: { selector: object; template: object },
): [resource: string, object: ApiObject][] {
  const of = (apiVersion: string, kind: string, spec: object): ApiObject =>
    ({ apiVersion, kind, metadata: named(kind), spec }) as ApiObject;
  const jobTemplate = { spec: { template: idle.template } };
  const labels = { idle: named("x").name };
  const claim = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "none",
    resources: { requests: { storage: "1Gi" } },
  };
  return [
    ["statefulsets", of("apps/v1", "StatefulSet", { replicas: 0, serviceName: "none", ...idle })],
    ["replicationcontrollers", of("v1", "ReplicationController", { ...idle, replicas: 0, selector: labels })],
    ["cronjobs", of("batch/v1", "CronJob", { suspend: true, schedule: "0 0 1 1 *", jobTemplate })],
    ["persistentvolumeclaims", of("v1", "PersistentVolumeClaim", claim)],
  ];
}
