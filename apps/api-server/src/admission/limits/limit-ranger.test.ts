import { expect, test } from "vitest";
import { TestServer } from "../../testing/test-server.ts";

const inDefault = (resource: string) => `/api/v1/namespaces/default/${resource}`;

interface Resources {
  requests?: object;
  limits?: object;
}

const aPod = (name: string, resources: Resources = {}, more: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", resources }], ...more },
});

async function startWith(...limits: object[]): Promise<TestServer> {
  const server = await TestServer.start();
  await server.post(inDefault("limitranges"), { metadata: { name: "l" }, spec: { limits } });
  return server;
}

test("containers get the defaults of fields that they omit, and an annotation lists these fields", async () => {
  await using server = await startWith({
    type: "Container",
    default: { cpu: "1", memory: "2Gi" },
    defaultRequest: { cpu: "500m" },
  });
  const initContainers = [{ name: "i", image: "i", resources: { limits: { cpu: "2" } } }];
  const { json } = await server.post(inDefault("pods"), aPod("p", { requests: { cpu: "100m" } }, { initContainers }));
  expect(json.spec.containers[0].resources).toEqual({
    requests: { cpu: "100m", memory: "2Gi" },
    limits: { cpu: "1", memory: "2Gi" },
  });
  expect(json.spec.initContainers[0].resources).toEqual({
    requests: { cpu: "2", memory: "2Gi" },
    limits: { cpu: "2", memory: "2Gi" },
  });
  expect(json.metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
    "LimitRanger plugin set: memory request for container c; cpu, memory limit for container c; memory request for init container i; memory limit for init container i",
  );
});

test.each<[string, object, Resources, string]>([
  [
    "too small a request",
    { min: { cpu: "100m" } },
    { requests: { cpu: "50m" } },
    "minimum cpu usage per Container is 100m, but request is 50m",
  ],
  ["no request", { min: { memory: "1Mi" }, defaultRequest: {} }, { limits: { cpu: "1" } }, ""],
  [
    "too large a limit",
    { max: { cpu: "1" } },
    { limits: { cpu: "2" } },
    "maximum cpu usage per Container is 1, but limit is 2",
  ],
  [
    "too large a share of the limit",
    { maxLimitRequestRatio: { cpu: "2" } },
    { requests: { cpu: "1" }, limits: { cpu: "3" } },
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
  ],
  [
    "neither request nor limit for a ratio",
    { maxLimitRequestRatio: { cpu: "2" } },
    {},
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
  [
    "several faults",
    { min: { cpu: "1" }, max: { memory: "1Gi" } },
    { requests: { cpu: "100m" }, limits: { memory: "2Gi" } },
    "[minimum cpu usage per Container is 1, but request is 100m, maximum memory usage per Container is 1Gi, but limit is 2Gi]",
  ],
])("a container with %s is refused, unless a default fills it in", async (_name, item, resources, because) => {
  await using server = await startWith({ type: "Container", ...item });
  const { json, status } = await server.post(inDefault("pods"), aPod("p", resources));
  expect(status === 201 ? "" : json.message.replace('pods "p" is forbidden: ', "")).toBe(because);
});

test("a pod's containers are limited by their sum, together with its sidecars or its largest init container", async () => {
  await using server = await startWith({ type: "Pod", max: { cpu: "3" } });
  const limits = (cpu: string) => ({ limits: { cpu } });
  const container = (name: string, cpu: string, more: object = {}) => ({
    name,
    image: "i",
    resources: limits(cpu),
    ...more,
  });
  const post = async (name: string, spec: object) => {
    const { json, status } = await server.post(inDefault("pods"), { metadata: { name }, spec });
    return status === 201 ? status : json.message;
  };
  const containers = [container("a", "1"), container("b", "1")];
  expect(await post("p", { containers, initContainers: [container("i", "3")] })).toBe(201);
  expect(await post("q", { containers, initContainers: [container("i", "4")] })).toBe(
    'pods "q" is forbidden: maximum cpu usage per Pod is 3, but limit is 4',
  );
  const sidecar = container("s", "2", { restartPolicy: "Always" });
  expect(await post("r", { containers, initContainers: [sidecar] })).toContain("but limit is 4");
  expect(await post("o", { containers: [...containers, { name: "d", image: "i" }] })).toBe(
    'pods "o" is forbidden: maximum cpu usage per Pod is 3.  No limit is specified',
  );
});

test("claims are limited when they are created and when they grow", async () => {
  await using server = await startWith({
    type: "PersistentVolumeClaim",
    min: { storage: "1Gi" },
    max: { storage: "2Gi" },
  });
  const claim = (name: string, storage: string) =>
    server.post(inDefault("persistentvolumeclaims"), {
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    });
  expect((await claim("a", "1Gi")).status).toBe(201);
  expect((await claim("b", "1Mi")).json.message).toContain(
    "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi",
  );
  expect((await claim("c", "3Gi")).json.message).toContain(
    "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi",
  );
  const status = { phase: "Bound", capacity: { storage: "1Gi" } };
  await server.patch(inDefault("persistentvolumeclaims/a/status"), { status });
  const grown = await server.patch(inDefault("persistentvolumeclaims/a"), {
    spec: { resources: { requests: { storage: "3Gi" } } },
  });
  expect(grown.json.message).toContain("but request is 3Gi");
});

test("a change of a LimitRange applies immediately and only in its own namespace", async () => {
  await using server = await startWith({ type: "Container", max: { cpu: "1" } });
  const post = (path: string, name: string) => server.post(path, aPod(name, { limits: { cpu: "2" } }));
  expect((await post(inDefault("pods"), "a")).status).toBe(403);
  expect((await post("/api/v1/namespaces/kube-public/pods", "a")).status).toBe(201);
  await server.patch(inDefault("limitranges/l"), { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } });
  expect((await post(inDefault("pods"), "a")).status).toBe(201);
  await server.patch(inDefault("limitranges/l"), { spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } });
  const patched = await server.patch(inDefault("pods/a"), { metadata: { labels: { a: "b" } } });
  expect(patched.status).toBe(200);
});
