import { createSigningRequest } from "@kintsugi/pki";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const userSigner = "kubernetes.io/kube-apiserver-client";
const notAllowed = `use of ${userSigner} signer with system:masters group is not allowed`;

async function answerTo(signerName: string, text: string) {
  await using server = await TestServer.start();
  const spec = { request: Buffer.from(text).toString("base64"), signerName, usages: ["client auth"] };
  return server.post("/apis/certificates.k8s.io/v1/certificatesigningrequests", { metadata: { name: "r" }, spec });
}

const requestFor = async (...organizations: string[]) =>
  (await createSigningRequest({ commonName: "jane", organizations })).request;

test("a request for a user is taken, but not into the group that may everything", async () => {
  expect((await answerTo(userSigner, await requestFor("developers"))).status).toBe(201);
  for (const groups of [["system:masters"], ["developers", "system:masters"]]) {
    const { status, json } = await answerTo(userSigner, await requestFor(...groups));
    expect([status, json.reason, json.message]).toEqual([
      403,
      "Forbidden",
      `certificatesigningrequests.certificates.k8s.io "r" is forbidden: ${notAllowed}`,
    ]);
  }
});

test("what another signer makes of the group is for that one to say", async () => {
  expect((await answerTo("example.org/signer", await requestFor("system:masters"))).status).toBe(201);
});

test("what cannot be read is refused for users, for nobody knows which groups it names", async () => {
  const { status, json } = await answerTo(userSigner, "hello");
  expect([status, json.message]).toEqual([
    403,
    'certificatesigningrequests.certificates.k8s.io "r" is forbidden: failed to parse CSR: PEM block type must be CERTIFICATE REQUEST',
  ]);
});
