import { configMaps, leases, nodes, pods, serviceAccounts } from "@kintsugi/api";
import { expect, test } from "vitest";
import type { AdmissionAttributes } from "../admission-attributes.ts";
import { aWrite } from "../testing/admission.ts";
import { aNodeUser, aUser } from "../testing/policy-store.ts";
import { aMirrorPod, aNode, aPod, aToken, owner, withAddress } from "./testing/node-objects.ts";
import { expectAdmitted, expectRefused, judge } from "./testing/judge-write.ts";

const user = aNodeUser("node-1");
const here = { user, namespace: "default" };
const nodeUpdate = { user, operation: "update", name: "node-1" } as const;
const bound = { apiVersion: "v1", kind: "Pod", name: "web", uid: "pod-uid" };
const token = { ...here, subresource: "token", name: "bot" };
const nodeLease = { user, namespace: "kube-node-lease" };

const admitted: [name: string, write: AdmissionAttributes][] = [
  [
    "another user's write",
    aWrite(nodes, { user: aUser("jane"), operation: "update", name: "node-2", object: aNode(), before: aNode() }),
  ],
  ["other kinds", aWrite(configMaps, { ...here, object: { metadata: { name: "x" } } })],
  [
    "registering",
    aWrite(nodes, {
      user,
      object: aNode(
        {
          labels: {
            "kubernetes.io/hostname": "node-1",
            mine: "1",
            "topology.kubernetes.io/zone": "a",
            "node.kubernetes.io/instance-type": "x",
          },
        },
        { taints: [{ key: "k", effect: "NoSchedule" }] },
      ),
    }),
  ],
  ["its own address", aWrite(nodes, { user, object: withAddress("10.0.0.5") })],
  [
    "a foreign address that it already has",
    aWrite(nodes, {
      ...nodeUpdate,
      subresource: "status",
      object: withAddress("10.0.0.1"),
      before: withAddress("10.0.0.1"),
    }),
  ],
  ["its own status", aWrite(nodes, { ...nodeUpdate, subresource: "status", object: aNode(), before: aNode() })],
  [
    "its own labels",
    aWrite(nodes, {
      ...nodeUpdate,
      object: aNode({ labels: { mine: "2" } }),
      before: aNode({ labels: { mine: "1" } }),
    }),
  ],
  [
    "keeping labels and owners that others set",
    aWrite(nodes, {
      ...nodeUpdate,
      object: aNode({ labels: { "node-role.kubernetes.io/worker": "" }, ownerReferences: [owner] }),
      before: aNode({ labels: { "node-role.kubernetes.io/worker": "" }, ownerReferences: [owner] }),
    }),
  ],
  ["a mirror pod", aWrite(pods, { ...here, object: aMirrorPod() })],
  ["deleting its pod", aWrite(pods, { ...here, operation: "delete", name: "web" })],
  [
    "its pod's status",
    aWrite(pods, {
      ...here,
      operation: "update",
      subresource: "status",
      name: "web",
      object: aPod("node-1"),
      before: aPod("node-1"),
    }),
  ],
  ["evicting its pod", aWrite(pods, { ...here, subresource: "eviction", name: "web", object: { metadata: {} } })],
  ["a token for its pod", aWrite(serviceAccounts, { ...token, object: aToken(bound) })],
  [
    "a token for an audience that its pod names",
    aWrite(serviceAccounts, { ...token, object: aToken(bound, ["vault"]) }),
  ],
  [
    "a token for an audience that a rule names",
    aWrite(serviceAccounts, { ...token, object: aToken(bound, ["granted"]) }),
  ],
  ["creating its lease", aWrite(leases, { ...nodeLease, object: { metadata: { name: "node-1" } } })],
  [
    "renewing its lease",
    aWrite(leases, { ...nodeLease, operation: "update", name: "node-1", object: { metadata: { name: "node-1" } } }),
  ],
];

const refused: [because: string, write: AdmissionAttributes][] = [
  [
    'could not determine node from user "system:node:"',
    aWrite(pods, { user: aNodeUser(""), operation: "delete", name: "web" }),
  ],
  [
    'node "node-1" is not allowed to modify node "node-2"',
    aWrite(nodes, {
      ...nodeUpdate,
      name: "node-2",
      object: aNode({ name: "node-2" }),
      before: aNode({ name: "node-2" }),
    }),
  ],
  ['node "node-1" is not allowed to modify node "node-2"', aWrite(nodes, { user, object: aNode({ name: "node-2" }) })],
  [
    'node "node-1" is not allowed to modify node "node-2"',
    aWrite(nodes, {
      ...nodeUpdate,
      subresource: "status",
      name: "node-2",
      object: aNode({ name: "node-2" }),
      before: aNode({ name: "node-2" }),
    }),
  ],
  ...["127.0.0.1", "169.254.169.254", "fe80::1", "10.0.0.1"].map((address): [string, AdmissionAttributes] => [
    `node "node-1" is not allowed to have the address ${address}, because it is not a machine's address, or belongs to the API server or a Service`,
    aWrite(nodes, { ...nodeUpdate, subresource: "status", object: withAddress(address), before: aNode() }),
  ]),
  [
    'node "node-1" is not allowed to have the address ::1, because it is not a machine\'s address, or belongs to the API server or a Service',
    aWrite(nodes, { user, object: withAddress("::1") }),
  ],
  [
    'node "node-1" is not allowed to modify taints',
    aWrite(nodes, {
      ...nodeUpdate,
      object: aNode(),
      before: aNode({}, { taints: [{ key: "k", effect: "NoExecute" }] }),
    }),
  ],
  [
    'node "node-1" is not allowed to modify taints',
    aWrite(nodes, {
      ...nodeUpdate,
      object: aNode({}, { taints: [{ key: "k", effect: "NoExecute" }] }),
      before: aNode(),
    }),
  ],
  [
    'node "node-1" is not allowed to modify ownerReferences',
    aWrite(nodes, { ...nodeUpdate, object: aNode({ ownerReferences: [owner] }), before: aNode() }),
  ],
  [
    'node "node-1" is not allowed to modify ownerReferences',
    aWrite(nodes, {
      ...nodeUpdate,
      subresource: "status",
      object: aNode({ ownerReferences: [owner] }),
      before: aNode(),
    }),
  ],
  [
    'node "node-1" is not allowed to modify ownerReferences',
    aWrite(nodes, { ...nodeUpdate, object: aNode(), before: aNode({ ownerReferences: [owner] }) }),
  ],
  [
    'node "node-1" is not allowed to modify ownerReferences',
    aWrite(nodes, { user, object: aNode({ ownerReferences: [owner] }) }),
  ],
  [
    'node "node-1" is not allowed to set the following labels: node-restriction.kubernetes.io/tier, node-role.kubernetes.io/master',
    aWrite(nodes, {
      user,
      object: aNode({ labels: { "node-role.kubernetes.io/master": "", "node-restriction.kubernetes.io/tier": "1" } }),
    }),
  ],
  [
    'node "node-1" is not allowed to modify labels: x.node-restriction.kubernetes.io/tier',
    aWrite(nodes, {
      ...nodeUpdate,
      object: aNode({ labels: { "x.node-restriction.kubernetes.io/tier": "2" } }),
      before: aNode({ labels: { "x.node-restriction.kubernetes.io/tier": "1" } }),
    }),
  ],
  [
    'node "node-1" is not allowed to modify labels: example.k8s.io/x',
    aWrite(nodes, { ...nodeUpdate, object: aNode(), before: aNode({ labels: { "example.k8s.io/x": "1" } }) }),
  ],
  [
    'pod does not have "kubernetes.io/config.mirror" annotation, node "node-1" can only create mirror pods',
    aWrite(pods, { ...here, object: aPod("node-1") }),
  ],
  [
    'node "node-1" can only create pods with spec.nodeName set to itself',
    aWrite(pods, { ...here, object: aMirrorPod({}, { nodeName: "node-2" }) }),
  ],
  [
    'node "node-1" can only create pods with an owner reference set to itself',
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [] }) }),
  ],
  [
    'node "node-1" can only create pods with an owner reference set to itself',
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [{ ...owner, name: "node-2" }] }) }),
  ],
  [
    'node "node-1" can only create pods with an owner reference set to itself',
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [{ ...owner, kind: "ReplicaSet" }] }) }),
  ],
  [
    'node "node-1" can only create pods with a single owner reference set to itself',
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [owner, owner] }) }),
  ],
  [
    'node "node-1" can only create pods with a controller owner reference set to itself',
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [{ ...owner, controller: false }] }) }),
  ],
  [
    'node "node-1" must not set blockOwnerDeletion on an owner reference',
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }) }),
  ],
  [
    "node node-1 UID mismatch: expected old got node-uid",
    aWrite(pods, { ...here, object: aMirrorPod({ ownerReferences: [{ ...owner, uid: "old" }] }) }),
  ],
  [
    'node "node-1" can not create pods that reference a service account',
    aWrite(pods, { ...here, object: aMirrorPod({}, { serviceAccountName: "admin" }) }),
  ],
  [
    'node "node-1" can not create pods that reference secrets',
    aWrite(pods, { ...here, object: aMirrorPod({}, { imagePullSecrets: [{ name: "s" }] }) }),
  ],
  [
    'node "node-1" can not create pods that reference configmaps',
    aWrite(pods, { ...here, object: aMirrorPod({}, { volumes: [{ name: "v", configMap: { name: "c" } }] }) }),
  ],
  [
    'node "node-1" can not create pods that reference persistentvolumeclaims',
    aWrite(pods, {
      ...here,
      object: aMirrorPod({}, { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] }),
    }),
  ],
  [
    'node "node-1" can not create pods that reference a service account',
    aWrite(pods, {
      ...here,
      object: aMirrorPod(
        {},
        { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
      ),
    }),
  ],
  [
    'unexpected operation "UPDATE", node "node-1" can only create and delete mirror pods',
    aWrite(pods, { ...here, operation: "update", name: "web", object: aPod("node-1"), before: aPod("node-1") }),
  ],
  [
    "unexpected pod subresource \"binding\", only 'status' and 'eviction' are allowed",
    aWrite(pods, { ...here, subresource: "binding", name: "web", object: {} }),
  ],
  [
    "unexpected pod subresource \"ephemeralcontainers\", only 'status' and 'eviction' are allowed",
    aWrite(pods, {
      ...here,
      operation: "update",
      subresource: "ephemeralcontainers",
      name: "web",
      object: aPod("node-1"),
      before: aPod("node-1"),
    }),
  ],
  [
    'node "node-1" can only delete pods with spec.nodeName set to itself',
    aWrite(pods, { ...here, operation: "delete", name: "foreign" }),
  ],
  [
    'node "node-1" can only update pod status for pods with spec.nodeName set to itself',
    aWrite(pods, {
      ...here,
      operation: "update",
      subresource: "status",
      name: "web",
      object: aPod("node-1"),
      before: aPod("node-2"),
    }),
  ],
  [
    'node "node-1" cannot update labels through pod status',
    aWrite(pods, {
      ...here,
      operation: "update",
      subresource: "status",
      name: "web",
      object: aPod("node-1", { labels: { app: "db" } }),
      before: aPod("node-1", { labels: { app: "web" } }),
    }),
  ],
  [
    "node node-1 can only evict pods with spec.nodeName set to itself",
    aWrite(pods, { ...here, subresource: "eviction", name: "foreign", object: { metadata: {} } }),
  ],
  [
    "could not determine pod from request data",
    aWrite(pods, { ...here, subresource: "eviction", object: { metadata: {} } }),
  ],
  ["node requested token not bound to a pod", aWrite(serviceAccounts, { ...token, object: aToken(undefined) })],
  [
    "node requested token not bound to a pod",
    aWrite(serviceAccounts, { ...token, object: aToken({ ...bound, kind: "Secret" }) }),
  ],
  [
    "node requested token with a pod binding without a uid",
    aWrite(serviceAccounts, { ...token, object: aToken({ apiVersion: "v1", kind: "Pod", name: "web" }) }),
  ],
  [
    "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
    aWrite(serviceAccounts, { ...token, object: aToken({ ...bound, uid: "old" }) }),
  ],
  [
    "node requested token bound to a pod scheduled on a different node",
    aWrite(serviceAccounts, { ...token, object: aToken({ ...bound, name: "foreign", uid: "foreign-uid" }) }),
  ],
  [
    "node may only request 0 or 1 audiences",
    aWrite(serviceAccounts, { ...token, object: aToken(bound, ["vault", "vault"]) }),
  ],
  [
    'audience "cloud" not found in pod spec volume, system:node:node-1 is not authorized to request tokens for this audience',
    aWrite(serviceAccounts, { ...token, object: aToken(bound, ["cloud"]) }),
  ],
  [
    'audience "" not found in pod spec volume, system:node:node-1 is not authorized to request tokens for this audience',
    aWrite(serviceAccounts, { ...token, object: aToken({ ...bound, name: "none", uid: "none-uid" }) }),
  ],
  [
    'can only access leases in the "kube-node-lease" system namespace',
    aWrite(leases, { ...here, object: { metadata: { name: "node-1" } } }),
  ],
  [
    "can only access node lease with the same name as the requesting node",
    aWrite(leases, { ...nodeLease, object: { metadata: { name: "node-2" } } }),
  ],
  [
    "can only access node lease with the same name as the requesting node",
    aWrite(leases, { ...nodeLease, operation: "update", name: "node-2", object: { metadata: { name: "node-2" } } }),
  ],
];

test.each(admitted)("a node is allowed: %s", (_name, write) => expectAdmitted(write));

test.each(refused)("a node is refused: %s", (because, write) => expectRefused(write, because));

test("a request for a pod that no longer exists returns NotFound", () => {
  const write = aWrite(pods, { ...here, operation: "delete", name: "gone" });
  expect(judge(write)).toMatchObject({ reason: "NotFound", message: 'pods "gone" not found' });
});
