import { type CertificateSigningRequest, type Node, parseTimestamp } from "@kintsugi/api";
import type { SigningRequest } from "@kintsugi/pki";
import { expect, test } from "vitest";
import { clientSigner, endOfRequestMs, planApproval, servingSigner, usageFor } from "./plan.ts";

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

test.each<[string, Partial<Spec>, Partial<SigningRequest>, string | undefined]>([
  ["a node's client", {}, {}, "client"],
  ["another group", {}, { organizations: ["system:masters"] }, undefined],
  ["two groups", {}, { organizations: ["system:nodes", "system:masters"] }, undefined],
  ["no node", {}, { commonName: "admin" }, undefined],
  ["no name of a node", {}, { commonName: "system:node:" }, undefined],
  ["addresses in a client's", {}, { ipAddresses: ["10.0.0.5"] }, undefined],
  ["a mail address", {}, { emailAddresses: ["node@example.org"] }, undefined],
  ["a URI", {}, { uris: ["spiffe://example.org"] }, undefined],
  ["usages of a server", { usages: ["digital signature", "server auth"] }, {}, undefined],
  ["more usages", { usages: ["digital signature", "client auth", "server auth"] }, {}, undefined],
  ["a signer that is not ours", { signerName: "kubernetes.io/kube-apiserver-client" }, {}, undefined],
])("a request for %s", (_, spec, asked, usage) => {
  expect(usageFor({ ...clientSpec, ...spec }, { ...clientAsked, ...asked })).toBe(usage);
});

test("a serving certificate is for the node that asks itself, and for some name or address", () => {
  expect(usageFor(servingSpec, servingAsked)).toBe("server");
  expect(usageFor({ ...servingSpec, username: "system:node:node-2" }, servingAsked)).toBeUndefined();
  expect(usageFor({ ...servingSpec, username: "system:bootstrap:abcdef" }, servingAsked)).toBeUndefined();
  expect(usageFor(servingSpec, clientAsked)).toBeUndefined();
});

test("clients are approved if they may ask, for themselves or as a machine that joins", () => {
  expect(planApproval(clientSpec, clientAsked, undefined)).toMatchObject({
    approve: "if-allowed",
    subresource: "nodeclient",
  });
  expect(planApproval({ ...clientSpec, username: "system:node:node-1" }, clientAsked, undefined)).toMatchObject({
    approve: "if-allowed",
    subresource: "selfnodeclient",
  });
});

test("servers are approved for their own name, and for no address but their own once that is known", () => {
  const node: Node = {
    metadata: { name: "node-1" },
    status: { addresses: [{ type: "InternalIP", address: "10.0.0.5" }] },
  };
  expect(planApproval(servingSpec, servingAsked, undefined).approve).toBe("yes");
  expect(planApproval(servingSpec, servingAsked, node).approve).toBe("yes");
  expect(planApproval(servingSpec, { ...servingAsked, ipAddresses: ["10.0.0.6"] }, node).approve).toBe("no");
  expect(planApproval(servingSpec, { ...servingAsked, dnsNames: ["api-server"] }, undefined).approve).toBe("no");
});

test("requests go an hour after their verdict, or a day after nobody gave one", () => {
  const metadata = { name: "r", creationTimestamp: "2026-01-01T00:00:00Z" };
  const request: CertificateSigningRequest = { metadata, spec: clientSpec };
  const createdMs = parseTimestamp("2026-01-01T00:00:00Z");
  expect(endOfRequestMs(request)).toBe(createdMs + 24 * 3_600_000);
  const condition = { type: "Approved", status: "True", lastUpdateTime: "2026-01-01T02:00:00Z" };
  expect(endOfRequestMs({ ...request, status: { conditions: [condition] } })).toBe(createdMs + 3 * 3_600_000);
});
