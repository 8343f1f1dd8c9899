import { generateKeyPairSync } from "node:crypto";
import { parseTimestamp } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aPod, podsPath, TestServer } from "../testing/test-server.ts";
import { claimsOfSecretToken, TokenReader, TokenSigner } from "@kintsugi/pki";

const { privateKey: signingKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuer = "https://kubernetes.default.svc";
const serviceAccountTokens = { signingKey, issuer, audiences: [issuer] };
const accountsPath = "/api/v1/namespaces/default/serviceaccounts";
const nobody = { user: undefined };

const start = () => TestServer.start({}, { serviceAccountTokens });
const bearer = (token: string) => ({ ...nobody, headers: { authorization: `Bearer ${token}` } });
const requestOf = (spec: object = {}) => ({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec });

async function whoIs(server: TestServer, token: string) {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { status, json } = await server.post(
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    review,
    bearer(token),
  );
  return { status, userInfo: json?.status?.userInfo };
}

async function boundToken(server: TestServer): Promise<{ token: string; uid: string }> {
  const { uid } = (await server.post(podsPath, aPod("web"))).json.metadata;
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "web", uid };
  const { status, json } = await server.post(`${accountsPath}/default/token`, requestOf({ boundObjectRef }));
  expect(status).toBe(201);
  return { token: json.status.token, uid };
}

describe("the token of a service account", () => {
  test("authenticates its holder under the account's name, and names the pod", async () => {
    await using server = await start();
    const { token, uid } = await boundToken(server);
    const { userInfo } = await whoIs(server, token);
    expect(userInfo).toMatchObject({
      username: "system:serviceaccount:default:default",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      extra: { "authentication.kubernetes.io/pod-name": ["web"], "authentication.kubernetes.io/pod-uid": [uid] },
    });
    expect((await server.get(podsPath, bearer(token))).status).toBe(403);
  });

  test("is verified by reviewers for its audiences as long as it is valid", async () => {
    await using server = await start();
    const review = async (token: string, audiences?: string[]) => {
      const spec = { token, ...(audiences ? { audiences } : {}) };
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
      return server.post("/apis/authentication.k8s.io/v1/tokenreviews", body);
    };
    const { token } = await boundToken(server);
    expect((await review(token)).json.status).toMatchObject({
      authenticated: true,
      user: {
        username: "system:serviceaccount:default:default",
        groups: expect.arrayContaining(["system:authenticated"]),
      },
      audiences: [issuer],
    });
    expect((await review(token, ["vault", issuer])).json.status.audiences).toEqual([issuer]);
    expect((await review(token, ["vault"])).json.status).toEqual({ authenticated: false });
    expect((await review(`${token}x`)).json.status).toEqual({ authenticated: false });
    const own = await server.post(`${accountsPath}/default/token`, requestOf({ audiences: ["vault"] }));
    expect((await review(own.json.status.token)).json.status).toEqual({ authenticated: false });
    expect((await review(own.json.status.token, ["vault"])).json.status).toMatchObject({
      authenticated: true,
      audiences: ["vault"],
    });
    expect(await review("")).toMatchObject({
      status: 400,
      json: { message: "token is required for TokenReview in authentication" },
    });
    expect((await server.post("/apis/authentication.k8s.io/v1/tokenreviews", {}, bearer(token))).status).toBe(403);
    await server.delete(`${podsPath}/web`, { gracePeriodSeconds: 0 });
    expect((await review(token)).json.status).toEqual({ authenticated: false });
  });

  test("expires at its time and not earlier", async () => {
    await using server = await start();
    const { json } = await server.post(`${accountsPath}/default/token`, requestOf({ expirationSeconds: 600 }));
    const { token, expirationTimestamp } = json.status;
    expect(parseTimestamp(expirationTimestamp) - server.clock.nowMs()).toBeGreaterThan(598_000);
    await server.clock.advance(599_000);
    expect((await whoIs(server, token)).status).toBe(201);
    await server.clock.advance(70_000);
    expect((await whoIs(server, token)).status).toBe(401);
  });

  test("expires with the pod that it is bound to, even if another pod takes the name", async () => {
    await using server = await start();
    const { token } = await boundToken(server);
    await server.delete(`${podsPath}/web`, { gracePeriodSeconds: 0 });
    expect((await whoIs(server, token)).status).toBe(401);
    await server.post(podsPath, aPod("web"));
    expect((await whoIs(server, token)).status).toBe(401);
  });

  test.each(["pod", "account"])(
    "expires a minute after its %s was deleted, even if a finalizer keeps the object",
    async (kept) => {
      await using server = await start();
      const finalizers = ["example.com/stay"];
      const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", finalizers } };
      await server.post(accountsPath, account);
      const pod = aPod("web", { metadata: { finalizers }, spec: { serviceAccountName: "robot" } });
      const { uid } = (await server.post(podsPath, pod)).json.metadata;
      const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "web", uid };
      const issued = await server.post(`${accountsPath}/robot/token`, requestOf({ boundObjectRef }));
      const path = kept === "pod" ? `${podsPath}/web` : `${accountsPath}/robot`;
      await server.delete(path, { gracePeriodSeconds: 0 });
      expect((await server.get(path)).json.metadata.deletionTimestamp).toBeDefined();
      await server.clock.advance(59_000);
      expect((await whoIs(server, issued.json.status.token)).status).toBe(201);
      await server.clock.advance(3_000);
      expect((await whoIs(server, issued.json.status.token)).status).toBe(401);
    },
  );

  test("expires with the account", async () => {
    await using server = await start();
    const { json } = await server.post(`${accountsPath}/default/token`, requestOf());
    await server.delete(`${accountsPath}/default`);
    expect((await whoIs(server, json.status.token)).status).toBe(401);
  });

  test("of another key, another issuer or another audience, without a signature, or truncated is rejected", async () => {
    await using server = await start();
    const { token } = await boundToken(server);
    const claims = new TokenReader([signingKey]).read(token) as object;
    const signed = (changed: object, key = signingKey) => new TokenSigner(key).sign({ ...claims, ...changed });
    const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
    const forged = [
      signed({}, generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
      signed({}, generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey),
      signed({ iss: "https://elsewhere" }),
      signed({ aud: ["vault"] }),
      signed({ nbf: (server.clock.nowMs() + 600_000) / 1000 }),
      `${unsigned}.${token.split(".")[1]}.`,
      token.slice(0, -4),
      "nonsense",
    ];
    for (const each of forged) expect((await whoIs(server, each)).status).toBe(401);
    expect((await server.get("/version", bearer("nonsense"))).status).toBe(401);
  });

  test.each([
    ["a missing pod", { kind: "Pod", name: "none" }, 404, /pods "none" not found/],
    ["another pod of the name", { kind: "Pod", name: "web", uid: "1" }, 409, /does not match the UID in record/],
    [
      "a kind that a token cannot be bound to",
      { kind: "ConfigMap", name: "a" },
      400,
      /cannot bind token to object of type/,
    ],
    ["another account's pod", { kind: "Pod", name: "other" }, 400, /different serviceaccount name/],
  ])("is not issued for %s", async (_, reference, status, message) => {
    await using server = await start();
    await server.post(podsPath, aPod("web"));
    await server.post(accountsPath, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } });
    await server.post(podsPath, aPod("other", { spec: { serviceAccountName: "robot" } }));
    const boundObjectRef = { apiVersion: "v1", ...reference };
    const answer = await server.post(`${accountsPath}/default/token`, requestOf({ boundObjectRef }));
    expect(answer.status).toBe(status);
    expect(answer.json.message).toMatch(message);
  });

  test("is not issued for less than ten minutes", async () => {
    await using server = await start();
    const answer = await server.post(`${accountsPath}/default/token`, requestOf({ expirationSeconds: 60 }));
    expect(answer.status).toBe(422);
    expect(answer.json.message).toContain("may not specify a duration less than 10 minutes");
  });
});

describe("the lifetime of a token", () => {
  const year = 365 * 24 * 3600;
  const ask = async (server: TestServer, expirationSeconds: number) => {
    const answer = await server.post(`${accountsPath}/default/token`, requestOf({ expirationSeconds }));
    const { spec, status } = answer.json;
    const life = Math.round((parseTimestamp(status.expirationTimestamp) - server.clock.nowMs()) / 1000);
    return { granted: spec.expirationSeconds, life, warning: answer.headers["warning"] };
  };

  test("is two days at most, and a request for more receives the granted lifetime", async () => {
    await using server = await start();
    const days = 2 * 24 * 3600;
    expect(await ask(server, 2 ** 32 - 1)).toEqual({
      granted: days,
      life: days,
      warning: `299 - "requested expiration of 4294967295 seconds shortened to ${days} seconds"`,
    });
    expect(await ask(server, 3_600)).toEqual({ granted: 3_600, life: 3_600, warning: undefined });
  });

  test("has no limit if the limit is set to 0", async () => {
    await using server = await TestServer.start({ tokenLifeMaxMs: 0 }, { serviceAccountTokens });
    expect(await ask(server, year)).toMatchObject({ granted: year, life: year });
  });
});

describe("a pod of a service account", () => {
  test("mounts the token, the authority and the namespace in every container", async () => {
    await using server = await start();
    const initContainers = [{ name: "init", image: "busybox:1.36" }];
    const { json } = await server.post(podsPath, aPod("web", { spec: { initContainers } }));
    const [volume] = json.spec.volumes;
    expect(volume.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(volume.projected).toMatchObject({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
      ],
    });
    const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
    const mount = { name: volume.name, readOnly: true, mountPath };
    for (const { volumeMounts } of [...json.spec.initContainers, ...json.spec.containers]) {
      expect(volumeMounts).toEqual([mount]);
    }
  });

  test.each([
    ["the pod disables it", { automountServiceAccountToken: false }, undefined, false],
    ["the account disables it", {}, false, false],
    ["the pod overrules the account", { automountServiceAccountToken: true }, false, true],
  ])("mounts it or not: %s", async (_, spec, automountServiceAccountToken, expected) => {
    await using server = await start();
    await server.patch(`${accountsPath}/default`, { automountServiceAccountToken });
    const { json } = await server.post(podsPath, aPod("web", { spec }));
    expect(json.spec.volumes !== undefined).toBe(expected);
  });

  test("uses the account's image pull secrets unless it has its own", async () => {
    await using server = await start();
    await server.patch(`${accountsPath}/default`, { imagePullSecrets: [{ name: "registry" }] });
    const secretsOf = async (name: string, spec: object) =>
      (await server.post(podsPath, aPod(name, { spec }))).json.spec.imagePullSecrets;
    expect(await secretsOf("a", {})).toEqual([{ name: "registry" }]);
    expect(await secretsOf("b", { imagePullSecrets: [{ name: "own" }] })).toEqual([{ name: "own" }]);
  });

  test("is rejected without the account, and waits a second for a new namespace's default account", async () => {
    await using server = await start();
    const refused = await server.post(podsPath, aPod("web", { spec: { serviceAccountName: "none" } }));
    expect(refused.status).toBe(403);
    expect(refused.json.message).toBe(
      'pods "web" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    );
    await server.post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } });
    const pending = server.post("/api/v1/namespaces/new/pods", aPod("web"));
    await server.clock.advance(300);
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await server.post("/api/v1/namespaces/new/serviceaccounts", account);
    await server.clock.advance(300);
    expect((await pending).status).toBe(201);
  });
});

describe("the token of a Secret", () => {
  const secretsPath = "/api/v1/namespaces/default/secrets";
  const type = "kubernetes.io/service-account-token";
  const annotations = { "kubernetes.io/service-account.name": "robot" };

  async function aToken(server: TestServer, key = signingKey, changed: object = {}) {
    await server.post(accountsPath, { metadata: { name: "robot" } });
    const { uid } = (await server.get(`${accountsPath}/robot`)).json.metadata;
    const subject = { namespace: "default", secretName: "robot-token", accountName: "robot", accountUid: uid };
    const token = new TokenSigner(key).sign({ ...claimsOfSecretToken(subject), ...changed });
    const data = { token: Buffer.from(token).toString("base64") };
    const answer = await server.post(secretsPath, { metadata: { name: "robot-token", annotations }, type, data });
    expect(answer.status).toBe(201);
    return token;
  }

  test("authenticates its holder as the account, without expiry, for this server's audience", async () => {
    await using server = await start();
    const token = await aToken(server);
    await server.clock.advance(2 * 3_600_000);
    expect((await whoIs(server, token)).userInfo).toMatchObject({
      username: "system:serviceaccount:default:robot",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    const review = async (audiences: string[]) => {
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences } };
      return (await server.post("/apis/authentication.k8s.io/v1/tokenreviews", body)).json.status;
    };
    expect(await review([issuer, "vault"])).toMatchObject({ authenticated: true, audiences: [issuer] });
    expect(await review(["vault"])).toEqual({ authenticated: false });
  });

  test.each<[string, (server: TestServer) => Promise<unknown>]>([
    ["its Secret is deleted", (server) => server.delete(`${secretsPath}/robot-token`)],
    [
      "its Secret has another token",
      (server) => server.patch(`${secretsPath}/robot-token`, { data: { token: "eA==" } }),
    ],
    ["its account is deleted", (server) => server.delete(`${accountsPath}/robot`)],
    [
      "it was withdrawn",
      (server) =>
        server.patch(`${secretsPath}/robot-token`, {
          metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } },
        }),
    ],
  ])("is rejected once %s", async (_, end) => {
    await using server = await start();
    const token = await aToken(server);
    expect((await whoIs(server, token)).status).toBe(201);
    await end(server);
    expect((await whoIs(server, token)).status).toBe(401);
  });

  test("is rejected with another key, or for a different account of the same name", async () => {
    await using server = await start();
    const foreign = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    expect((await whoIs(server, await aToken(server, foreign))).status).toBe(401);
    await server.delete(`${secretsPath}/robot-token`);
    const other = await aToken(server, signingKey, { "kubernetes.io/serviceaccount/service-account.uid": "1" });
    expect((await whoIs(server, other)).status).toBe(401);
  });
});

test("a token of an earlier key is valid while the key is among the verification keys", async () => {
  const earlier = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = [earlier.publicKey];
  await using server = await TestServer.start({}, { serviceAccountTokens: { ...serviceAccountTokens, keys } });
  const { json } = await server.post(`${accountsPath}/default/token`, requestOf());
  const claims = new TokenReader([signingKey]).read(json.status.token) as object;
  expect((await whoIs(server, new TokenSigner(earlier.privateKey).sign(claims))).status).toBe(201);
  await using without = await start();
  expect((await whoIs(without, new TokenSigner(earlier.privateKey).sign(claims))).status).toBe(401);
});
