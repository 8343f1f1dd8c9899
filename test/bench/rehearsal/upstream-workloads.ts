import { stringify } from "yaml";

export const upstreamNamespace = "truth";
/** So short that a loss fits into a minute and a half; Kubernetes' default is 300. */
const tolerationSeconds = 5;
const lost = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

interface Sized {
  replicas: number;
  startSeconds: number;
  isSpread?: true;
  /** The processors that each pod requests. */
  cpu?: string;
  hasVolume?: true;
}

const sizes: Readonly<Record<string, Sized>> = {
  web: { replicas: 6, startSeconds: 2, isSpread: true },
  "solo-a": { replicas: 1, startSeconds: 3 },
  "solo-b": { replicas: 1, startSeconds: 5 },
  "solo-c": { replicas: 1, startSeconds: 4 },
  pair: { replicas: 2, startSeconds: 4, isSpread: true },
  // A pod fills a node, so the pod of a dead node remains Pending.
  big: { replicas: 20, startSeconds: 2, cpu: "1500m" },
  db: { replicas: 2, startSeconds: 3, hasVolume: true },
};

/** The pods of all workloads. */
export const upstreamPods = Object.values(sizes).reduce((sum, { replicas }) => sum + replicas, 0);

/** "truth/deployment/web", … */
export const upstreamWorkloads = Object.entries(sizes).map(
  ([app, { hasVolume }]) => `${upstreamNamespace}/${hasVolume === true ? "statefulset" : "deployment"}/${app}`,
);

/** Manifests of all workloads, for Kubernetes 1.20, as YAML. */
export function upstreamManifests(): string {
  const objects = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: upstreamNamespace } },
    ...Object.entries(sizes).map(([app, size]) => workload(app, size)),
    ...[0, 1].map((index) => ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `pv-${index}` },
      spec: {
        storageClassName: "manual",
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        hostPath: { path: `/pv-${index}` },
      },
    })),
    {
      apiVersion: "policy/v1beta1",
      kind: "PodDisruptionBudget",
      metadata: { name: "pair", namespace: upstreamNamespace },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "pair" } } },
    },
  ];
  return objects.map((object) => stringify(object)).join("---\n");
}

function workload(app: string, { replicas, startSeconds, isSpread, cpu, hasVolume }: Sized): object {
  const labels = { app };
  const constraint = {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
  };
  const claim = {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "manual",
    resources: { requests: { storage: "1Gi" } },
  };
  return {
    apiVersion: "apps/v1",
    kind: hasVolume === true ? "StatefulSet" : "Deployment",
    metadata: { name: app, namespace: upstreamNamespace },
    spec: {
      replicas,
      ...(hasVolume === true
        ? { serviceName: app, volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }] }
        : {}),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { "kintsugi.dev/start-delay": `${startSeconds}s` } },
        spec: {
          terminationGracePeriodSeconds: 10,
          tolerations: lost.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds })),
          ...(isSpread === true ? { topologySpreadConstraints: [constraint] } : {}),
          containers: [
            {
              name: "c",
              image: "nginx",
              ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
              ...(hasVolume === true ? { volumeMounts: [{ name: "data", mountPath: "/data" }] } : {}),
            },
          ],
        },
      },
    },
  };
}
