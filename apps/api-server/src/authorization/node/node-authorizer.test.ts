import type { JsonObject } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import type { AuthorizationAttributes } from "../authorization.ts";
import { createAuthorizer } from "../index.ts";
import { aNodeUser, aRequest, aUser, PolicyStore } from "../testing/policy-store.ts";

const web: JsonObject = {
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u1" },
  spec: {
    nodeName: "node-1",
    serviceAccountName: "bot",
    imagePullSecrets: [{ name: "pull" }],
    initContainers: [
      { name: "i", env: [{ name: "X", valueFrom: { secretKeyRef: { name: "env-secret", key: "k" } } }] },
    ],
    containers: [
      { name: "c", envFrom: [{ configMapRef: { name: "env-map" } }, { secretRef: { name: "from-secret" } }] },
    ],
    ephemeralContainers: [
      { name: "e", env: [{ name: "Y", valueFrom: { configMapKeyRef: { name: "debug-map", key: "k" } } }] },
    ],
    volumes: [
      { name: "v1", secret: { secretName: "volume-secret" } },
      { name: "v2", configMap: { name: "volume-map" } },
      {
        name: "v3",
        projected: { sources: [{ secret: { name: "projected-secret" } }, { configMap: { name: "projected-map" } }] },
      },
      { name: "v4", persistentVolumeClaim: { claimName: "claim" } },
      { name: "v5", ephemeral: {} },
    ],
    resourceClaims: [
      { name: "shared", resourceClaimName: "shared-claim" },
      { name: "own", resourceClaimTemplateName: "t" },
    ],
  },
  status: { resourceClaimStatuses: [{ name: "own", resourceClaimName: "web-own-x2x9d" }] },
};

const mirror: JsonObject = {
  kind: "Pod",
  metadata: { name: "static-node-1", namespace: "default", annotations: { "kubernetes.io/config.mirror": "x" } },
  spec: {
    nodeName: "node-1",
    serviceAccountName: "stolen",
    volumes: [{ name: "v", secret: { secretName: "stolen" } }],
  },
};

const volumeOf = (name: string, claim?: { namespace: string; name: string }): JsonObject => ({
  kind: "PersistentVolume",
  metadata: { name },
  spec: claim === undefined ? {} : { claimRef: claim },
});
const attachmentTo = (nodeName: string): JsonObject => ({
  kind: "VolumeAttachment",
  metadata: { name: `to-${nodeName}` },
  spec: { nodeName },
});
const sliceOf = (nodeName: string): JsonObject => ({
  kind: "ResourceSlice",
  metadata: { name: `of-${nodeName}` },
  spec: { nodeName, driver: "gpu.example.com" },
});
const ref = (name: string) => ({ namespace: "storage", name });
const storage = [
  {
    kind: "PersistentVolumeClaim",
    metadata: { name: "claim", namespace: "default" },
    spec: { volumeName: "disk" },
  },
  {
    kind: "PersistentVolume",
    metadata: { name: "disk" },
    spec: {
      claimRef: { namespace: "default", name: "claim" },
      csi: {
        driver: "a.example",
        volumeHandle: "1",
        nodeStageSecretRef: ref("for-stage"),
        nodePublishSecretRef: ref("for-publish"),
        nodeExpandSecretRef: ref("for-growth"),
        controllerPublishSecretRef: ref("for-controller"),
      },
    },
  },
  volumeOf("elsewhere", { namespace: "prod", name: "claim" }),
  volumeOf("of-another", { namespace: "default", name: "other" }),
  volumeOf("free"),
  attachmentTo("node-1"),
  attachmentTo("node-2"),
  sliceOf("node-1"),
  sliceOf("node-2"),
];
const ofDevices = { group: "resource.k8s.io" };
const ofStorage = { group: "storage.k8s.io" };

const node1 = aNodeUser("node-1");
const here = { namespace: "default" };
const lease = { group: "coordination.k8s.io", namespace: "kube-node-lease" };

function readsSecret(name: string, more: Partial<AuthorizationAttributes> = {}): AuthorizationAttributes {
  return aRequest(node1, "get secrets", { ...here, name, ...more });
}

const allowed: [name: string, request: AuthorizationAttributes][] = [
  ...["pull", "env-secret", "from-secret", "volume-secret", "projected-secret"].map(
    (name): [string, AuthorizationAttributes] => [`secret ${name} of its pod`, readsSecret(name)],
  ),
  ...["env-map", "debug-map", "volume-map", "projected-map"].map((name): [string, AuthorizationAttributes] => [
    `config map ${name} of its pod`,
    aRequest(node1, "get configmaps", { ...here, name }),
  ]),
  [
    "a watch of one secret of its pod",
    aRequest(node1, "watch secrets", { ...here, fieldSelector: "metadata.name=pull" }),
  ],
  [
    "a list of one config map of its pod",
    aRequest(node1, "list configmaps", { ...here, fieldSelector: "metadata.name=env-map" }),
  ],
  ...["for-stage", "for-publish", "for-growth"].map((name): [string, AuthorizationAttributes] => [
    `the Secret ${name} of its pod's volume`,
    readsSecret(name, { namespace: "storage" }),
  ]),
  ["a claim of its pod", aRequest(node1, "get persistentvolumeclaims", { ...here, name: "claim" })],
  ["an ephemeral claim of its pod", aRequest(node1, "get persistentvolumeclaims", { ...here, name: "web-v5" })],
  ["the volume of a claim of its pod", aRequest(node1, "get persistentvolumes", { name: "disk" })],
  ["an attachment to itself", aRequest(node1, "get volumeattachments", { ...ofStorage, name: "to-node-1" })],
  ...["shared-claim", "web-own-x2x9d"].map((name): [string, AuthorizationAttributes] => [
    `the claim ${name} of its pod`,
    aRequest(node1, "get resourceclaims", { ...here, ...ofDevices, name }),
  ]),
  ["creating a slice (NodeRestriction checks more)", aRequest(node1, "create resourceslices", ofDevices)],
  ["its own slice", aRequest(node1, "update resourceslices", { ...ofDevices, name: "of-node-1" })],
  [
    "removing its own slices",
    aRequest(node1, "deletecollection resourceslices", { ...ofDevices, fieldSelector: "spec.nodeName=node-1" }),
  ],
  ["a token of its pod's service account", aRequest(node1, "create serviceaccounts/token", { ...here, name: "bot" })],
  ["its own pod", aRequest(node1, "get pods", { ...here, name: "web" })],
  ["its own mirror pod", aRequest(node1, "get pods", { ...here, name: "static-node-1" })],
  ["a list of its pods", aRequest(node1, "list pods", { fieldSelector: "spec.nodeName=node-1" })],
  [
    "a watch of its pods",
    aRequest(node1, "watch pods", { fieldSelector: "spec.nodeName=node-1,status.phase!=Failed" }),
  ],
  ["creating a pod (NodeRestriction checks more)", aRequest(node1, "create pods", here)],
  ["deleting a pod (NodeRestriction checks more)", aRequest(node1, "delete pods", { ...here, name: "x" })],
  ["a pod's status (NodeRestriction checks more)", aRequest(node1, "patch pods/status", { ...here, name: "x" })],
  ["an eviction (NodeRestriction checks more)", aRequest(node1, "create pods/eviction", { ...here, name: "x" })],
  ["its own node", aRequest(node1, "get nodes", { name: "node-1" })],
  ["a watch of its own node", aRequest(node1, "watch nodes", { fieldSelector: "metadata.name=node-1" })],
  ["registering", aRequest(node1, "create nodes")],
  ["node status", aRequest(node1, "patch nodes/status", { name: "node-1" })],
  ["its own lease", aRequest(node1, "update leases", { ...lease, name: "node-1" })],
  ["its own CSINode", aRequest(node1, "patch csinodes", { ...ofStorage, name: "node-1" })],
  ["creating a CSINode (NodeRestriction checks more)", aRequest(node1, "create csinodes", ofStorage)],
  ["creating a lease", aRequest(node1, "create leases", lease)],
  ["events", aRequest(node1, "create events", here)],
  ["services", aRequest(node1, "list services")],
  ["reviewing tokens of its callers", aRequest(node1, "create tokenreviews", { group: "authentication.k8s.io" })],
  [
    "reviewing access of its callers",
    aRequest(node1, "create subjectaccessreviews", { group: "authorization.k8s.io" }),
  ],
];

const unrelated = "no relationship found between node 'node-1' and this object";
const refused: [name: string, request: AuthorizationAttributes, reason: string][] = [
  ["a secret that no pod names", readsSecret("other"), unrelated],
  ["a secret of the same name in another namespace", readsSecret("pull", { namespace: "prod" }), unrelated],
  ["a secret that only a mirror pod names", readsSecret("stolen"), unrelated],
  [
    "a Secret that its pod's volume names for the controllers",
    readsSecret("for-controller", { namespace: "storage" }),
    unrelated,
  ],
  [
    "a token that only a mirror pod names",
    aRequest(node1, "create serviceaccounts/token", { ...here, name: "stolen" }),
    unrelated,
  ],
  ["all secrets", aRequest(node1, "list secrets", here), "No Object name found"],
  ["secrets of all namespaces", aRequest(node1, "list secrets"), "can only read namespaced object of this type"],
  [
    "writing a secret",
    aRequest(node1, "update secrets", { ...here, name: "pull" }),
    "can only read resources of this type",
  ],
  [
    "a service account itself",
    aRequest(node1, "get serviceaccounts", { ...here, name: "bot" }),
    "can only create tokens for individual service accounts",
  ],
  [
    "creating a service account",
    aRequest(node1, "create serviceaccounts", { ...here, name: "bot" }),
    "can only create token subresource of serviceaccount",
  ],
  ["another pod", aRequest(node1, "get pods", { ...here, name: "db" }), unrelated],
  ["all pods", aRequest(node1, "list pods"), "can only list/watch pods with spec.nodeName field selector"],
  [
    "pods of another node",
    aRequest(node1, "list pods", { fieldSelector: "spec.nodeName=node-2" }),
    "can only list/watch pods with spec.nodeName field selector",
  ],
  [
    "pods not of its own node",
    aRequest(node1, "list pods", { fieldSelector: "spec.nodeName!=node-1" }),
    "can only list/watch pods with spec.nodeName field selector",
  ],
  ["another claim for devices", aRequest(node1, "get resourceclaims", { ...here, ...ofDevices, name: "x" }), unrelated],
  [
    "all claims for devices",
    aRequest(node1, "list resourceclaims", { ...here, ...ofDevices }),
    "can only get individual resources of this type",
  ],
  [
    "the status of a claim for devices",
    aRequest(node1, "get resourceclaims/status", { ...here, ...ofDevices, name: "shared-claim" }),
    "cannot get subresource",
  ],
  ["another node's slice", aRequest(node1, "update resourceslices", { ...ofDevices, name: "of-node-2" }), unrelated],
  ["a missing slice", aRequest(node1, "delete resourceslices", { ...ofDevices, name: "x" }), unrelated],
  [
    "all slices",
    aRequest(node1, "list resourceslices", ofDevices),
    "can only list/watch/deletecollection resourceslices with nodeName field selector",
  ],
  ["a pod's log", aRequest(node1, "get pods/log", { ...here, name: "web" }), ""],
  ["updating a pod", aRequest(node1, "update pods", { ...here, name: "web" }), ""],
  [
    "another node",
    aRequest(node1, "get nodes", { name: "node-2" }),
    "node 'node-1' cannot read 'node-2', only its own Node object",
  ],
  ["all nodes", aRequest(node1, "list nodes"), "node 'node-1' cannot read all nodes, only its own Node object"],
  ["deleting its node", aRequest(node1, "delete nodes", { name: "node-1" }), ""],
  ["its node's proxy", aRequest(node1, "get nodes/proxy", { name: "node-1" }), ""],
  [
    "another node's lease",
    aRequest(node1, "update leases", { ...lease, name: "node-2" }),
    "can only access node lease with the same name as the requesting node",
  ],
  [
    "a lease in another namespace",
    aRequest(node1, "get leases", { ...lease, namespace: "kube-system", name: "node-1" }),
    'can only access leases in the "kube-node-lease" system namespace',
  ],
  ["all leases", aRequest(node1, "list leases", lease), "can only get, create, update, patch, or delete a node lease"],
  ["roles", aRequest(node1, "get clusterroles", { group: "rbac.authorization.k8s.io", name: "x" }), ""],
  ["a path", aRequest(node1, "get /metrics"), ""],
  [
    "a claim's list",
    aRequest(node1, "list persistentvolumeclaims", { ...here, name: "claim" }),
    "can only get individual resources of this type",
  ],
  ...["elsewhere", "of-another", "free", "none"].map((name): [string, AuthorizationAttributes, string] => [
    `the volume ${name}`,
    aRequest(node1, "get persistentvolumes", { name }),
    unrelated,
  ]),
  ["all volumes", aRequest(node1, "list persistentvolumes"), "can only get individual resources of this type"],
  [
    "an attachment to another node",
    aRequest(node1, "get volumeattachments", { ...ofStorage, name: "to-node-2" }),
    unrelated,
  ],
  [
    "another node's CSINode",
    aRequest(node1, "delete csinodes", { ...ofStorage, name: "node-2" }),
    "can only access CSINode with the same name as the requesting node",
  ],
  [
    "all CSINodes",
    aRequest(node1, "list csinodes", ofStorage),
    "can only get, create, update, patch, or delete a CSINode",
  ],
  [
    "a node without a name",
    aRequest(aNodeUser(""), "get pods", { ...here, name: "web" }),
    'unknown node for user "system:node:"',
  ],
  [
    "a user with a node's name who is not a node",
    aRequest(aUser("system:node:node-1"), "get pods", { ...here, name: "web" }),
    "",
  ],
  [
    "a member of the group who is not a node",
    aRequest(aUser("jane", "system:nodes"), "get nodes", { name: "node-1" }),
    "",
  ],
];

describe("a node", () => {
  const authorizer = createAuthorizer({ store: new PolicyStore([web, mirror, ...storage]) });

  test.each(allowed)("may %s", (_name, request) => {
    expect(authorizer.authorize(request)).toEqual({ allowed: true, reason: "" });
  });

  test.each(refused)("may not %s", (_name, request, reason) => {
    expect(authorizer.authorize(request)).toEqual({ allowed: false, reason });
  });

  test.each(allowed.slice(0, 9))("another node may not %s", (_name, request) => {
    expect(authorizer.authorize({ ...request, user: aNodeUser("node-2") }).allowed).toBe(false);
  });
});

describe("the graph", () => {
  test("follows pods as they are bound and deleted, and counts two pods that share a secret", () => {
    const store = new PolicyStore();
    const authorizer = createAuthorizer({ store });
    const pod = (name: string, nodeName?: string): JsonObject => ({
      kind: "Pod",
      metadata: { name, namespace: "default", uid: name },
      spec: { ...(nodeName && { nodeName }), imagePullSecrets: [{ name: "pull" }] },
    });
    const reads = () => authorizer.authorize(readsSecret("pull")).allowed;

    authorizer.observe([store.put(pod("a"))]);
    expect(reads()).toBe(false);
    authorizer.observe([store.put(pod("a", "node-1"))]);
    expect(reads()).toBe(true);
    authorizer.observe([store.put(pod("b", "node-1")), store.delete(pod("a", "node-1"))]);
    expect(reads()).toBe(true);
    authorizer.observe([store.delete(pod("b", "node-1"))]);
    expect(reads()).toBe(false);
  });

  test("a pod of the same name on another node moves the access to that node", () => {
    const store = new PolicyStore([web]);
    const authorizer = createAuthorizer({ store });
    const moved = {
      ...web,
      metadata: { name: "web", namespace: "default", uid: "u2" },
      spec: { nodeName: "node-2", serviceAccountName: "bot" },
    };
    authorizer.observe([store.put(moved)]);
    expect(authorizer.authorize(readsSecret("pull")).allowed).toBe(false);
    const token = aRequest(aNodeUser("node-2"), "create serviceaccounts/token", { ...here, name: "bot" });
    expect(authorizer.authorize(token).allowed).toBe(true);
  });

  test("an ephemeral container adds its references", () => {
    const store = new PolicyStore([web]);
    const authorizer = createAuthorizer({ store });
    expect(authorizer.authorize(readsSecret("debug-secret")).allowed).toBe(false);
    const debug = { name: "d", envFrom: [{ secretRef: { name: "debug-secret" } }] };
    authorizer.observe([store.put({ ...web, spec: { ...(web["spec"] as JsonObject), ephemeralContainers: [debug] } })]);
    expect(authorizer.authorize(readsSecret("debug-secret")).allowed).toBe(true);
  });

  test("pods are parsed only when their node sends a request", () => {
    const store = new PolicyStore([web]);
    let reads = 0;
    const counting = {
      list: (prefix: string) => store.list(prefix),
      find: (key: string) => {
        reads += key.includes("/pods/") ? 1 : 0;
        return store.find(key);
      },
    };
    const authorizer = createAuthorizer({ store: counting });
    authorizer.observe([store.put(web), store.put(mirror)]);
    authorizer.authorize({ ...readsSecret("pull"), user: aNodeUser("node-2") });
    expect(reads).toBe(0);
    authorizer.authorize(readsSecret("other"));
    authorizer.authorize(readsSecret("pull"));
    expect(reads).toBe(2);
  });

  test("a write that does not bind a pod keeps earlier decisions valid", () => {
    const store = new PolicyStore([web]);
    const authorizer = createAuthorizer({ store });
    const before = authorizer.generation();
    authorizer.observe([store.put(web)]);
    expect(authorizer.generation()).toBe(before);
    authorizer.observe([store.delete(web)]);
    expect(authorizer.generation()).toBeGreaterThan(before);
  });
});
