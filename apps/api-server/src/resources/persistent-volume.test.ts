import { parseTimestamp } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";

const claimsPath = "/api/v1/namespaces/default/persistentvolumeclaims";
const volumesPath = "/api/v1/persistentvolumes";
const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const claim = (name: string, more: object = {}) => ({ metadata: { name }, spec: { ...spec, ...more } });
const volume = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } };

describe("a claim", () => {
  test("begins pending, with the volume mode Filesystem, whatever status its author wrote", async () => {
    await using server = await TestServer.start();
    const body = { ...claim("data"), status: { phase: "Bound", capacity: { storage: "9Gi" } } };
    const { status, json } = await server.post(claimsPath, body);
    expect(status).toBe(201);
    expect(json.status).toEqual({ phase: "Pending" });
    expect(json.spec.volumeMode).toBe("Filesystem");
  });

  test("is bound through its status, which a write of the object itself cannot change", async () => {
    await using server = await TestServer.start();
    const { json: created } = await server.post(claimsPath, claim("data"));
    const bound = { ...created, status: { phase: "Bound", accessModes: ["ReadWriteOnce"] } };
    expect((await server.put(`${claimsPath}/data`, bound)).json.status).toEqual({ phase: "Pending" });
    const { json } = await server.put(`${claimsPath}/data/status`, { ...bound, spec: { accessModes: [] } });
    expect(json.status).toMatchObject({ phase: "Bound" });
    expect(json.spec.accessModes).toEqual(["ReadWriteOnce"]);
  });

  test.each<[string, object, object]>([
    [
      "has its source in both fields",
      { dataSource: { kind: "PersistentVolumeClaim", name: "old" } },
      {
        dataSource: { kind: "PersistentVolumeClaim", name: "old" },
        dataSourceRef: { kind: "PersistentVolumeClaim", name: "old" },
      },
    ],
    [
      "copies the newer field into the older field",
      { dataSourceRef: { apiGroup: "example.com", kind: "Image", name: "i" } },
      {
        dataSource: { apiGroup: "example.com", kind: "Image", name: "i" },
        dataSourceRef: { apiGroup: "example.com", kind: "Image", name: "i" },
      },
    ],
    [
      "drops a source of unknown kind from the older field",
      { dataSource: { apiGroup: "example.com", kind: "Image", name: "i" } },
      { dataSource: undefined, dataSourceRef: undefined },
    ],
    [
      "drops a source of another namespace",
      { dataSourceRef: { kind: "PersistentVolumeClaim", name: "old", namespace: "other" } },
      { dataSource: undefined, dataSourceRef: undefined },
    ],
  ])("%s", async (_name, more, expected) => {
    await using server = await TestServer.start();
    const { json } = await server.post(claimsPath, claim("data", more));
    expect({ dataSource: json.spec.dataSource, dataSourceRef: json.spec.dataSourceRef }).toEqual(expected);
  });
});

describe("a volume", () => {
  test("begins pending, with the reclaim policy Retain", async () => {
    await using server = await TestServer.start();
    const { json } = await server.post(volumesPath, { metadata: { name: "v" }, spec: volume });
    expect(json.spec).toMatchObject({ persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    expect(json.status).toEqual({ phase: "Pending", lastPhaseTransitionTime: json.metadata.creationTimestamp });
  });

  test("records the time when its phase changes and keeps it while the phase is the same", async () => {
    await using server = await TestServer.start();
    const { json: created } = await server.post(volumesPath, { metadata: { name: "v" }, spec: volume });
    await server.clock.advance(60_000);
    const same = await server.put(`${volumesPath}/v/status`, { ...created, status: { phase: "Pending" } });
    expect(same.json.status).toEqual(created.status);
    const { json } = await server.put(`${volumesPath}/v/status`, { ...same.json, status: { phase: "Available" } });
    const laterMs =
      parseTimestamp(json.status.lastPhaseTransitionTime) - parseTimestamp(created.metadata.creationTimestamp);
    expect(json.status.phase).toBe("Available");
    expect(laterMs).toBe(60_000);
  });
});
