import { describe, expect, onTestFinished, test } from "vitest";
import { type AdmissionPlugin, defaultAdmissionPlugins, enabledPlugins } from "../../admission-plugins.ts";
import { TestServer } from "../../testing/test-server.ts";

async function start(...plugins: AdmissionPlugin[]): Promise<TestServer> {
  const server = await TestServer.start({ admissionPlugins: [...defaultAdmissionPlugins, ...plugins] });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const pods = "/api/v1/namespaces/default/pods";
const services = "/api/v1/namespaces/default/services";

const aPod = (name: string, spec: Record<string, unknown> = {}, container: Record<string, unknown> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...container }], ...spec },
});
const aService = (name: string, spec: Record<string, unknown> = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

describe("the flags of optional steps", () => {
  const given = (on: string[], off: string[] = []) => ({
    "enable-admission-plugins": on,
    "disable-admission-plugins": off,
  });

  test("enable plugins in addition to the default plugins, and disable default plugins", () => {
    const plugins = enabledPlugins(given(["ExtendedResourceToleration", "Priority"], ["DefaultStorageClass"]));
    expect(new Set(plugins)).toEqual(
      new Set(
        [...defaultAdmissionPlugins, "ExtendedResourceToleration"].filter((name) => name !== "DefaultStorageClass"),
      ),
    );
  });

  test.each<[string, Parameters<typeof given>, string]>([
    [
      "an unknown plugin",
      [["Priority", "EventRateLimit"]],
      'enable-admission-plugins plugin "EventRateLimit" is unknown',
    ],
    [
      "a step of the server's own",
      [[], ["RoleEscalation"]],
      'disable-admission-plugins plugin "RoleEscalation" is unknown',
    ],
    ["a name that is a property of every object", [["constructor"]], 'plugin "constructor" is unknown'],
    ["a plugin in both lists", [["Priority"], ["Priority"]], "Priority in enable-admission-plugins and"],
  ])("reject %s", (_name, lists, message) => {
    expect(() => enabledPlugins(given(...lists))).toThrow(message);
  });

  test("remove a disabled step", async () => {
    const server = await TestServer.start({
      admissionPlugins: defaultAdmissionPlugins.filter((name) => name !== "Priority"),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    expect((await server.post(pods, aPod("p"))).json.spec.priority).toBeUndefined();
    expect((await (await start()).post(pods, aPod("p"))).json.spec.priority).toBe(0);
  });
});

describe("ExtendedResourceToleration", () => {
  const resources = { limits: { "example.com/gpu": "1", "a.example/x": "2" }, requests: { cpu: "1" } };
  const added = (name: string) => ({ key: name, operator: "Exists", effect: "NoSchedule" });

  test("adds a toleration for each extended resource that containers request", async () => {
    const server = await start("ExtendedResourceToleration");
    const { json } = await server.post(pods, aPod("p", {}, { resources }));
    expect(json.spec.tolerations).toEqual(expect.arrayContaining([added("a.example/x"), added("example.com/gpu")]));
    expect(json.spec.tolerations).toHaveLength(4);
  });

  test("does not add a duplicate toleration, or any toleration when it is disabled", async () => {
    const server = await start("ExtendedResourceToleration");
    const own = { tolerations: [added("a.example/x"), added("example.com/gpu")] };
    expect((await server.post(pods, aPod("p", own, { resources }))).json.spec.tolerations).toHaveLength(4);
    expect((await (await start()).post(pods, aPod("p", {}, { resources }))).json.spec.tolerations).toHaveLength(2);
  });
});

test("AlwaysPullImages pulls the images of new pods", async () => {
  const server = await start("AlwaysPullImages");
  const { json } = await server.post(pods, aPod("p", {}, { imagePullPolicy: "Never" }));
  expect(json.spec.containers[0].imagePullPolicy).toBe("Always");
});

test("DenyServiceExternalIPs lets Services keep external addresses but not add any", async () => {
  const server = await start("DenyServiceExternalIPs");
  const refused = await server.post(services, aService("a", { externalIPs: ["192.0.2.1"] }));
  expect(refused.json).toMatchObject({ code: 403, message: expect.stringContaining("Use of external IPs is denied") });
  const { json } = await server.post(services, aService("b"));
  const changed = await server.put(`${services}/b`, { ...json, spec: { ...json.spec, externalIPs: ["192.0.2.1"] } });
  expect(changed.status).toBe(403);
});

test("LimitPodHardAntiAffinityTopology keeps pods from claiming a zone", async () => {
  const server = await start("LimitPodHardAntiAffinityTopology");
  const claiming = (topologyKey: string) => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { a: "b" } } }],
      },
    },
  });
  const refused = await server.post(pods, aPod("p", claiming("topology.kubernetes.io/zone")));
  expect(refused.json).toMatchObject({
    code: 403,
    message: expect.stringContaining("only key kubernetes.io/hostname"),
  });
  expect((await server.post(pods, aPod("p", claiming("kubernetes.io/hostname")))).status).toBe(201);
});

describe("PersistentVolumeClaimResize", () => {
  const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
  const aClaim = (size: string) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "s", resources: { requests: { storage: size } } },
  });

  async function grow(allowVolumeExpansion: boolean, phase: string) {
    const server = await start();
    await server.post("/apis/storage.k8s.io/v1/storageclasses", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "s" },
      provisioner: "example.com/p",
      allowVolumeExpansion,
    });
    const { json } = await server.post(claims, aClaim("1Gi"));
    const bound = { ...json, status: { phase, capacity: { storage: "1Gi" } } };
    const { json: stored } = await server.put(`${claims}/data/status`, bound);
    return server.put(`${claims}/data`, { ...stored, spec: { ...stored.spec, ...aClaim("2Gi").spec } });
  }

  test("lets a bound claim grow if its class allows it", async () => {
    expect((await grow(true, "Bound")).status).toBe(200);
  });

  test("rejects the growth if the class does not allow it", async () => {
    expect((await grow(false, "Bound")).json).toMatchObject({
      code: 403,
      message: expect.stringContaining("only dynamically provisioned pvc can be resized"),
    });
  });
});
