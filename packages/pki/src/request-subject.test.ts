import { execFileSync } from "node:child_process";
import { webcrypto, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, systemRandom } from "@kintsugi/clock";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAuthority } from "./certificates.ts";
import { InvalidSigningRequest } from "./invalid-signing-request.ts";
import { readSignedSubject } from "./request-signature.ts";
import { readRequestSubject } from "./request-subject.ts";
import { createSigningRequest, readSigningRequest } from "./signing-request.ts";
import { loadX509 } from "./x509.ts";

const deps = { clock: systemClock, random: systemRandom };
const asPem = (der: Uint8Array, type = "CERTIFICATE REQUEST") =>
  `-----BEGIN ${type}-----\n${Buffer.from(der).toString("base64")}\n-----END ${type}-----\n`;

function outcomeOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("the subject of a request", () => {
  test("is the requested subject and the signed subject, whatever its names look like", async () => {
    const authority = await createAuthority(deps, "kubernetes");
    const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
    const notation = fc.constantFrom(
      "#0c0e73797374656d3a6d617374657273",
      'system:node:"system:kube-controller-manager"',
      "system\\:masters",
      "a,O=system:masters",
      " a",
      "a+b=c",
    );
    const asked = fc.record({
      commonName: fc.oneof(name, notation),
      organizations: fc.array(fc.oneof(name, notation)),
    });
    const property = fc.asyncProperty(asked, async (wanted) => {
      const { request } = await createSigningRequest(wanted);
      const { commonName, organizations } = readRequestSubject(request);
      expect({ commonName, organizations }).toEqual(wanted);
      const signed = await authority.sign(await readSigningRequest(request), { usages: ["client"], validMs: 600_000 });
      // Node's own reading, by OpenSSL, which the API server gets from a connection.
      const { O, CN } = new X509Certificate(signed).toLegacyObject().subject as { O?: string | string[]; CN: string };
      expect({ commonName: CN, organizations: O === undefined ? [] : [O].flat() }).toEqual(wanted);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("is found in every string type that a name may have", async () => {
    const { Name, Pkcs10CertificateRequestGenerator } = await loadX509();
    const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
    const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
    for (const kind of ["utf8String", "printableString", "bmpString", "ia5String"]) {
      const name = new Name([{ O: [{ [kind]: "system:masters" }] }, { CN: [{ [kind]: "jane" }] }]);
      const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm });
      const { commonName, organizations } = readRequestSubject(request.toString("pem"));
      expect({ kind, commonName, organizations }).toEqual({
        kind,
        commonName: "jane",
        organizations: ["system:masters"],
      });
    }
    const wide = new Name([{ CN: [{ universalString: "jane" }] }]);
    const request = await Pkcs10CertificateRequestGenerator.create({ name: wide, keys, signingAlgorithm });
    expect(() => readRequestSubject(request.toString("pem"))).toThrow("unsupported string type: 28");
  });

  test("is the first request's subject and nothing else", async () => {
    const [first, second] = await Promise.all(
      ["first", "second"].map((commonName) => createSigningRequest({ commonName })),
    );
    const both = `somebody's note\n${first?.request}${second?.request}`;
    expect(readRequestSubject(both).commonName).toBe("first");
    expect((await readSigningRequest(both)).der).toEqual((await readSigningRequest(first?.request ?? "")).der);
    const der = readRequestSubject(first?.request ?? "").der;
    for (const text of ["", "hello", asPem(der, "CERTIFICATE"), `${asPem(der, "PUBLIC KEY")}${first?.request}`])
      expect(() => readRequestSubject(text)).toThrow("PEM block type must be CERTIFICATE REQUEST");
  });

  test("of a corrupt request is an error that reports it, and never an internal error", async () => {
    const { der } = readRequestSubject((await createSigningRequest({ commonName: "jane" })).request);
    for (let length = 0; length < 40; length++)
      expect(() => readRequestSubject(asPem(der.subarray(0, length)))).toThrow(InvalidSigningRequest);
    const change = fc.record({ at: fc.nat({ max: der.length - 1 }), byte: fc.nat({ max: 255 }) });
    const property = fc.property(change, ({ at, byte }) => {
      const changed = Uint8Array.from(der);
      changed[at] = byte;
      for (const read of [readRequestSubject, readSignedSubject]) {
        const outcome = outcomeOf(() => read(asPem(changed)));
        expect(outcome instanceof Error && !(outcome instanceof InvalidSigningRequest)).toBe(false);
      }
    });
    fc.assert(property, { numRuns: 1000 });
  });
});

describe("a request that openssl has created", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "kintsugi-requests-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each([
    ["RSA", ["rsa:2048"]],
    ["a curve", ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]],
    ["an Edwards curve", ["ed25519"]],
    ["RSA, signed with PSS", ["rsa:2048", "-sha384", "-sigopt", "rsa_padding_mode:pss"]],
  ])("for a key of %s is signed for its subject", async (_, kind) => {
    const [key, file] = [join(directory, "key"), join(directory, "csr")];
    const names = ["-subj", "/O=developers/O=on call/CN=jane", "-addext", "subjectAltName=email:jane@example.org"];
    const args = ["req", "-new", "-nodes", "-newkey", ...kind, "-keyout", key, "-out", file, ...names];
    execFileSync("openssl", args, { stdio: "pipe" });
    const request = await readSigningRequest(readFileSync(file, "utf8"));
    expect(request).toMatchObject({ commonName: "jane", organizations: ["developers", "on call"] });
    const authority = await createAuthority(deps, "kubernetes");
    const signed = new X509Certificate(await authority.sign(request, { usages: ["client"], validMs: 600_000 }));
    expect(signed.subject).toBe("O=developers\nO=on call\nCN=jane");
    expect(signed.subjectAltName).toBe("email:jane@example.org");
    expect(signed.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    const publicKey = execFileSync("openssl", ["pkey", "-in", key, "-pubout"], { encoding: "utf8" });
    expect(signed.publicKey.export({ type: "spki", format: "pem" })).toBe(publicKey);
  });
});
