import { generateKeyPairSync } from "node:crypto";
import type { Secret, ServiceAccount } from "@kintsugi/api";
import { readSecretToken, TokenReader } from "@kintsugi/pki";
import { expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { serviceAccountTokenController } from "./controller.ts";

const type = "kubernetes.io/service-account-token";
const named = { "kubernetes.io/service-account.name": "robot" };
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

function account(uid = "uid-of-robot"): ServiceAccount {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace: "default", uid } };
}

function secret(more: Partial<Secret> = {}, annotations: Record<string, string> = named): Secret {
  const metadata = { name: "robot-token", namespace: "default", uid: "s", annotations };
  return { apiVersion: "v1", kind: "Secret", metadata, type, ...more };
}

async function aCluster(...objects: (Secret | ServiceAccount)[]): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.rootCa = "PEM";
  cluster.tokenKey = privateKey;
  for (const object of objects) cluster.put(object.kind === "Secret" ? "secrets" : "serviceaccounts", object);
  await cluster.start(serviceAccountTokenController);
  await cluster.clock.advance(100);
  return cluster;
}

const found = (cluster: ControllerTestCluster) => cluster.find<Secret>("secrets", "robot-token");
const text = (value = "") => Buffer.from(value, "base64").toString();
const writes = (cluster: ControllerTestCluster) => cluster.paths.filter((path) => /^(POST|PUT|DELETE)/.test(path));

test("a Secret of an account gets token, authority and namespace, once", async () => {
  const cluster = await aCluster(account(), secret({ data: { mine: "eA==" } }));
  const { data = {}, metadata } = found(cluster) ?? secret();
  expect(text(data["ca.crt"])).toBe("PEM");
  expect(text(data["namespace"])).toBe("default");
  expect(data["mine"]).toBe("eA==");
  expect(metadata.annotations).toEqual({ ...named, "kubernetes.io/service-account.uid": "uid-of-robot" });
  expect(readSecretToken(new TokenReader([privateKey]).read(text(data["token"])))).toEqual({
    namespace: "default",
    secretName: "robot-token",
    accountName: "robot",
    accountUid: "uid-of-robot",
  });
  expect(writes(cluster)).toHaveLength(1);
  cluster.put("secrets", { ...found(cluster)!, data: { ...data, "ca.crt": "eA==" } } as Secret);
  await cluster.clock.advance(100);
  expect(text(found(cluster)?.data?.["ca.crt"])).toBe("PEM");
  expect(found(cluster)?.data?.["token"]).toBe(data["token"]);
  await cluster.stop();
});

test("a Secret is removed with its account, even if another account of the name replaces it", async () => {
  const cluster = await aCluster(account(), secret());
  cluster.remove("serviceaccounts", account());
  await cluster.clock.advance(100);
  expect(found(cluster)).toBeUndefined();
  cluster.put("serviceaccounts", account("another"));
  cluster.put("secrets", secret({}, { ...named, "kubernetes.io/service-account.uid": "uid-of-robot" }));
  await cluster.clock.advance(100);
  expect(found(cluster)).toBeUndefined();
  await cluster.stop();
});

test("a Secret without an account is removed, but remains if the account has just been created", async () => {
  const cluster = await aCluster(secret());
  expect(found(cluster)).toBeUndefined();
  cluster.delay = (path) => (path.includes("serviceaccounts") ? 5000 : 0);
  await cluster.stop();
  const late = new ControllerTestCluster();
  late.tokenKey = privateKey;
  late.delay = (path) => (path.includes("/serviceaccounts") && path.includes("watch") ? 5000 : 0);
  await late.start(serviceAccountTokenController);
  late.put("serviceaccounts", account());
  late.put("secrets", secret());
  await late.clock.advance(1000);
  expect(text(found(late)?.data?.["token"])).not.toBe("");
  await late.stop();
});

test.each<[string, Secret]>([
  ["of another type", secret({ type: "Opaque" })],
  ["that names no account", secret({}, {})],
  ["that is immutable", secret({ immutable: true })],
])("a Secret %s is ignored", async (_, object) => {
  const cluster = await aCluster(account(), object);
  expect(found(cluster)?.data).toBeUndefined();
  expect(writes(cluster)).toEqual([]);
  await cluster.stop();
});

test("after a write at which the process crashes, the next process finishes with one token", async () => {
  for (const fate of ["hang", "never answer", "lose answer", "refuse"] as const) {
    const cluster = new ControllerTestCluster();
    cluster.tokenKey = privateKey;
    cluster.put("serviceaccounts", account());
    cluster.put("secrets", secret());
    let isFirst = true;
    cluster.interfere = ({ method }) => {
      if (method === "GET" || !isFirst) return "pass";
      isFirst = false;
      return fate;
    };
    await cluster.start(serviceAccountTokenController);
    await cluster.kill();
    await cluster.start(serviceAccountTokenController);
    await cluster.clock.advance(100);
    expect(text(found(cluster)?.data?.["token"])).not.toBe("");
    await cluster.stop();
  }
});
