import { createPrivateKey, X509Certificate } from "node:crypto";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { isSignedBy, newBootstrapToken, parseBootstrapToken, signDetached } from "./bootstrap-token.ts";
import { authorityHash, createAuthority, endOf, openAuthority } from "./certificates.ts";
import { createSigningRequest, readSigningRequest } from "./signing-request.ts";

const deps = { clock: systemClock, random: systemRandom };
const asked = {
  commonName: "system:node:node-1",
  organizations: ["system:nodes"],
  dnsNames: ["node-1"],
  ipAddresses: ["10.0.0.1"],
};

test("a request states its contents, and is signed for the key that stays on its machine", async () => {
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

test("an invalid request or a request that was changed after its signature is rejected", async () => {
  await expect(readSigningRequest("hello")).rejects.toThrow("PEM block type must be CERTIFICATE REQUEST");
  const { request } = await createSigningRequest(asked);
  const bytes = Buffer.from(request.replaceAll(/-----.*-----|\s/g, ""), "base64");
  bytes[bytes.indexOf("node-1")] = "x".charCodeAt(0);
  const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  await expect(readSigningRequest(changed)).rejects.toThrow("not signed by its own key");
});

test("certificates have the fields that clients of Kubernetes check", async () => {
  const authority = await createAuthority(deps, "kubernetes");
  const { certificate, key } = await authority.issue({
    commonName: "Jürgen",
    organizations: ["developers", "operators"],
    usages: ["server", "client"],
    dnsNames: ["localhost", "a-name-of-more-than-two-hundred-and-fifty-five-bytes-together.".repeat(4) + "example"],
    ipAddresses: ["127.0.0.1", "::1", "fd00:10:244::a:b", "::ffff:10.0.0.1", "2001:db8:1:2:3:4:5:6"],
    emailAddresses: ["a@example.com"],
    uris: ["spiffe://cluster/ns"],
  });
  const [ca, leaf] = [new X509Certificate(authority.certificate), new X509Certificate(certificate)];
  expect([ca.ca, ca.checkIssued(ca), ca.verify(ca.publicKey), ca.subject]).toEqual([true, true, true, "CN=kubernetes"]);
  expect([leaf.ca, leaf.checkIssued(ca), leaf.verify(ca.publicKey)]).toEqual([false, true, true]);
  expect(leaf.subject).toBe("O=developers\nO=operators\nCN=Jürgen");
  expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  for (const ip of ["127.0.0.1", "::1", "fd00:10:244::a:b", "10.0.0.1", "2001:db8:1:2:3:4:5:6"])
    expect([ip, leaf.checkIP(ip === "10.0.0.1" ? "::ffff:10.0.0.1" : ip)]).not.toContain(undefined);
  expect([leaf.checkHost("localhost"), leaf.checkEmail("a@example.com")]).toEqual(["localhost", "a@example.com"]);
  expect(leaf.subjectAltName).toContain("URI:spiffe://cluster/ns");
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
  const days = (endOf(certificate) - systemClock.nowMs()) / 86_400_000;
  expect(days).toBeCloseTo(365, 0);
});

test("a certificate may end before or after 2050, and dates from 2050 on have another form", async () => {
  const authority = await createAuthority(deps, "kubernetes");
  const endAfter = async (years: number) => {
    const validMs = years * 365 * 86_400_000;
    const issuedMs = systemClock.nowMs();
    const { certificate } = await authority.issue({ commonName: "a", usages: ["client"] }, { validMs });
    return (endOf(certificate) - issuedMs - validMs) / 1000;
  };
  for (const years of [20, 30, 100]) expect(Math.abs(await endAfter(years)), `${years} years`).toBeLessThan(600);
});

test("an authority is opened with its own key only", async () => {
  const [one, other] = [await createAuthority(deps, "one"), await createAuthority(deps, "other")];
  const opened = await openAuthority(deps, one);
  const { certificate } = await opened.issue({ commonName: "admin", usages: ["client"] });
  expect(new X509Certificate(certificate).verify(new X509Certificate(one.certificate).publicKey)).toBe(true);
  const mixed = openAuthority(deps, { certificate: one.certificate, key: other.key });
  await expect(mixed).rejects.toThrow("does not match its certificate");
  await expect(openAuthority(deps, { certificate: one.certificate, key: "no key" })).rejects.toThrow("DECODER");
});

test("a name that does not fit into a certificate is rejected, and never becomes another name", async () => {
  const authority = await createAuthority(deps, "kubernetes");
  const names = { commonName: "a", usages: ["server"] } as const;
  // U+0161 has the low byte of "a".
  await expect(authority.issue({ ...names, dnsNames: ["š.example.com"] })).rejects.toThrow("other than ASCII");
  for (const address of ["10.0.0", "fe80::1%eth0", "10.0.0.1/8"])
    await expect(authority.issue({ ...names, ipAddresses: [address] })).rejects.toThrow("is not an IP address");
});

test("an authority's hash is the hash of its public key, as in kubeadm", async () => {
  const authority = await createAuthority(deps, "kubernetes");
  expect(authorityHash(authority.certificate)).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(authorityHash(authority.certificate)).toBe(authorityHash(authority.certificate));
  expect(authorityHash((await createAuthority(deps, "kubernetes")).certificate)).not.toBe(
    authorityHash(authority.certificate),
  );
});

test("a token's signature is verified only by the same token", () => {
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
