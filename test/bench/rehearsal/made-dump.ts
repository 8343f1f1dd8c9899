import type { RawObject } from "@kintsugi/rehearsal";

export interface DumpSize {
  readonly nodes: number;
  readonly pods: number;
}

const takenAt = "2026-06-01T12:00:00Z";
const startedAt = "2026-05-30T08:00:10Z";
const createdAt = "2026-05-30T08:00:00Z";
const zones = ["a", "b", "c"];
/** Deployments have three replicas each, and every fifth of them five. */
const replicasOf = (workload: number) => (workload % 5 === 0 ? 5 : 3);

/**
 * Makes the dump of a healthy cluster: two DaemonSets, a Deployment with a Service for each three
 * or five of the other pods, a budget for every second of them. The pods of a Deployment are on
 * consecutive nodes, as a scheduler spreads them. The same size results in the same dump.
 */
export function madeDump({ nodes: nodeCount, pods: podCount }: DumpSize): { kind: "List"; items: RawObject[] } {
  const nodes = Array.from({ length: nodeCount }, (_, index) => aNode(index));
  const daemons = ["proxy", "logs"].flatMap((name) => aDaemonSet(name, nodeCount));
  const rest: RawObject[] = [];
  let left = podCount - 2 * nodeCount;
  for (let workload = 0, at = 0; left > 0; workload++) {
    const replicas = Math.min(left, replicasOf(workload));
    rest.push(...aDeployment({ workload, replicas, at, nodeCount }));
    left -= replicas;
    at += replicas;
  }
  const namespaces = ["default", "kube-system", ...Array.from({ length: 20 }, (_, index) => `team-${index}`)];
  return {
    kind: "List",
    items: [...namespaces.map(aNamespace), ...nodes, ...daemons, ...rest, anEvent()],
  };
}

function aNamespace(name: string): RawObject {
  const metadata = { name, uid: `namespace-${name}`, labels: { "kubernetes.io/metadata.name": name } };
  return { apiVersion: "v1", kind: "Namespace", metadata, status: { phase: "Active" } };
}

function nodeName(index: number): string {
  return `worker-${String(index + 1).padStart(4, "0")}`;
}

function aNode(index: number): RawObject {
  const name = nodeName(index);
  const capacity = { cpu: "16", memory: "64Gi", "ephemeral-storage": "200Gi", pods: "110" };
  const labels = {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "topology.kubernetes.io/zone": zones[index % zones.length],
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, creationTimestamp: createdAt, labels },
    spec: { podCIDR: `10.${64 + (index >> 8)}.${index & 255}.0/24` },
    status: {
      capacity,
      allocatable: { ...capacity, cpu: "15", memory: "60Gi" },
      addresses: [
        { type: "InternalIP", address: `192.168.${index >> 8}.${index & 255}` },
        { type: "Hostname", address: name },
      ],
      conditions: [
        condition("MemoryPressure", "False", takenAt),
        condition("DiskPressure", "False", takenAt),
        condition("Ready", "True", takenAt),
      ],
      images: Array.from({ length: 20 }, (_, image) => ({
        names: [`registry.example/app-${image}:1.0`],
        sizeBytes: 40_000_000 + image,
      })),
      nodeInfo: {
        kubeletVersion: "v1.33.1",
        kernelVersion: "6.1.0",
        osImage: "Debian GNU/Linux 12",
        bootID: `boot-${name}`,
        machineID: `machine-${name}`,
        systemUUID: `system-${name}`,
        architecture: "amd64",
        operatingSystem: "linux",
        containerRuntimeVersion: "containerd://1.7.20",
        kubeProxyVersion: "v1.33.1",
      },
    },
  };
}

function condition(type: string, status: string, heardAt?: string) {
  return { type, status, lastTransitionTime: startedAt, ...(heardAt && { lastHeartbeatTime: heardAt }) };
}

function aDaemonSet(name: string, count: number): RawObject[] {
  const namespace = "kube-system";
  const labels = { app: name };
  const uid = `uid-daemon-${name}`;
  const image = `registry.example/${name}:2.0`;
  const tolerations = [{ operator: "Exists" }];
  const set = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace, uid, generation: 1, creationTimestamp: createdAt, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: aSpec(image, { tolerations }) },
    },
    status: {
      currentNumberScheduled: count,
      desiredNumberScheduled: count,
      numberAvailable: count,
      numberReady: count,
      numberMisscheduled: 0,
      observedGeneration: 1,
      updatedNumberScheduled: count,
    },
  };
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name, uid };
  const own = { ...labels, "controller-revision-hash": suffix(0, 10), "pod-template-generation": "1" };
  const pods = Array.from({ length: count }, (_, index) =>
    aPod({ name: `${name}-${suffix(index)}`, namespace, labels: own, owner, image, node: index, tolerations }),
  );
  return [set, ...pods];
}

interface DeploymentOf {
  workload: number;
  replicas: number;
  at: number;
  nodeCount: number;
}

function aDeployment({ workload, replicas, at, nodeCount }: DeploymentOf): RawObject[] {
  const name = `app-${workload}`;
  const namespace = `team-${workload % 20}`;
  const labels = { app: name };
  const image = `registry.example/app-${workload % 20}:1.0`;
  const hash = suffix(workload, 10);
  const common = { namespace, generation: 1, creationTimestamp: createdAt };
  const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 1 };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      ...common,
      name,
      uid: `uid-${name}`,
      labels,
      annotations: { "deployment.kubernetes.io/revision": "1" },
    },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: aSpec(image) } },
    status: {
      ...counts,
      updatedReplicas: replicas,
      conditions: [
        { ...condition("Available", "True"), reason: "MinimumReplicasAvailable", lastUpdateTime: startedAt },
        { ...condition("Progressing", "True"), reason: "NewReplicaSetAvailable", lastUpdateTime: startedAt },
      ],
    },
  };
  const own = { ...labels, "pod-template-hash": hash };
  const set = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...common,
      name: `${name}-${hash}`,
      uid: `uid-set-${name}`,
      labels: own,
      annotations: {
        "deployment.kubernetes.io/desired-replicas": String(replicas),
        "deployment.kubernetes.io/max-replicas": String(replicas + 1),
        "deployment.kubernetes.io/revision": "1",
      },
      ownerReferences: [controller({ apiVersion: "apps/v1", kind: "Deployment", name, uid: `uid-${name}` })],
    },
    spec: { replicas, selector: { matchLabels: own }, template: { metadata: { labels: own }, spec: aSpec(image) } },
    status: { ...counts, fullyLabeledReplicas: replicas },
  };
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: `${name}-${hash}`, uid: `uid-set-${name}` };
  const pods = Array.from({ length: replicas }, (_, index) =>
    aPod({
      name: `${name}-${hash}-${suffix(index)}`,
      namespace,
      labels: own,
      owner,
      image,
      node: (at + index) % nodeCount,
    }),
  );
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace, uid: `uid-service-${name}`, creationTimestamp: createdAt, labels },
    spec: {
      selector: labels,
      clusterIP: `10.96.${workload >> 8}.${workload & 255}`,
      ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
    },
  };
  const budget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace, uid: `uid-budget-${name}`, generation: 1, creationTimestamp: createdAt },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    status: {
      currentHealthy: replicas,
      desiredHealthy: replicas - 1,
      disruptionsAllowed: 1,
      expectedPods: replicas,
      observedGeneration: 1,
    },
  };
  return [deployment, set, ...pods, service, ...(workload % 2 === 0 ? [budget] : [])];
}

function controller(owner: object): object {
  return { ...owner, controller: true, blockOwnerDeletion: true };
}

function aSpec(image: string, more: object = {}): object {
  return {
    containers: [
      {
        name: "main",
        image,
        imagePullPolicy: "IfNotPresent",
        env: Array.from({ length: 5 }, (_, index) => ({ name: `SETTING_${index}`, value: `value ${index}` })),
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
        readinessProbe: { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10 },
        resources: { requests: { cpu: "200m", memory: "256Mi" }, limits: { memory: "512Mi" } },
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    terminationGracePeriodSeconds: 30,
    ...more,
  };
}

interface PodOf {
  name: string;
  namespace: string;
  labels: object;
  owner: object;
  image: string;
  node: number;
  tolerations?: readonly object[];
}

const lossTolerations = ["not-ready", "unreachable"].map((why) => ({
  key: `node.kubernetes.io/${why}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

function aPod({ name, namespace, labels, owner, image, node, tolerations = lossTolerations }: PodOf): RawObject {
  const address = `10.${64 + (node >> 8)}.${node & 255}.${(hashOf(name) % 250) + 2}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `uid-pod-${namespace}-${name}`,
      creationTimestamp: createdAt,
      labels,
      ownerReferences: [controller(owner)],
    },
    spec: aSpec(image, { nodeName: nodeName(node), tolerations, enableServiceLinks: true, priority: 0 }),
    status: {
      phase: "Running",
      qosClass: "Burstable",
      startTime: createdAt,
      hostIP: `192.168.${node >> 8}.${node & 255}`,
      podIP: address,
      podIPs: [{ ip: address }],
      conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => condition(type, "True")),
      containerStatuses: [
        {
          name: "main",
          image,
          imageID: `sha256:${suffix(hashOf(image), 10)}`,
          containerID: `containerd://container-${namespace}-${name}`,
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt } },
        },
      ],
    },
  };
}

/** The newest time of a dump is the time at which it was taken. */
function anEvent(): RawObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "app-0.pulled", namespace: "team-0", creationTimestamp: takenAt },
    involvedObject: { kind: "Pod", namespace: "team-0", name: `app-0-${suffix(0, 10)}-${suffix(0)}` },
    reason: "Pulled",
    message: `Successfully pulled image "registry.example/app-0:1.0" in 2.4s (2.4s including waiting)`,
    firstTimestamp: takenAt,
    lastTimestamp: takenAt,
    count: 1,
    type: "Normal",
  };
}

const letters = "bcdfghjklmnpqrstvwxz2456789";

/** Letters as in the names that a controller generates. */
function suffix(number: number, length = 5): string {
  let rest = hashOf(`suffix ${number}`);
  let text = "";
  for (let index = 0; index < length; index++) {
    text += letters[rest % letters.length];
    rest = Math.floor(rest / letters.length) + (index + 1) * 7919 + number;
  }
  return text;
}

function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0;
  return hash;
}
