import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const claimsPath = "/api/v1/namespaces/default/persistentvolumeclaims";
const volumesPath = "/api/v1/persistentvolumes";
const classesPath = "/apis/storage.k8s.io/v1/storageclasses";
const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const volume = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } };

function aClass(name: string, isDefault: boolean): object {
  const annotations = { "storageclass.kubernetes.io/is-default-class": String(isDefault) };
  return { metadata: { name, annotations }, provisioner: "disk.example.com" };
}

async function classOf(server: TestServer, name: string, more: object = {}, metadata: object = {}): Promise<unknown> {
  const { json } = await server.post(claimsPath, { metadata: { name, ...metadata }, spec: { ...spec, ...more } });
  return json.spec.storageClassName;
}

describe("a claim's class", () => {
  test("is the newest default if its author names no class", async () => {
    await using server = await TestServer.start();
    expect(await classOf(server, "a")).toBeUndefined();
    await server.post(classesPath, aClass("slow", true));
    await server.post(classesPath, aClass("other", false));
    expect(await classOf(server, "b")).toBe("slow");
    await server.clock.advance(1000);
    await server.post(classesPath, aClass("fast", true));
    expect(await classOf(server, "c")).toBe("fast");
    await server.delete(`${classesPath}/fast`);
    expect(await classOf(server, "d")).toBe("slow");
  });

  test("is the class that its author wrote, even an empty name", async () => {
    await using server = await TestServer.start();
    await server.post(classesPath, aClass("slow", true));
    expect(await classOf(server, "a", { storageClassName: "mine" })).toBe("mine");
    expect(await classOf(server, "b", { storageClassName: "" })).toBe("");
    const annotations = { "volume.beta.kubernetes.io/storage-class": "old" };
    expect(await classOf(server, "c", {}, { annotations })).toBeUndefined();
  });
});

test.each([
  [claimsPath, "kubernetes.io/pvc-protection", spec],
  [volumesPath, "kubernetes.io/pv-protection", volume],
])("an object of %s is created once with the finalizer %s", async (path, finalizer, body) => {
  await using server = await TestServer.start();
  const { json } = await server.post(path, { metadata: { name: "a", finalizers: ["example.com/x"] }, spec: body });
  expect(json.metadata.finalizers).toEqual(["example.com/x", finalizer]);
  const again = await server.post(path, { metadata: { name: "b", finalizers: [finalizer] }, spec: body });
  expect(again.json.metadata.finalizers).toEqual([finalizer]);
});
