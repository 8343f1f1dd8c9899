import { describe, expect, test } from "vitest";
import type { ApiObject } from "../meta/api-object.ts";
import type { Kind } from "../kinds/define-kind.ts";
import {
  configMapKind,
  daemonSetKind,
  deploymentKind,
  endpointSliceKind,
  nodeKind,
  priorityClassKind,
  replicaSetKind,
  roleBindingKind,
  secretKind,
  serviceKind,
  builtInKinds,
} from "../index.ts";
import { anObject, daemonSet, deployment, replicaSet, roleRef } from "./testing/an-object.ts";
import { validateUpdate } from "./validate.ts";

const storedKinds = builtInKinds.filter(({ answered }) => answered !== true);

function updateFaults(type: Kind, change: { before: object; after: object; subresource?: string }): string[] {
  const metadata = { resourceVersion: "1" };
  const [before, after] = [change.before, change.after].map((body) => anObject(type, { ...body, metadata })) as [
    ApiObject,
    ApiObject,
  ];
  const { subresource = "" } = change;
  return validateUpdate(type, { before, after, subresource }).map(({ field, message }) => `${field}: ${message}`);
}

describe("immutable fields:", () => {
  test.each<[string, Kind, { before: object; after: object; subresource?: string }, string[]]>([
    ["nothing did", configMapKind, { before: { data: { a: "b" } }, after: { data: { a: "c" } } }, []],
    [
      "a ReplicaSet's selector",
      replicaSetKind,
      {
        before: replicaSet,
        after: { spec: { ...replicaSet.spec, selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } } },
      },
      ['spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable'],
    ],
    [
      "a Deployment's selector",
      deploymentKind,
      {
        before: deployment,
        after: { spec: { ...deployment.spec, selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } } },
      },
      ['spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable'],
    ],
    [
      "a DaemonSet's selector",
      daemonSetKind,
      {
        before: daemonSet,
        after: { spec: { ...daemonSet.spec, selector: { matchExpressions: [{ key: "app", operator: "Exists" }] } } },
      },
      ['spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable'],
    ],
    [
      "a DaemonSet's collision count never decreases, and its counts are never negative",
      daemonSetKind,
      {
        before: { ...daemonSet, status: { collisionCount: 2 } },
        after: { ...daemonSet, status: { collisionCount: 1, numberReady: -1 } },
        subresource: "status",
      },
      [
        "status.numberReady: Invalid value: -1: must be greater than or equal to 0",
        "status.collisionCount: Invalid value: 1: cannot be decremented",
      ],
    ],
    [
      "a PriorityClass's value",
      priorityClassKind,
      {
        before: { value: 1, preemptionPolicy: "Never" },
        after: { value: 2, preemptionPolicy: "PreemptLowerPriority" },
      },
      [
        "value: Forbidden: may not be changed in an update.",
        'preemptionPolicy: Invalid value: "PreemptLowerPriority": field is immutable',
      ],
    ],
    [
      "a Service's address",
      serviceKind,
      {
        before: { spec: { clusterIP: "10.0.0.1", ports: [{ port: 1 }] } },
        after: { spec: { clusterIP: "10.0.0.2", ports: [{ port: 1 }] } },
      },
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
    ],
    [
      "a Node's network",
      nodeKind,
      { before: { spec: { podCIDR: "10.1.0.0/24" } }, after: { spec: { podCIDR: "10.2.0.0/24" } } },
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
    ["a Node's network, once absent", nodeKind, { before: {}, after: { spec: { podCIDR: "10.2.0.0/24" } } }, []],
    [
      "immutable data",
      configMapKind,
      { before: { immutable: true, data: { a: "b" } }, after: { data: { a: "c" } } },
      [
        "immutable: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set",
      ],
    ],
    [
      "a Secret's type",
      secretKind,
      { before: {}, after: { type: "example.com/x" } },
      ['type: Invalid value: "example.com/x": field is immutable'],
    ],
    [
      "a binding's role",
      roleBindingKind,
      { before: { roleRef }, after: { roleRef: { ...roleRef, name: "view" } } },
      [
        'roleRef: Invalid value: {"kind":"ClusterRole","name":"view","apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef',
      ],
    ],
    [
      "a slice's family",
      endpointSliceKind,
      { before: { addressType: "IPv4" }, after: { addressType: "FQDN" } },
      ['addressType: Invalid value: "FQDN": field is immutable'],
    ],
    [
      "more ready pods than pods",
      replicaSetKind,
      {
        before: replicaSet,
        after: { ...replicaSet, status: { replicas: 1, readyReplicas: 2 } },
        subresource: "status",
      },
      ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
    ],
    [
      "a condition with an unknown status",
      nodeKind,
      { before: {}, after: { status: { conditions: [{ type: "Ready", status: "Maybe" }] } }, subresource: "status" },
      ['status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"'],
    ],
  ])("%s", (_what, type, change, expected) => {
    expect(updateFaults(type, change)).toEqual(expected);
  });

  test.each(storedKinds.map((kind) => [`${kind.type.group}/${kind.type.kind}`, kind] as const))(
    "the identity of %s",
    (_name, type) => {
      const before = anObject(type, {});
      const after = {
        ...before,
        metadata: { ...before.metadata, resourceVersion: "1", uid: "other", creationTimestamp: "2026-01-02T03:04:05Z" },
      };
      const fields = validateUpdate(type, { before, after }).map(({ field }) => field);
      expect(fields).toEqual(expect.arrayContaining(["metadata.uid", "metadata.creationTimestamp"]));
    },
  );
});

test("finalizers are only removed once deletion has begun", () => {
  const metadata = { resourceVersion: "1", deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: ["a.example/x"] };
  const before = anObject(configMapKind, { metadata });
  const after = anObject(configMapKind, { metadata: { ...metadata, finalizers: ["b.example/y"] } });
  expect(validateUpdate(configMapKind, { before, after }).map(({ message }) => message)).toEqual([
    'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b.example/y"}',
  ]);
});
