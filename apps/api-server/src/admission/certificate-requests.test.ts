import { certificateSigningRequestKind, type PrepareContext } from "@kintsugi/api";
import { createSigningRequest } from "@kintsugi/pki";
import { expect, test } from "vitest";
import { explainSigningRequest } from "../resources/signed-subject.ts";
import { TestServer } from "../testing/test-server.ts";
import { certificateSteps } from "./certificate-requests.ts";

const userSigner = "kubernetes.io/kube-apiserver-client";
const notAllowed = `use of ${userSigner} signer with system:masters group is not allowed`;

async function answerTo(signerName: string, text: string) {
  await using server = await TestServer.start();
  const spec = { request: Buffer.from(text).toString("base64"), signerName, usages: ["client auth"] };
  return server.post("/apis/certificates.k8s.io/v1/certificatesigningrequests", { metadata: { name: "r" }, spec });
}

const requestFor = async (...organizations: string[]) =>
  (await createSigningRequest({ commonName: "jane", organizations })).request;

test("a request for a user is accepted, but not a request for the group system:masters", async () => {
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

test("a custom signer decides for itself about requests for that group", async () => {
  expect((await answerTo("example.org/signer", await requestFor("system:masters"))).status).toBe(201);
});

test.each([userSigner, "kubernetes.io/kubelet-serving", "example.org/signer"])(
  "every signer rejects a value that is not a request or is not signed by its own key: %s",
  async (signerName) => {
    const request = await requestFor("developers");
    const changed = Buffer.from(request.replaceAll(/-----.*-----|\s/g, ""), "base64");
    changed[changed.indexOf("jane")] = "x".charCodeAt(0);
    const cases = [
      ["", "PEM block type must be CERTIFICATE REQUEST"],
      ["hello", "PEM block type must be CERTIFICATE REQUEST"],
      [pem(Buffer.from("hello")), "this is not a certificate request"],
      [pem(changed), "the request is not signed by its own key"],
    ] as const;
    for (const [text, why] of cases) {
      const { status, json } = await answerTo(signerName, text);
      const message = `Invalid value: ${JSON.stringify(Buffer.from(text).toString("base64"))}: ${why}`;
      expect([status, json.reason, json.details.causes]).toEqual([
        422,
        "Invalid",
        [{ reason: "FieldValueInvalid", field: "spec.request", message }],
      ]);
    }
  },
);

test("a request is parsed once, however many rules inspect it", async () => {
  let reads = 0;
  const request = Buffer.from(await requestFor("system:masters")).toString("base64");
  const spec = {
    signerName: userSigner,
    get request() {
      reads++;
      return request;
    },
  };
  const object = { metadata: { name: "r" }, spec };
  const context = { explainSigningRequest } as Partial<PrepareContext> as PrepareContext;
  expect(certificateSigningRequestKind.strategy.validateNew?.(object, context)).toEqual([]);
  const asked = { operation: "create", resource: certificateSigningRequestKind, subresource: "", name: "r", object };
  const refusals = certificateSteps({} as never).map((step) => step.validate?.(asked as never)?.reason);
  expect({ refusals, reads }).toEqual({ refusals: [undefined, undefined, "Forbidden"], reads: 1 });
});

function pem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
}
