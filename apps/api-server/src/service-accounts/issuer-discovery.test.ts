import { createPublicKey, generateKeyPairSync, type JsonWebKey, verify } from "node:crypto";
import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const configurationPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";
const issuer = "https://kubernetes.default.svc.cluster.local";
const advertised = { address: "192.0.2.1", port: 6443 };

const keys = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
};

const start = (algorithm: keyof typeof keys, more: object = {}) =>
  TestServer.start(
    { advertised },
    { serviceAccountTokens: { signingKey: keys[algorithm], issuer, audiences: [issuer], ...more } },
  );

describe.each(["RS256", "ES256"] as const)("with a key for %s", (algorithm) => {
  test("both documents are published and verify a token without this server", async () => {
    await using server = await start(algorithm);
    const { json: configuration, headers } = await server.get(configurationPath);
    expect(configuration).toEqual({
      issuer,
      jwks_uri: "https://192.0.2.1:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [algorithm],
    });
    expect(headers).toMatchObject({ "content-type": "application/json", "cache-control": "public, max-age=3600" });
    const published = await server.get(keysPath);
    expect(published.headers["content-type"]).toBe("application/jwk-set+json");
    const [key] = (JSON.parse(published.text) as { keys: JsonWebKey[] }).keys;
    const body = { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1", spec: {} };
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.post(accounts, { metadata: { name: "a" } });
    const { json } = await server.post(`${accounts}/a/token`, body);
    const [header = "", claims = "", signature = ""] = (json.status.token as string).split(".");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({
      alg: algorithm,
      kid: key?.["kid"],
      typ: "JWT",
    });
    const publicKey = createPublicKey({ key: key as JsonWebKey, format: "jwk" });
    const signed = Buffer.from(`${header}.${claims}`);
    const isGood = verify(
      "sha256",
      signed,
      { key: publicKey, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
    expect(isGood).toBe(true);
    expect(published.text).not.toContain('"d"');
  });
});

test("keys that only verify are also published, each of them once", async () => {
  await using server = await start("ES256", { keys: [keys.RS256, keys.ES256] });
  const { json } = await server.get(configurationPath);
  expect(json.id_token_signing_alg_values_supported).toEqual(["ES256", "RS256"]);
  const published = (JSON.parse((await server.get(keysPath)).text) as { keys: JsonWebKey[] }).keys;
  expect(published.map(({ alg, kty }) => [alg, kty])).toEqual([
    ["ES256", "EC"],
    ["RS256", "RSA"],
  ]);
});

test("service accounts may read both documents, and other users may not", async () => {
  await using server = await start("ES256");
  const account = {
    name: "system:serviceaccount:default:a",
    groups: ["system:serviceaccounts", "system:authenticated"],
  };
  const other = { name: "anna", groups: ["system:authenticated"] };
  for (const path of [configurationPath, keysPath]) {
    expect((await server.get(path, { user: account })).status).toBe(200);
    expect((await server.get(path, { user: other })).status).toBe(403);
    expect((await server.post(path, {})).status).toBe(405);
  }
});

test("the keys may be published at another address", async () => {
  await using server = await start("ES256", { keysUri: "https://keys.example.com/jwks" });
  expect((await server.get(configurationPath)).json.jwks_uri).toBe("https://keys.example.com/jwks");
});

test.each([
  ["without a key", {}],
  [
    "with an issuer that is not a URL",
    { serviceAccountTokens: { signingKey: keys.ES256, issuer: "me", audiences: ["me"] } },
  ],
])("%s nothing is published", async (_name, deps) => {
  await using server = await TestServer.start({ advertised }, deps);
  expect((await server.get(configurationPath)).status).toBe(404);
  expect((await server.get(keysPath)).status).toBe(404);
});
