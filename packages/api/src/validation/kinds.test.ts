import { describe, expect, test } from "vitest";
import type { Kind } from "../kinds/define-kind.ts";
import {
  clusterRoleBindingKind,
  clusterRoleKind,
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
  serviceKind,
} from "../index.ts";
import { roleRef } from "./testing/an-object.ts";
import { createFaults } from "./testing/create-faults.ts";

const event = { involvedObject: { kind: "Pod", name: "p", namespace: "default" } };

describe("a valid object is created", () => {
  test.each<[string, Kind, object]>([
    ["Service", serviceKind, { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }],
    [
      "Service whose name begins with a digit",
      serviceKind,
      { metadata: { name: "1a" }, spec: { ports: [{ port: 1 }] } },
    ],
    ["headless Service", serviceKind, { spec: { clusterIP: "None" } }],
    ["Service of type ExternalName", serviceKind, { spec: { type: "ExternalName", externalName: "example.com." } }],
    [
      "Node",
      nodeKind,
      {
        spec: { podCIDR: "10.1.0.0/24", taints: [{ key: "a", effect: "NoExecute" }] },
        status: { capacity: { cpu: "4", pods: "110" } },
      },
    ],
    ["ConfigMap", configMapKind, { data: { a: "b" }, binaryData: { c: "eA==" } }],
    ["Secret", secretKind, { stringData: { a: "b" } }],
    ["Lease", leaseKind, { spec: { holderIdentity: "n", leaseDurationSeconds: 40 } }],
    ["PriorityClass", priorityClassKind, { value: 1000, preemptionPolicy: "Never" }],
    ["Role", roleKind, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }],
    ["Role with a colon in its name", roleKind, { metadata: { name: "system:x" } }],
    ["ClusterRole", clusterRoleKind, { rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] }],
    ["RoleBinding", roleBindingKind, { roleRef, subjects: [{ kind: "ServiceAccount", name: "a", namespace: "b" }] }],
    [
      "RoleBinding to a service account of its own namespace",
      roleBindingKind,
      { roleRef, subjects: [{ kind: "ServiceAccount", name: "a" }] },
    ],
    [
      "EndpointSlice",
      endpointSliceKind,
      { addressType: "IPv4", endpoints: [{ addresses: ["10.1.0.5"] }], ports: [{ name: "http", port: 80 }] },
    ],
    ["Event", eventKind, event],
    ["Namespace", namespaceKind, {}],
  ])("%s", (_what, type, body) => {
    expect(createFaults(type, body)).toEqual([]);
  });
});

describe("a new object is rejected:", () => {
  test.each<[string, Kind, object, string[]]>([
    ["a Service without ports", serviceKind, { spec: {} }, ["spec.ports: Required value"]],
    [
      "a Service with nameless ports",
      serviceKind,
      { spec: { ports: [{ port: 1 }, { port: 2, name: "b" }] } },
      ["spec.ports[0].name: Required value"],
    ],
    [
      "a Service with a duplicate port",
      serviceKind,
      {
        spec: {
          ports: [
            { port: 1, name: "a" },
            { port: 1, name: "b" },
          ],
        },
      },
      ['spec.ports[1]: Duplicate value: {"protocol":"TCP","port":1}'],
    ],
    [
      "a Service with an invalid node port",
      serviceKind,
      { spec: { ports: [{ port: 1, nodePort: 30_000 }] } },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    [
      "a Service without an address",
      serviceKind,
      { spec: { clusterIP: "10.0.0.300", ports: [{ port: 1 }] } },
      [
        'spec.clusterIPs[0]: Invalid value: "10.0.0.300": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ],
    ],
    [
      "a Node with a duplicate taint",
      nodeKind,
      {
        spec: {
          taints: [
            { key: "a", effect: "NoExecute" },
            { key: "a", value: "b", effect: "NoExecute" },
          ],
        },
      },
      [
        'metadata.taints[1]: Duplicate value: {"key":"a","value":"b","effect":"NoExecute"}: taints must be unique by key and effect pair',
      ],
    ],
    [
      "a Node with a taint without effect",
      nodeKind,
      { spec: { taints: [{ key: "a" }] } },
      ["metadata.taints[0].effect: Required value"],
    ],
    [
      "a Node without a network",
      nodeKind,
      { spec: { podCIDR: "10.1.0.0" } },
      ['spec.podCIDRs[0]: Invalid value: "10.1.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    ],
    [
      "a Node in a namespace",
      nodeKind,
      { metadata: { namespace: "a" } },
      ["metadata.namespace: Forbidden: not allowed on this type"],
    ],
    [
      "a ConfigMap with a path for a key",
      configMapKind,
      { data: { "a/b": "" } },
      [
        "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ],
    ],
    [
      "a ConfigMap with a key in both data and binaryData",
      configMapKind,
      { data: { a: "" }, binaryData: { a: "" } },
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [
      "a ConfigMap of more than a mebibyte",
      configMapKind,
      { data: { a: "ä".repeat(524_289) } },
      [": Too long: may not be more than 1048576 bytes"],
    ],
    [
      "a TLS Secret without its key",
      secretKind,
      { type: "kubernetes.io/tls", data: { "tls.crt": "" } },
      ["data[tls.key]: Required value"],
    ],
    [
      "a Lease without a duration",
      leaseKind,
      { spec: { leaseDurationSeconds: 0 } },
      ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"],
    ],
    [
      "a PriorityClass above the maximum for users",
      priorityClassKind,
      { value: 1_000_000_001, preemptionPolicy: "Sometimes" },
      [
        "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
        'preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"',
      ],
    ],
    [
      "a PriorityClass with the prefix of system classes",
      priorityClassKind,
      { metadata: { name: "system-mine" }, value: 1 },
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
      ],
    ],
    [
      "a system PriorityClass of another value",
      priorityClassKind,
      { metadata: { name: "system-node-critical" }, value: 1 },
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000",
      ],
    ],
    [
      "a system PriorityClass as the default",
      priorityClassKind,
      { metadata: { name: "system-node-critical" }, value: 2_000_001_000, globalDefault: true },
      [
        "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: globalDefault of system-node-critical PriorityClass must be false",
      ],
    ],
    [
      "a Role that allows nothing",
      roleKind,
      { rules: [{}] },
      [
        "rules[0].verbs: Required value: verbs must contain at least one value",
        "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[0].resources: Required value: resource rules must supply at least one resource",
      ],
    ],
    [
      "a Role for paths",
      roleKind,
      { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
    [
      "a ClusterRoleBinding to a Role",
      clusterRoleBindingKind,
      { roleRef: { kind: "Role", name: "a" } },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    [
      "a ClusterRoleBinding for a service account without a namespace",
      clusterRoleBindingKind,
      { roleRef, subjects: [{ kind: "ServiceAccount", name: "a" }] },
      ["subjects[0].namespace: Required value"],
    ],
    [
      "a slice of the wrong family",
      endpointSliceKind,
      { addressType: "IPv6", endpoints: [{ addresses: ["10.1.0.5"] }] },
      ['endpoints[0].addresses[0]: Invalid value: "10.1.0.5": must be an IPv6 address'],
    ],
    [
      "endpoints without addresses, and with ports that are indistinguishable",
      endpointsKind,
      {
        subsets: [
          { ports: [{ port: 80 }] },
          { addresses: [{ ip: "127.0.0.1" }], ports: [{ port: 0, name: "a" }, { port: 81 }] },
        ],
      },
      [
        "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
        'subsets[1].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        "subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
        "subsets[1].ports[1].name: Required value",
      ],
    ],
    [
      "a slice that leads to the node itself",
      endpointSliceKind,
      { addressType: "IPv4", endpoints: [{ addresses: ["127.0.0.1"] }] },
      [
        'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      ],
    ],
    [
      "an Event in another namespace",
      eventKind,
      { involvedObject: { ...event.involvedObject, namespace: "other" } },
      ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    ],
    [
      "an Event without a reporter",
      eventsV1EventKind,
      { eventTime: "2026-01-02T03:04:05Z", type: "Normal", action: "Kill", reason: "Sick" },
      ["reportingController: Required value", "reportingInstance: Required value"],
    ],
    [
      "annotations of more than 256 KiB",
      namespaceKind,
      { metadata: { annotations: { a: "x".repeat(262_144) } } },
      ["metadata.annotations: Too long: may not be more than 262144 bytes"],
    ],
    [
      "two managers",
      configMapKind,
      {
        metadata: {
          ownerReferences: ["a", "b"].map((name) => ({
            apiVersion: "v1",
            kind: "Pod",
            name,
            uid: name,
            controller: true,
          })),
        },
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"a","uid":"a","controller":true},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"b","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b',
      ],
    ],
    [
      "neither a name nor a generated name",
      configMapKind,
      { metadata: { name: "" } },
      ["metadata.name: Required value: name or generateName is required"],
    ],
  ])("%s", (_what, type, body, expected) => {
    expect(createFaults(type, body)).toEqual(expected);
  });
});
