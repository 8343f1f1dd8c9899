import {
  clusterRoleBindingKind,
  configMapKind,
  endpointSliceKind,
  endpointsKind,
  eventKind,
  eventsV1EventKind,
  leaseKind,
  namespaceKind,
  nodeKind,
  priorityClassKind,
  roleBindingKind,
  roleKind,
  secretKind,
  serviceAccountKind,
  serviceKind,
} from "@kintsugi/api";
import { listedObject, minutesAgo5, secondsAgo30, type TableRow } from "./table-row.ts";

const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });
const nodeInfo = {
  kubeletVersion: "v1.33.1",
  osImage: "Debian",
  kernelVersion: "6.1",
  containerRuntimeVersion: "containerd://1.6",
};
const unknownWide = ["<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"];

/** Nodes, Services, roles and all other kinds. */
export const clusterRows: readonly TableRow[] = [
  {
    name: "a ready node",
    kind: nodeKind,
    object: listedObject({
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
    object: listedObject({ status: ready("False") }),
    cells: ["x", "NotReady", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a silent node",
    kind: nodeKind,
    object: listedObject({ status: ready("Unknown") }),
    cells: ["x", "NotReady", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a node that never reported",
    kind: nodeKind,
    object: listedObject({}),
    cells: ["x", "Unknown", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a cordoned node",
    kind: nodeKind,
    object: listedObject({ spec: { unschedulable: true }, status: ready("True") }),
    cells: ["x", "Ready,SchedulingDisabled", "<none>", "5m", "", ...unknownWide],
  },
  {
    name: "a node's roles",
    kind: nodeKind,
    object: listedObject(
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
    name: "a namespace",
    kind: namespaceKind,
    object: listedObject({ status: { phase: "Active" } }),
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
    object: listedObject({ data: { a: "1", b: "2" }, binaryData: { c: "Zg==" } }),
    cells: ["x", 3, "5m"],
  },
  {
    name: "a secret",
    kind: secretKind,
    object: listedObject({ type: "Opaque", data: { a: "Zg==" } }),
    cells: ["x", "Opaque", 1, "5m"],
  },
  { name: "a service account", kind: serviceAccountKind, object: listedObject({}), cells: ["x", 0, "5m"] },
  {
    name: "a lease",
    kind: leaseKind,
    object: listedObject({ spec: { holderIdentity: "node-1" } }),
    cells: ["x", "node-1", "5m"],
  },
  {
    name: "a priority class",
    kind: priorityClassKind,
    object: listedObject({ value: 1000, globalDefault: true, preemptionPolicy: "Never" }),
    cells: ["x", 1000, true, "5m", "Never"],
  },
  { name: "a Lease without a holder", kind: leaseKind, object: listedObject({ spec: {} }), cells: ["x", "", "5m"] },
  {
    name: "a cluster service",
    kind: serviceKind,
    object: listedObject({
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
    object: listedObject({ spec: { type: "ClusterIP", clusterIPs: ["None"] } }),
    cells: ["x", "ClusterIP", "None", "<none>", "<none>", "5m", "<none>"],
  },
  {
    name: "a node port",
    kind: serviceKind,
    object: listedObject({
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
    name: "a load balancer that does not exist yet",
    kind: serviceKind,
    object: listedObject({ spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.3"] } }),
    cells: ["x", "LoadBalancer", "10.96.0.3", "<pending>", "<none>", "5m", "<none>"],
  },
  {
    name: "a load balancer",
    kind: serviceKind,
    object: listedObject({
      spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.3"], externalIPs: ["9.9.9.9"] },
      status: { loadBalancer: { ingress: [{ ip: "5.5.5.5" }, { hostname: "lb.example" }] } },
    }),
    cells: ["x", "LoadBalancer", "10.96.0.3", "5.5.5.5,lb.example,9.9.9.9", "<none>", "5m", "<none>"],
  },
  {
    name: "an external name",
    kind: serviceKind,
    object: listedObject({ spec: { type: "ExternalName", externalName: "db.example" } }),
    cells: ["x", "ExternalName", "<none>", "db.example", "<none>", "5m", "<none>"],
  },
  {
    name: "endpoints",
    kind: endpointSliceKind,
    object: listedObject({
      addressType: "IPv4",
      ports: [{ port: 80, name: "http" }, { name: "any" }],
      endpoints: [{ addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.2"] }],
    }),
    cells: ["x", "IPv4", "80,any", "10.0.0.1,10.0.0.2", "5m"],
  },
  {
    name: "more endpoints than fit",
    kind: endpointSliceKind,
    object: listedObject({
      addressType: "IPv4",
      ports: [],
      endpoints: ["1", "2", "3", "4", "5"].map((last) => ({ addresses: [`10.0.0.${last}`] })),
    }),
    cells: ["x", "IPv4", "<unset>", "10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...", "5m"],
  },
  {
    name: "the endpoints of a Service in one object",
    kind: endpointsKind,
    object: listedObject({
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
  { name: "endpoints without subsets", kind: endpointsKind, object: listedObject({}), cells: ["x", "<none>", "5m"] },
  {
    name: "endpoints that are all unready",
    kind: endpointsKind,
    object: listedObject({ subsets: [{ notReadyAddresses: [{ ip: "10.0.0.2" }], ports: [{ port: 80 }] }] }),
    cells: ["x", "", "5m"],
  },
  { name: "a role", kind: roleKind, object: listedObject({ rules: [] }), cells: ["x", minutesAgo5] },
  {
    name: "a role binding",
    kind: roleBindingKind,
    object: listedObject({
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
    name: "a cluster role binding without subjects",
    kind: clusterRoleBindingKind,
    object: listedObject({ roleRef: { apiGroup: "", kind: "ClusterRole", name: "r" } }),
    cells: ["x", "ClusterRole/r", "5m", "", "", ""],
  },
  {
    name: "an event seen often",
    kind: eventKind,
    object: listedObject({
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
    object: listedObject({
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
    object: listedObject({ involvedObject: { kind: "Pod", name: "p" }, eventTime: "2023-11-14T22:12:50.000000Z" }),
    cells: ["30s", "", "", "pod/p", "", "", "", "30s", 1, "x"],
  },
  {
    name: "an event read through events.k8s.io",
    kind: eventsV1EventKind,
    object: listedObject({
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
];
