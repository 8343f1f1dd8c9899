import { createPrivateKey, X509Certificate } from "node:crypto";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/testing";
import { expect, test } from "vitest";
import { isSignedBy, newBootstrapToken, parseBootstrapToken, signDetached } from "./bootstrap-token.ts";
import { authorityHash, createAuthority, endOf } from "./certificates.ts";
import { createSigningRequest, readSigningRequest } from "./signing-request.ts";

const deps = { clock: systemClock, random: systemRandom };
const asked = {
  commonName: "system:node:node-1",
  organizations: ["system:nodes"],
  dnsNames: ["node-1"],
  ipAddresses: ["10.0.0.1"],
};

test("a request states what it requests, and is signed for the key that stays where it was made", async () => {
  const { request, key } = await createSigningRequest(asked);
  const { der, ...read } = await readSigningRequest(request);
  expect(read).toEqual({ ...asked, emailAddresses: [], uris: [] });
  expect(der).toEqual(Buffer.from(request.replaceAll(/-----.*-----|\s/g, ""), "base64"));
  const authority = await createAuthority(deps, "kubernetes");
  const signed = await authority.sign(await readSigningRequest(request), { usages: ["server"], validMs: 3_600_000 });
  const certificate = new X509Certificate(signed);
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
  expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:node-1");
  expect([certificate.checkHost("node-1"), certificate.checkIP("10.0.0.1")]).toEqual(["node-1", "10.0.0.1"]);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(endOf(signed) - systemClock.nowMs()).toBeLessThanOrEqual(3_600_000);
});

test("what is no request, or was changed after it was signed, is refused", async () => {
  await expect(readSigningRequest("hello")).rejects.toThrow("PEM block type must be CERTIFICATE REQUEST");
  const { request } = await createSigningRequest(asked);
  const bytes = Buffer.from(request.replaceAll(/-----.*-----|\s/g, ""), "base64");
  bytes[bytes.indexOf("node-1")] = "x".charCodeAt(0);
  const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  await expect(readSigningRequest(changed)).rejects.toThrow("not signed by the key");
});

test("an authority's hash is of its public key, as kubeadm has it", async () => {
  const authority = await createAuthority(deps, "kubernetes");
  expect(authorityHash(authority.certificate)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(authorityHash(authority.certificate)).toBe(authorityHash(authority.certificate));
  expect(authorityHash((await createAuthority(deps, "kubernetes")).certificate)).not.toBe(
    authorityHash(authority.certificate),
  );
});

test("a token signs what only the same token verifies", () => {
  const token = newBootstrapToken(new SeededRandom(1));
  expect(parseBootstrapToken(`${token.id}.${token.secret}`)).toEqual(token);
  const signature = signDetached("text", token);
  expect(signature).toMatch(/^[\w-]+\.\.[\w-]{43}$/);
  expect(isSignedBy("text", token, signature)).toBe(true);
  expect(isSignedBy("other", token, signature)).toBe(false);
  expect(isSignedBy("text", { ...token, secret: "0123456789abcdef" }, signature)).toBe(false);
  for (const text of ["", "abc.def", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcdef0"])
    expect(parseBootstrapToken(text)).toBeUndefined();
});

test("a signature that upstream's bootstrap signer made is accepted", () => {
  // k8s.io/cluster-bootstrap/token/jws/jws_test.go: content "Hello from the other side. I must have
  // called a thousand times."
  const content = "Hello from the other side. I must have called a thousand times.";
  const signature = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8";
  expect(isSignedBy(content, { id: "joshua", secret: "my voice is my passcode" }, signature)).toBe(true);
  expect(signDetached(content, { id: "joshua", secret: "my voice is my passcode" })).toBe(signature);
});
