import { type CertificateSigningRequest, type Node, parseTimestamp, type Pod } from "@kintsugi/api";
import type { SigningRequest } from "@kintsugi/pki";
import { expect, test } from "vitest";
import {
  clientSigner,
  endOfRequestMs,
  type ObservedCluster,
  planApproval,
  planSigning,
  servingSigner,
  userSigner,
} from "./plan.ts";

type Spec = CertificateSigningRequest["spec"];
const clientSpec: Spec = {
  request: "",
  signerName: clientSigner,
  usages: ["digital signature", "client auth"],
  username: "system:bootstrap:abcdef",
};
const clientAsked: SigningRequest = {
  commonName: "system:node:node-1",
  organizations: ["system:nodes"],
  dnsNames: [],
  ipAddresses: [],
  emailAddresses: [],
  uris: [],
  der: new Uint8Array(),
};
const servingSpec: Spec = {
  ...clientSpec,
  signerName: servingSigner,
  usages: ["digital signature", "key encipherment", "server auth"],
  username: "system:node:node-1",
};
const servingAsked: SigningRequest = { ...clientAsked, dnsNames: ["node-1"], ipAddresses: ["10.0.0.5"] };

const nothing: ObservedCluster = {
  node: undefined,
  lease: undefined,
  boundPods: [],
  nodes: [],
  services: [],
  pods: [],
  apiServer: [],
};
const reportedNode: Node = {
  metadata: { name: "node-1" },
  status: {
    addresses: [{ type: "InternalIP", address: "10.0.0.5" }],
    nodeInfo: { kubeletVersion: "v1.33.0" } as NonNullable<Node["status"]>["nodeInfo"],
  },
};

const signed = (spec: Partial<Spec>, asked: Partial<SigningRequest>) =>
  planSigning({ ...clientSpec, ...spec }, { ...clientAsked, ...asked });
const notNodes = "subject organization is not system:nodes";
const notNode = "subject common name does not begin with system:node:";
const notClient = "usages did not match [client auth digital signature key encipherment]";

test.each<[string, Partial<Spec>, Partial<SigningRequest>, string]>([
  ["another group", {}, { organizations: ["system:masters"] }, notNodes],
  ["two groups", {}, { organizations: ["system:nodes", "system:masters"] }, notNodes],
  ["an empty node name", {}, { commonName: "admin" }, notNode],
  ["a name that is not a node's", {}, { commonName: "system:node:" }, notNode],
  ["DNS names", {}, { dnsNames: ["node-1"] }, "DNS subjectAltNames are not allowed"],
  ["IP addresses", {}, { ipAddresses: ["10.0.0.5"] }, "IP subjectAltNames are not allowed"],
  ["a mail address", {}, { emailAddresses: ["node@example.org"] }, "Email subjectAltNames are not allowed"],
  ["a URI", {}, { uris: ["spiffe://example.org"] }, "URI subjectAltNames are not allowed"],
  ["usages of a server", { usages: ["digital signature", "server auth"] }, {}, notClient],
  ["more usages", { usages: ["digital signature", "client auth", "server auth"] }, {}, notClient],
])("a kubelet's client certificate is rejected for %s", (_, spec, asked, refused) => {
  expect(signed({}, {})).toEqual({ usage: "client" });
  expect(signed(spec, asked)).toEqual({ refused });
});

test("a serving certificate is issued to the requesting node itself, for at least one name or address", () => {
  const serving = (spec: Partial<Spec>, asked: Partial<SigningRequest> = {}) =>
    planSigning({ ...servingSpec, ...spec }, { ...servingAsked, ...asked });
  expect(serving({})).toEqual({ usage: "server" });
  const notSelf = { refused: "subject common name is not the requesting node" };
  expect(serving({ username: "system:node:node-2" })).toEqual(notSelf);
  expect(serving({ username: "system:bootstrap:abcdef" })).toEqual(notSelf);
  expect(serving({}, clientAsked)).toEqual({ refused: "DNS or IP subjectAltName is required" });
  expect(serving({}, { uris: ["spiffe://example.org"] })).toEqual({ refused: "URI subjectAltNames are not allowed" });
  expect(serving({}, { commonName: "api" })).toEqual({ refused: notNode });
  expect(serving({ usages: ["server auth"] })).toEqual({
    refused: "usages did not match [digital signature key encipherment server auth]",
  });
});

test.each<[string[], ReturnType<typeof planSigning>]>([
  [["client auth"], { usage: "client" }],
  [["client auth", "digital signature", "key encipherment"], { usage: "client" }],
  [["client auth", "server auth"], { refused: "invalid usage for client certificate: server auth" }],
  [["digital signature"], { refused: "missing required usage for client certificate: client auth" }],
])("a user's certificate for %j: %j", (usages, plan) => {
  const asked = { commonName: "jane", organizations: ["developers"], emailAddresses: ["jane@example.org"] };
  expect(signed({ signerName: userSigner, usages }, asked)).toEqual(plan);
});

test("requests to another signer are ignored", () => {
  expect(signed({ signerName: "example.org/signer" }, {})).toBeUndefined();
});

test("only a human approves a user's certificate, whichever user it is for", () => {
  const spec = { ...clientSpec, signerName: userSigner };
  expect(planApproval(spec, clientAsked, nothing)).toEqual({ approve: "no" });
  expect(planApproval(spec, { ...clientAsked, commonName: "jane" }, nothing)).toEqual({ approve: "no" });
});

test("client certificates are approved if the requester is permitted, for itself or as a joining machine", () => {
  expect(planApproval(clientSpec, clientAsked, nothing)).toMatchObject({
    approve: "if-allowed",
    subresource: "nodeclient",
  });
  expect(planApproval({ ...clientSpec, username: "system:node:node-1" }, clientAsked, nothing)).toMatchObject({
    approve: "if-allowed",
    subresource: "selfnodeclient",
  });
});

test.each<[string, Partial<ObservedCluster>]>([
  ["has a Lease", { node: { metadata: { name: "node-1" } }, lease: { metadata: { name: "node-1" } } }],
  ["a kubelet has reported", { node: reportedNode }],
])("a machine never gets the identity of a node that %s, whatever its token", (_, observed) => {
  const plan = planApproval(clientSpec, clientAsked, { ...nothing, ...observed });
  expect(plan).toMatchObject({ approve: "if-allowed", subresource: "nodeclient", denied: { reason: "NodeExists" } });
  expect(plan.approve === "if-allowed" && plan.denied?.message).toContain("kubectl delete node node-1");
  // The node itself renews its certificate.
  const renewal = planApproval({ ...clientSpec, username: "system:node:node-1" }, clientAsked, {
    ...nothing,
    ...observed,
  });
  expect(renewal).toMatchObject({ subresource: "selfnodeclient" });
  expect(renewal).not.toHaveProperty("denied");
});

test.each([
  ["runs", { phase: "Running", startTime: "2026-01-01T00:00:00Z" }, { approve: "no" }],
  ["has ended", { phase: "Succeeded", startTime: "2026-01-01T00:00:00Z" }, { approve: "if-allowed" }],
  ["is not observed by any kubelet", { phase: "Pending" }, { approve: "if-allowed" }],
] as const)("a certificate for a name whose bound pod %s", (_, status, expected) => {
  const pod: Pod = { metadata: { name: "p", namespace: "shop" }, spec: { containers: [], nodeName: "node-1" }, status };
  expect(planApproval(clientSpec, clientAsked, { ...nothing, boundPods: [pod] })).toMatchObject(expected);
});

test("a Node that no kubelet has reported can still be joined", () => {
  const node: Node = {
    metadata: { name: "node-1" },
    status: { addresses: [{ type: "InternalIP", address: "10.0.0.5" }] },
  };
  const plan = planApproval(clientSpec, clientAsked, { ...nothing, node });
  expect(plan).toEqual({
    approve: "if-allowed",
    subresource: "nodeclient",
    message: expect.any(String),
    denied: undefined,
  });
});

test("servers are approved for their own names and addresses", () => {
  expect(planApproval(servingSpec, servingAsked, { ...nothing, node: reportedNode }).approve).toBe("yes");
  expect(planApproval(servingSpec, servingAsked, nothing)).toMatchObject({
    approve: "no",
    because: "there is no Node of that name yet",
  });
});

test("requests are removed an hour after their decision, or a day after their creation without a decision", () => {
  const metadata = { name: "r", creationTimestamp: "2026-01-01T00:00:00Z" };
  const request: CertificateSigningRequest = { metadata, spec: clientSpec };
  const createdMs = parseTimestamp("2026-01-01T00:00:00Z");
  expect(endOfRequestMs(request)).toBe(createdMs + 24 * 3_600_000);
  const condition = { type: "Approved", status: "True", lastUpdateTime: "2026-01-01T02:00:00Z" };
  expect(endOfRequestMs({ ...request, status: { conditions: [condition] } })).toBe(createdMs + 3 * 3_600_000);
  const byClockBehind = { ...condition, lastUpdateTime: "2025-11-01T00:00:00Z" };
  expect(endOfRequestMs({ ...request, status: { conditions: [byClockBehind] } })).toBe(createdMs + 3_600_000);
});
