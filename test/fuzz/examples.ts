import type { Example } from "./grammar/body-grammar.ts";

const labels = { app: "fixture" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const selector = { matchLabels: labels };
const metadata = { name: "fixture" };
const rbac = "rbac.authorization.k8s.io";

/** One object of each namespaced kind, named "fixture", that a server accepts as it is. */
export const examples: readonly (Example & Readonly<Record<string, unknown>>)[] = [
  { apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: "open" } },
  { apiVersion: "v1", kind: "Secret", metadata, data: { key: "b3Blbg==" } },
  { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ port: 80 }] } },
  {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata,
    subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }],
  },
  { apiVersion: "v1", kind: "ServiceAccount", metadata },
  { apiVersion: "v1", kind: "Pod", metadata, spec: { nodeName: "node-1", containers: [{ name: "c", image: "i" }] } },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  { apiVersion: "v1", kind: "LimitRange", metadata, spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } },
  { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard: { "count/lamps.example.com": "1" } } },
  { apiVersion: "v1", kind: "PodTemplate", metadata, template },
  { apiVersion: "v1", kind: "ReplicationController", metadata, spec: { replicas: 2, selector: labels, template } },
  { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 2, selector, template } },
  { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { selector, template } },
  { apiVersion: "apps/v1", kind: "ReplicaSet", metadata, spec: { replicas: 2, selector, template } },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata,
    spec: { completions: 2, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata,
    spec: {
      schedule: "0 4 * * *",
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
    },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata,
    spec: { replicas: 2, selector, template, volumeClaimTemplates: [{ metadata: { name: "data" } }] },
  },
  { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data: { spec: { template } }, revision: 1 },
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec: { minAvailable: 1, selector } },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "fixture" }, maxReplicas: 3 },
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { holderIdentity: "a", leaseDurationSeconds: 10 },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIStorageCapacity",
    metadata,
    storageClassName: "fixture",
    capacity: "1Gi",
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata,
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.2.3"] }],
    ports: [{ port: 80 }],
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata,
    spec: { defaultBackend: { service: { name: "fixture", port: { number: 80 } } } },
  },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec: { podSelector: selector } },
  {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata,
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "fixture" },
    subjects: [{ kind: "ServiceAccount", name: "fixture", namespace: "fuzz-mine" }],
  },
];
