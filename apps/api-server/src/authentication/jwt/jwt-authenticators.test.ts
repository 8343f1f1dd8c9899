import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { compileCel } from "@kintsugi/cel";
import { describe, expect, onTestFinished, test } from "vitest";
import { TestServer } from "../../testing/test-server.ts";
import { JwtAuthenticators } from "./jwt-authenticators.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import { jwtAlgorithms } from "./signed-jwt.ts";
import { ecKey, issuerUrl, rsaKey, TestIssuer, tokenByHmac, tokenOf, unsignedToken } from "./testing/issuer.ts";

const settings: JwtSettings = {
  issuer: { url: issuerUrl, discoveryUrl: undefined, ca: undefined, audiences: ["kubernetes", "other"] },
  claimRules: [],
  username: { claim: "sub", prefix: "oidc:" },
  groups: { claim: "groups", prefix: "oidc:" },
  uid: undefined,
  extra: [],
  userRules: [],
  algorithms: jwtAlgorithms,
};

const key = rsaKey("k1");
const stranger = rsaKey("k1");

async function start(issuer: TestIssuer, changes: Partial<JwtSettings> = {}) {
  const clock = new VirtualClock();
  const authenticators = new JwtAuthenticators({ clock, log: silentLogger, documents: issuer }, [
    { ...settings, ...changes },
  ]);
  const stop = new AbortController();
  const running = Promise.all(authenticators.loops.map((loop) => loop(stop.signal)));
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await clock.settle();
  const nowSeconds = clock.nowMs() / 1000;
  const claims = { iss: issuerUrl, aud: "kubernetes", sub: "alice", exp: nowSeconds + 3600, groups: ["dev"] };
  return { clock, claims, authenticate: (token: string) => authenticators.authenticate(token) };
}

describe("a token of a configured issuer", () => {
  test("identifies its user", async () => {
    const { authenticate, claims } = await start(new TestIssuer(key));
    const user = authenticate(tokenOf(key, claims));
    expect(user).toEqual({ name: "oidc:alice", groups: ["oidc:dev", "system:authenticated"] });
    // Decisions are cached by the user object.
    expect(authenticate(tokenOf(key, claims))).toBe(user);
  });

  test.each([
    ["RS512", rsaKey("k", "RS512")],
    ["PS256", rsaKey("k", "PS256")],
    ["ES256", ecKey("k")],
    ["ES384", ecKey("k", "secp384r1", "ES384")],
    ["ES512", ecKey("k", "secp521r1", "ES512")],
  ])("may be signed by %s", async (_name, other) => {
    const { authenticate, claims } = await start(new TestIssuer(other));
    expect(authenticate(tokenOf(other, claims))?.name).toBe("oidc:alice");
  });

  test("may omit its key ID and name several audiences", async () => {
    const { authenticate, claims } = await start(new TestIssuer(ecKey("a"), key));
    const token = tokenOf(key, { ...claims, aud: ["x", "other"] }, { kid: undefined });
    expect(authenticate(token)?.name).toBe("oidc:alice");
  });
});

describe("a token is rejected", () => {
  type Given = { claims: Record<string, unknown>; nowSeconds: number };
  test.each<[string, (given: Given) => string]>([
    ["that another key signed under the key's name", ({ claims }) => tokenOf(stranger, claims)],
    ["that is not signed", ({ claims }) => unsignedToken(claims)],
    ["without a signature under a good header", ({ claims }) => tokenOf(key, claims).replace(/[^.]*$/, "")],
    ["that is signed by an HMAC with the public key", ({ claims }) => tokenByHmac(key, claims)],
    ["whose header claims another algorithm", ({ claims }) => tokenOf(key, claims, { alg: "RS384" })],
    ["whose header claims an algorithm of another type of key", ({ claims }) => tokenOf(key, claims, { alg: "ES256" })],
    [
      "that includes its own key",
      ({ claims }) => tokenOf(stranger, claims, { kid: "", jwk: stranger.publicKey.export({ format: "jwk" }) }),
    ],
    ["with extensions that must be understood", ({ claims }) => tokenOf(key, claims, { crit: ["b64"], b64: false })],
    [
      "whose claims were changed",
      ({ claims }) => {
        const [header, , signature] = tokenOf(key, claims).split(".");
        return [header, Buffer.from(JSON.stringify({ ...claims, sub: "bob" })).toString("base64url"), signature].join(
          ".",
        );
      },
    ],
    ["with text around it", ({ claims }) => `${tokenOf(key, claims)}=`],
    ["of another issuer", ({ claims }) => tokenOf(key, { ...claims, iss: `${issuerUrl}/` })],
    ["for another audience", ({ claims }) => tokenOf(key, { ...claims, aud: ["kubernete"] })],
    ["for no audience", ({ claims }) => tokenOf(key, { ...claims, aud: undefined })],
    ["that has expired", ({ claims, nowSeconds }) => tokenOf(key, { ...claims, exp: nowSeconds })],
    ["that never expires", ({ claims }) => tokenOf(key, { ...claims, exp: undefined })],
    ["whose expiry is not a number", ({ claims }) => tokenOf(key, { ...claims, exp: "9999999999999" })],
    ["that begins in six minutes", ({ claims, nowSeconds }) => tokenOf(key, { ...claims, nbf: nowSeconds + 360 })],
    ["without a name", ({ claims }) => tokenOf(key, { ...claims, sub: undefined })],
    ["with an empty name", ({ claims }) => tokenOf(key, { ...claims, sub: "" })],
    ["whose name is not text", ({ claims }) => tokenOf(key, { ...claims, sub: 7 })],
    ["whose groups are not text", ({ claims }) => tokenOf(key, { ...claims, groups: [{ name: "dev" }] })],
    ["with more than 1,000 groups", ({ claims }) => tokenOf(key, { ...claims, groups: Array(1001).fill("g") })],
    ["that is too long", ({ claims }) => tokenOf(key, { ...claims, more: "x".repeat(16_000) })],
    ["whose claims are a list", () => tokenOf(key, [1])],
  ])("%s", async (_name, make) => {
    const { authenticate, claims, clock } = await start(new TestIssuer(key));
    const token = make({ claims, nowSeconds: clock.nowMs() / 1000 });
    expect(authenticate(token)).toBeUndefined();
    // The token is wrong, not the server, so the server accepts a valid token.
    expect(authenticate(tokenOf(key, claims))?.name).toBe("oidc:alice");
  });

  test.each([
    ["an algorithm that is not allowed", { algorithms: ["RS512"] as const }, {}],
    ["a name with the prefix system:", { username: { claim: "sub", prefix: "" } }, { sub: "system:admin" }],
    ["the group of administrators", { groups: { claim: "groups", prefix: "" } }, { groups: ["system:masters"] }],
    [
      "an email that is not verified",
      { username: { claim: "email", prefix: "" } },
      { email: "a@b.c", email_verified: false },
    ],
    [
      "an email whose verification is a string",
      { username: { claim: "email", prefix: "" } },
      { email: "a@b.c", email_verified: "true" },
    ],
    ["a missing required claim", { claimRules: [{ claim: "team", requiredValue: "a" }] }, {}],
    ["a required claim of another value", { claimRules: [{ claim: "team", requiredValue: "a" }] }, { team: ["a"] }],
    ["a name that is a property of every object", { username: { claim: "constructor", prefix: "" } }, {}],
  ] satisfies [string, Partial<JwtSettings>, object][])("with %s", async (_name, changes, more) => {
    const { authenticate, claims } = await start(new TestIssuer(key), changes);
    expect(authenticate(tokenOf(key, { ...claims, ...more }))).toBeUndefined();
  });

  test("once it has expired, although it was valid before", async () => {
    const { authenticate, claims, clock } = await start(new TestIssuer(key));
    const token = tokenOf(key, claims);
    expect(authenticate(token)?.name).toBe("oidc:alice");
    await clock.advance(3_600_000);
    expect(authenticate(token)).toBeUndefined();
  });
});

describe("the keys of an issuer", () => {
  test.each<[string, (issuer: TestIssuer) => void]>([
    ["are for encryption", (issuer) => (issuer.members = { use: "enc" })],
    ["are for another algorithm", (issuer) => (issuer.members = { alg: "PS256" })],
    ["are short", (issuer) => (issuer.keys = [rsaKey("k1", "RS256", 1024)])],
    [
      "are of a document of another issuer",
      (issuer) => (issuer.discovery = { issuer: "https://evil.example.com", jwks_uri: `${issuerUrl}/keys` }),
    ],
  ])("do not verify a token if they %s", async (_name, prepare) => {
    const issuer = new TestIssuer(key);
    prepare(issuer);
    const { authenticate, claims } = await start(issuer);
    expect(authenticate(tokenOf(issuer.keys[0] ?? key, claims))).toBeUndefined();
  });

  test("are fetched again for a token with an unknown key, but not for every such token", async () => {
    const issuer = new TestIssuer(key);
    const { authenticate, claims, clock } = await start(issuer);
    await clock.advance(60_000);
    const next = rsaKey("k2");
    issuer.keys = [key, next];
    const token = tokenOf(next, claims);
    expect(authenticate(token)).toBeUndefined();
    await clock.settle();
    expect(authenticate(token)?.name).toBe("oidc:alice");
    const before = issuer.places.length;
    for (let n = 0; n < 100; n++) authenticate(tokenOf(stranger, claims, { kid: `x${n}` }));
    await clock.advance(9_000);
    expect(issuer.places.length).toBe(before);
    await clock.advance(2_000);
    expect(issuer.places.length).toBe(before + 2);
  });

  test("are rejected five minutes after their withdrawal", async () => {
    const issuer = new TestIssuer(key);
    const { authenticate, claims, clock } = await start(issuer);
    const token = tokenOf(key, claims);
    expect(authenticate(token)?.name).toBe("oidc:alice");
    issuer.keys = [rsaKey("k2")];
    await clock.advance(5 * 60_000);
    expect(authenticate(token)).toBeUndefined();
  });

  test("are kept while the issuer is unreachable, and are retried every ten seconds", async () => {
    const issuer = new TestIssuer(key);
    const { authenticate, claims, clock } = await start(issuer);
    issuer.fails = true;
    await clock.advance(10 * 60_000);
    expect(authenticate(tokenOf(key, claims))?.name).toBe("oidc:alice");
    issuer.fails = false;
    issuer.keys = [rsaKey("k2")];
    await clock.advance(11_000);
    expect(authenticate(tokenOf(key, claims))).toBeUndefined();
  });
});

test("all expressions for a token share the cost limit of a single expression", async () => {
  const costly = (text: string) => ({ expression: compileCel(text), text, message: "" });
  const list = `[${Array.from({ length: 80 }, () => "1").join(",")}]`;
  const rule = costly(`${list}.all(a, ${list}.all(b, a + b > 0))`);
  const one = await start(new TestIssuer(key), { claimRules: [rule] });
  expect(one.authenticate(tokenOf(key, one.claims))?.name).toBe("oidc:alice");
  const many = await start(new TestIssuer(key), { claimRules: Array.from({ length: 64 }, () => rule) });
  expect(many.authenticate(tokenOf(key, many.claims))).toBeUndefined();
});

test("expressions map the user, and rules check the claims and the user", async () => {
  const rule = (text: string, message = "") => ({ expression: compileCel(text), text, message });
  const { authenticate, claims } = await start(new TestIssuer(key), {
    username: { expression: compileCel('claims.sub + "@" + claims.tenant') },
    groups: { expression: compileCel('claims.roles.split(",").map(role, "r:" + role)') },
    uid: { expression: compileCel("claims.id") },
    extra: [{ key: "example.com/tenant", expression: compileCel("claims.tenant") }],
    claimRules: [rule("claims.level >= 3", "the level is too low")],
    userRules: [rule("!user.username.startsWith('root') && user.groups.size() < 3")],
  });
  const more = { tenant: "acme", roles: "a,b", id: "u-1", level: 3 };
  expect(authenticate(tokenOf(key, { ...claims, ...more }))).toEqual({
    name: "alice@acme",
    uid: "u-1",
    groups: ["r:a", "r:b", "system:authenticated"],
    extra: { "example.com/tenant": ["acme"] },
  });
  for (const wrong of [{ level: 2 }, { roles: "a,b,c" }, { sub: "root" }, { id: 7 }, { level: undefined }]) {
    expect(authenticate(tokenOf(key, { ...claims, ...more, ...wrong }))).toBeUndefined();
  }
});

test("the server authenticates the user of such a token, applies its groups' rights, and reviews it in a TokenReview", async () => {
  const issuer = new TestIssuer(key);
  const clock = new VirtualClock();
  const jwtAuthenticators = new JwtAuthenticators({ clock, log: silentLogger, documents: issuer }, [settings]);
  const server = await TestServer.start({}, { jwtAuthenticators });
  onTestFinished(() => server[Symbol.asyncDispose]());
  await clock.settle();
  await server.clock.settle();
  await server.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "dev" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "oidc:dev" }],
  });
  const exp = clock.nowMs() / 1000 + 3600;
  const token = tokenOf(key, { iss: issuerUrl, aud: "kubernetes", sub: "alice", exp, groups: ["dev"] });
  const as = (bearer: string) => ({ user: undefined, headers: { authorization: `Bearer ${bearer}` } });
  expect((await server.get("/api/v1/namespaces/default/pods", as(token))).status).toBe(200);
  expect((await server.get("/api/v1/namespaces/default/secrets", as(token))).json).toMatchObject({
    code: 403,
    message: expect.stringContaining('User "oidc:alice"'),
  });
  expect((await server.get("/api/v1/namespaces/default/pods", as(`${token}x`))).status).toBe(401);
  const review = await server.post("/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token },
  });
  expect(review.json.status).toMatchObject({ authenticated: true, user: { username: "oidc:alice" } });
});
