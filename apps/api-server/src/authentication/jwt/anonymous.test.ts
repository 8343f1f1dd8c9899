import { expect, test } from "vitest";
import { TestServer } from "../../testing/test-server.ts";
import { parseAuthenticationConfiguration } from "./authentication-configuration.ts";

const file = (anonymous: unknown) => ({
  source: "auth.yaml",
  text: JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration", anonymous }),
});

const anonymousIn = (anonymous: unknown) => parseAuthenticationConfiguration(file(anonymous), []).allowsAnonymous;

test("anonymous requests are admitted nowhere, on some paths, or everywhere", () => {
  const admitted = (anonymous: unknown) =>
    ["/livez", "/version", "/api"].filter((path) => anonymousIn(anonymous)?.(path));
  expect(anonymousIn(undefined)).toBeUndefined();
  expect(admitted({ enabled: false })).toEqual([]);
  expect(admitted({})).toEqual([]);
  expect(admitted({ enabled: true, conditions: [{ path: "/livez" }] })).toEqual(["/livez"]);
  expect(admitted({ enabled: true })).toEqual(["/livez", "/version", "/api"]);
});

test.each([
  [{ enabled: false, conditions: [{ path: "/livez" }] }, "enabled should be set to true when conditions are defined"],
  [{ enabled: true, conditions: [{ path: "" }] }, "path should be a valid non-empty string"],
  [{ enabled: true, paths: [] }, /paths/],
])("%j is rejected", (anonymous, message) => {
  expect(() => parseAuthenticationConfiguration(file(anonymous), [])).toThrow(message);
});

test("an anonymous request is authorized as system:anonymous, and a request with a bad token is not anonymous", async () => {
  const nobody = { user: undefined };
  await using open = await TestServer.start({}, { allowsAnonymous: () => true });
  const secrets = await open.get("/api/v1/secrets", nobody);
  expect([secrets.status, secrets.json.message]).toEqual([
    403,
    'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
  ]);
  expect((await open.get("/version", nobody)).status).toBe(200);
  const bad = { ...nobody, headers: { authorization: "Bearer nonsense" } };
  expect((await open.get("/version", bad)).status).toBe(401);
  await using closed = await TestServer.start({}, { allowsAnonymous: () => false });
  expect((await closed.get("/version", nobody)).status).toBe(401);
  await using usual = await TestServer.start();
  expect((await usual.get("/version", nobody)).status).toBe(200);
  expect((await usual.get("/api/v1/secrets", nobody)).status).toBe(401);
});
