import {
  builtInKinds,
  type Kind,
  clusterRoleBindingKind,
  configMapKind,
  cronJobKind,
  daemonSetKind,
  csiDriverKind,
  csiNodeKind,
  csiStorageCapacityKind,
  endpointsKind,
  endpointSliceKind,
  eventKind,
  eventsV1EventKind,
  leaseKind,
  jobKind,
  namespaceKind,
  nodeKind,
  persistentVolumeClaimKind,
  persistentVolumeKind,
  podDisruptionBudgetKind,
  podTemplateKind,
  replicationControllerKind,
  priorityClassKind,
  controllerRevisionKind,
  deploymentKind,
  replicaSetKind,
  roleBindingKind,
  roleKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
  statefulSetKind,
  storageClassKind,
  volumeAttachmentKind,
  volumeAttributesClassKind,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import { converterOf } from "./table-converter.ts";

const nowMs = 1_700_000_000_000; // 2023-11-14T22:13:20Z
const minutesAgo5 = "2023-11-14T22:08:20Z";
const secondsAgo30 = "2023-11-14T22:12:50Z";

function anObject(more: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { metadata: { name: "x", creationTimestamp: minutesAgo5, ...metadata }, ...more };
}

const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });
const nodeInfo = {
  kubeletVersion: "v1.33.1",
  osImage: "Debian",
  kernelVersion: "6.1",
  containerRuntimeVersion: "containerd://1.6",
};
const unknownWide = ["<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"];
const containers = [
  { name: "a", image: "i1" },
  { name: "b", image: "i2" },
];

const rows: { name: string; kind: Kind; object: JsonObject; cells: JsonValue[] }[] = [
  {
    name: "a ready node",
    kind: nodeKind,
    object: anObject({
      status: {
        ...ready("True"),
        nodeInfo,
        addresses: [
          { type: "ExternalIP", address: "1.2.3.4" },
          { type: "InternalIP", address: "10.0.0.1" },
        ],
      },
    }),
    cells: ["x", "Ready", "<none>", "5m", "v1.33.1", "10.0.0.1", "1.2.3.4", "Debian", "6.1", "containerd://1.6"],
  },
  {
    name: "a node not ready",
    kind: nodeKind,
    object: anObject({ status: ready("False") }),
    cells: ["x", "NotReady", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a silent node",
    kind: nodeKind,
    object: anObject({ status: ready("Unknown") }),
    cells: ["x", "NotReady", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a node that never reported",
    kind: nodeKind,
    object: anObject({}),
    cells: ["x", "Unknown", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a cordoned node",
    kind: nodeKind,
    object: anObject({ spec: { unschedulable: true }, status: ready("True") }),
    cells: ["x", "Ready,SchedulingDisabled", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a node's roles",
    kind: nodeKind,
    object: anObject(
      { status: ready("True") },
      {
        labels: {
          "node-role.kubernetes.io/worker": "",
          "node-role.kubernetes.io/control-plane": "",
          "node-role.kubernetes.io/": "",
          "kubernetes.io/role": "edge",
        },
      },
    ),
    cells: ["x", "Ready", "control-plane,edge,worker", "5m", "", ...unknownWide],
  },
  {
    name: "a deployment",
    kind: deploymentKind,
    object: anObject({
      spec: { replicas: 3, selector: { matchLabels: { b: "2", a: "1" } }, template: { spec: { containers } } },
      status: { replicas: 4, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 },
    }),
    cells: ["x", "2/3", 1, 2, "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a replica set",
    kind: replicaSetKind,
    object: anObject({
      spec: { replicas: 3, selector: { matchLabels: { b: "2", a: "1" } }, template: { spec: { containers } } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
    cells: ["x", 3, 2, 1, "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a replication controller",
    kind: replicationControllerKind,
    object: anObject({
      spec: { replicas: 3, selector: { b: "2", a: "1" }, template: { spec: { containers } } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
    cells: ["x", 3, 2, 1, "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a pod template",
    kind: podTemplateKind,
    object: anObject({ template: { metadata: { labels: { b: "2", a: "1" } }, spec: { containers } } }),
    cells: ["x", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a cron job",
    kind: cronJobKind,
    object: anObject({
      spec: {
        schedule: "0 4 * * *",
        timeZone: "Europe/Zurich",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { containers } } } },
      },
      status: { active: [{ name: "x-1" }, { name: "x-2" }], lastScheduleTime: secondsAgo30 },
    }),
    cells: ["x", "0 4 * * *", "Europe/Zurich", "True", 2, "30s", "5m", "a,b", "i1,i2", "<none>"],
  },
  {
    name: "a cron job that has never run",
    kind: cronJobKind,
    object: anObject({ spec: { schedule: "@hourly", suspend: false, jobTemplate: {} } }),
    cells: ["x", "@hourly", "<none>", "False", 0, "<none>", "5m", "", "", "<none>"],
  },
  {
    name: "a job that runs",
    kind: jobKind,
    object: anObject({
      spec: { completions: 4, selector: { matchLabels: { a: "1" } }, template: { spec: { containers } } },
      status: { startTime: minutesAgo5, succeeded: 1 },
    }),
    cells: ["x", "Running", "1/4", "5m", "5m", "a,b", "i1,i2", "a=1"],
  },
  {
    name: "a job that has ended",
    kind: jobKind,
    object: anObject({
      spec: { parallelism: 2, template: {} },
      status: {
        startTime: minutesAgo5,
        completionTime: "2023-11-14T22:09:02Z",
        succeeded: 1,
        conditions: [
          { type: "SuccessCriteriaMet", status: "True" },
          { type: "Complete", status: "True" },
        ],
      },
    }),
    cells: ["x", "Complete", "1/1 of 2", "42s", "5m", "", "", "<none>"],
  },
  {
    name: "a job that waits",
    kind: jobKind,
    object: anObject({
      spec: { template: {} },
      status: {
        conditions: [
          { type: "Suspended", status: "True" },
          { type: "Failed", status: "False" },
        ],
      },
    }),
    cells: ["x", "Suspended", "0/1", "", "5m", "", "", "<none>"],
  },
  {
    name: "a stateful set",
    kind: statefulSetKind,
    object: anObject({
      spec: { replicas: 3, selector: { matchLabels: { a: "1" } }, template: { spec: { containers } } },
      status: { replicas: 2, readyReplicas: 1 },
    }),
    cells: ["x", "1/3", "5m", "a,b", "i1,i2"],
  },
  {
    name: "a revision",
    kind: controllerRevisionKind,
    object: anObject(
      { data: {}, revision: 4 },
      { ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "u", controller: true }] },
    ),
    cells: ["x", "statefulset.apps/db", 4, "5m"],
  },
  {
    name: "a revision that nothing controls",
    kind: controllerRevisionKind,
    object: anObject({ data: {}, revision: 4 }),
    cells: ["x", "<none>", 4, "5m"],
  },
  {
    name: "a daemon set",
    kind: daemonSetKind,
    object: anObject({
      spec: {
        selector: { matchLabels: { b: "2", a: "1" } },
        template: { spec: { nodeSelector: { disk: "ssd", arch: "x" }, containers } },
      },
      status: {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
    }),
    cells: ["x", 5, 4, 3, 2, 1, "arch=x,disk=ssd", "5m", "a,b", "i1,i2", "a=1,b=2"],
  },
  {
    name: "a daemon set for every node, not yet seen by its controller",
    kind: daemonSetKind,
    object: anObject({ spec: { selector: { matchLabels: { a: "1" } }, template: { spec: { containers } } } }),
    cells: ["x", 0, 0, 0, 0, 0, "<none>", "5m", "a,b", "i1,i2", "a=1"],
  },
  {
    name: "a selector with expressions",
    kind: replicaSetKind,
    object: anObject({
      spec: {
        replicas: 0,
        selector: {
          matchLabels: { m: "1" },
          matchExpressions: [
            { key: "z", operator: "NotIn", values: ["b", "a"] },
            { key: "c", operator: "DoesNotExist" },
            { key: "d", operator: "Exists" },
            { key: "e", operator: "In", values: ["v"] },
          ],
        },
      },
    }),
    cells: ["x", 0, 0, 0, "5m", "", "", "!c,d,e in (v),m=1,z notin (a,b)"],
  },
  {
    name: "a namespace",
    kind: namespaceKind,
    object: anObject({ status: { phase: "Active" } }),
    cells: ["x", "Active", "5m"],
  },
  {
    name: "an object without creation time",
    kind: namespaceKind,
    object: { metadata: { name: "x" }, status: { phase: "Active" } },
    cells: ["x", "Active", "<unknown>"],
  },
  {
    name: "a config map",
    kind: configMapKind,
    object: anObject({ data: { a: "1", b: "2" }, binaryData: { c: "Zg==" } }),
    cells: ["x", 3, "5m"],
  },
  {
    name: "a secret",
    kind: secretKind,
    object: anObject({ type: "Opaque", data: { a: "Zg==" } }),
    cells: ["x", "Opaque", 1, "5m"],
  },
  { name: "a service account", kind: serviceAccountKind, object: anObject({}), cells: ["x", 0, "5m"] },
  {
    name: "a lease",
    kind: leaseKind,
    object: anObject({ spec: { holderIdentity: "node-1" } }),
    cells: ["x", "node-1", "5m"],
  },
  {
    name: "a priority class",
    kind: priorityClassKind,
    object: anObject({ value: 1000, globalDefault: true, preemptionPolicy: "Never" }),
    cells: ["x", 1000, true, "5m", "Never"],
  },
  { name: "a lease nobody holds", kind: leaseKind, object: anObject({ spec: {} }), cells: ["x", "", "5m"] },
  {
    name: "a cluster service",
    kind: serviceKind,
    object: anObject({
      spec: {
        type: "ClusterIP",
        clusterIPs: ["10.96.0.1"],
        ports: [{ port: 443, protocol: "TCP" }],
        selector: { app: "web" },
      },
    }),
    cells: ["x", "ClusterIP", "10.96.0.1", "<none>", "443/TCP", "5m", "app=web"],
  },
  {
    name: "a headless service",
    kind: serviceKind,
    object: anObject({ spec: { type: "ClusterIP", clusterIPs: ["None"] } }),
    cells: ["x", "ClusterIP", "None", "<none>", "<none>", "5m", "<none>"],
  },
  {
    name: "a node port",
    kind: serviceKind,
    object: anObject({
      spec: {
        type: "NodePort",
        clusterIPs: ["10.96.0.2"],
        externalIPs: ["1.1.1.1", "2.2.2.2"],
        ports: [
          { port: 80, nodePort: 30080, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
      },
    }),
    cells: ["x", "NodePort", "10.96.0.2", "1.1.1.1,2.2.2.2", "80:30080/TCP,53/UDP", "5m", "<none>"],
  },
  {
    name: "a load balancer that is not there yet",
    kind: serviceKind,
    object: anObject({ spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.3"] } }),
    cells: ["x", "LoadBalancer", "10.96.0.3", "<pending>", "<none>", "5m", "<none>"],
  },
  {
    name: "a load balancer",
    kind: serviceKind,
    object: anObject({
      spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.3"], externalIPs: ["9.9.9.9"] },
      status: { loadBalancer: { ingress: [{ ip: "5.5.5.5" }, { hostname: "lb.example" }] } },
    }),
    cells: ["x", "LoadBalancer", "10.96.0.3", "5.5.5.5,lb.example,9.9.9.9", "<none>", "5m", "<none>"],
  },
  {
    name: "an external name",
    kind: serviceKind,
    object: anObject({ spec: { type: "ExternalName", externalName: "db.example" } }),
    cells: ["x", "ExternalName", "<none>", "db.example", "<none>", "5m", "<none>"],
  },
  {
    name: "endpoints",
    kind: endpointSliceKind,
    object: anObject({
      addressType: "IPv4",
      ports: [{ port: 80, name: "http" }, { name: "any" }],
      endpoints: [{ addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.2"] }],
    }),
    cells: ["x", "IPv4", "80,any", "10.0.0.1,10.0.0.2", "5m"],
  },
  {
    name: "more endpoints than fit",
    kind: endpointSliceKind,
    object: anObject({
      addressType: "IPv4",
      ports: [],
      endpoints: ["1", "2", "3", "4", "5"].map((last) => ({ addresses: [`10.0.0.${last}`] })),
    }),
    cells: ["x", "IPv4", "<unset>", "10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...", "5m"],
  },
  {
    name: "the endpoints of a Service in one object",
    kind: endpointsKind,
    object: anObject({
      subsets: [
        {
          addresses: [{ ip: "10.0.0.1" }],
          notReadyAddresses: [{ ip: "10.0.0.2" }],
          ports: [{ port: 80 }, { port: 81 }],
        },
        { addresses: [{ ip: "fd00::1" }], ports: [{ port: 80 }] },
        { addresses: [{ ip: "10.0.0.9" }] },
      ],
    }),
    cells: ["x", "10.0.0.1:80,10.0.0.1:81,[fd00::1]:80 + 1 more...", "5m"],
  },
  { name: "endpoints without subsets", kind: endpointsKind, object: anObject({}), cells: ["x", "<none>", "5m"] },
  {
    name: "endpoints none of which can be used",
    kind: endpointsKind,
    object: anObject({ subsets: [{ notReadyAddresses: [{ ip: "10.0.0.2" }], ports: [{ port: 80 }] }] }),
    cells: ["x", "", "5m"],
  },
  {
    name: "a disruption budget",
    kind: podDisruptionBudgetKind,
    object: anObject({ spec: { minAvailable: 2 }, status: { disruptionsAllowed: 1 } }),
    cells: ["x", "2", "N/A", 1, "5m"],
  },
  {
    name: "a disruption budget in percent",
    kind: podDisruptionBudgetKind,
    object: anObject({ spec: { maxUnavailable: "25%" } }),
    cells: ["x", "N/A", "25%", 0, "5m"],
  },
  { name: "a role", kind: roleKind, object: anObject({ rules: [] }), cells: ["x", minutesAgo5] },
  {
    name: "a role binding",
    kind: roleBindingKind,
    object: anObject({
      roleRef: { apiGroup: "", kind: "Role", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "User", name: "v" },
        { kind: "Group", name: "g" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    }),
    cells: ["x", "Role/r", "5m", "u, v", "g", "n/s"],
  },
  {
    name: "a cluster role binding of nobody",
    kind: clusterRoleBindingKind,
    object: anObject({ roleRef: { apiGroup: "", kind: "ClusterRole", name: "r" } }),
    cells: ["x", "ClusterRole/r", "5m", "", "", ""],
  },
  {
    name: "an event seen often",
    kind: eventKind,
    object: anObject({
      involvedObject: { kind: "Pod", name: "web", fieldPath: "spec.containers{c}" },
      type: "Warning",
      reason: "BackOff",
      message: " failed \n",
      source: { component: "kubelet", host: "node-1" },
      count: 4,
      firstTimestamp: minutesAgo5,
      lastTimestamp: secondsAgo30,
    }),
    cells: ["30s", "Warning", "BackOff", "pod/web", "spec.containers{c}", "kubelet, node-1", "failed", "5m", 4, "x"],
  },
  {
    name: "an event of the newer kind",
    kind: eventKind,
    object: anObject({
      involvedObject: { kind: "Node" },
      type: "Normal",
      reason: "R",
      eventTime: "2023-11-14T22:08:20.000000Z",
      reportingComponent: "c",
      series: { count: 7, lastObservedTime: "2023-11-14T22:12:50.000000Z" },
    }),
    cells: ["30s", "Normal", "R", "node", "", "c", "", "5m", 7, "x"],
  },
  {
    name: "an event seen once",
    kind: eventKind,
    object: anObject({ involvedObject: { kind: "Pod", name: "p" }, eventTime: "2023-11-14T22:12:50.000000Z" }),
    cells: ["30s", "", "", "pod/p", "", "", "", "30s", 1, "x"],
  },
  {
    name: "an event read through events.k8s.io",
    kind: eventsV1EventKind,
    object: anObject({
      regarding: { kind: "Pod", name: "web" },
      type: "Normal",
      reason: "R",
      note: "done",
      reportingController: "s",
      reportingInstance: "s-0",
      deprecatedCount: 2,
      deprecatedFirstTimestamp: minutesAgo5,
      deprecatedLastTimestamp: secondsAgo30,
    }),
    cells: ["30s", "Normal", "R", "pod/web", "", "s, s-0", "done", "5m", 2, "x"],
  },
  {
    name: "the default storage class",
    kind: storageClassKind,
    object: anObject(
      { provisioner: "p", reclaimPolicy: "Delete", volumeBindingMode: "Immediate", allowVolumeExpansion: true },
      { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    ),
    cells: ["x (default)", "p", "Delete", "Immediate", true, "5m"],
  },
  {
    name: "a volume on its way to a node",
    kind: volumeAttachmentKind,
    object: anObject({ spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } } }),
    cells: ["x", "d", "v", "n", false, "5m"],
  },
  {
    name: "a driver that receives tokens",
    kind: csiDriverKind,
    object: anObject({
      spec: {
        attachRequired: false,
        tokenRequests: [{ audience: "a" }, { audience: "b" }],
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
      },
    }),
    cells: ["x", false, false, false, "a,b", false, "Persistent,Ephemeral", "5m"],
  },
  {
    name: "a node's drivers",
    kind: csiNodeKind,
    object: anObject({ spec: { drivers: [{ name: "d", nodeID: "n" }] } }),
    cells: ["x", 1, "5m"],
  },
  {
    name: "a capacity that is not known",
    kind: csiStorageCapacityKind,
    object: anObject({ storageClassName: "fast" }),
    cells: ["x", "fast", "<unset>"],
  },
  {
    name: "a class of attributes",
    kind: volumeAttributesClassKind,
    object: anObject({ driverName: "d" }),
    cells: ["x", "d", "5m"],
  },
  {
    name: "a claim that waits",
    kind: persistentVolumeClaimKind,
    object: anObject({ spec: { storageClassName: "fast" }, status: { phase: "Pending" } }),
    cells: ["x", "Pending", "", "", "", "fast", "<unset>", "5m", "<unset>"],
  },
  {
    name: "a bound claim that is being deleted",
    kind: persistentVolumeClaimKind,
    object: anObject(
      {
        spec: { volumeName: "v", volumeMode: "Block", volumeAttributesClassName: "gold" },
        status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadWriteMany", "ReadWriteOnce"] },
      },
      { deletionTimestamp: minutesAgo5, annotations: { "volume.beta.kubernetes.io/storage-class": "old" } },
    ),
    cells: ["x", "Terminating", "v", "2Gi", "RWO,RWX", "old", "gold", "5m", "Block"],
  },
  {
    name: "a bound volume",
    kind: persistentVolumeKind,
    object: anObject({
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOncePod"],
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace: "default", name: "c" },
        storageClassName: "fast",
        volumeMode: "Filesystem",
      },
      status: { phase: "Failed", reason: "Broken" },
    }),
    cells: ["x", "2Gi", "RWOP", "Retain", "Failed", "default/c", "fast", "<unset>", "Broken", "5m", "Filesystem"],
  },
];

test.each(rows)("$name", ({ kind, object, cells }) => {
  const converter = converterOf(kind.table);
  expect(converter.row(object, { include: "None", version: "v1", nowMs })).toEqual({ cells, object: null });
  expect(cells).toHaveLength(converter.columnDefinitions.length);
});

const listed = builtInKinds.filter(({ verbs }) => verbs.includes("list"));

test.each(listed)("$type.kind has one column that kubectl takes for the name", ({ table }) => {
  const formats = converterOf(table).columnDefinitions.map(({ format }) => format);
  expect(formats.filter((format) => format === "name")).toHaveLength(1);
});

test("a row carries the object as the client asks", () => {
  const object = anObject({ data: {} }, { labels: { a: "1" } });
  const converter = converterOf(configMapKind.table);
  expect(converter.row(object, { include: "None", version: "v1", nowMs })["object"]).toBeNull();
  expect(converter.row(object, { include: "Object", version: "v1", nowMs })["object"]).toBe(object);
  expect(converter.row(object, { include: "Metadata", version: "v1beta1", nowMs })["object"]).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1beta1",
    metadata: object["metadata"],
  });
});
