import { snapshotDefinitions } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestServer } from "../testing/test-server.ts";
import { definitionsPath, establish } from "./testing/cron-tabs.ts";

const group = "/apis/snapshot.storage.k8s.io/v1";
const snapshotsPath = `${group}/namespaces/default/volumesnapshots`;
const contentsPath = `${group}/volumesnapshotcontents`;
const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };

async function startWithSnapshots(): Promise<TestServer> {
  const server = await TestServer.start();
  for (const definition of snapshotDefinitions) {
    const { status, text } = await server.post(definitionsPath, definition);
    if (status !== 201) throw new Error(text);
    await establish(server, definition.metadata.name ?? "");
  }
  return server;
}

const aSnapshot = (spec: object) => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshot",
  metadata: { name: "s" },
  spec,
});

const aContent = (spec: object = {}) => ({
  apiVersion: "snapshot.storage.k8s.io/v1",
  kind: "VolumeSnapshotContent",
  metadata: { name: "c" },
  spec: {
    driver: "d.example.com",
    deletionPolicy: "Retain",
    source: { snapshotHandle: "h" },
    volumeSnapshotRef: { name: "s", namespace: "default" },
    ...spec,
  },
});

const ofClaim = { persistentVolumeClaimName: "data" };
const ofContent = { volumeSnapshotContentName: "c" };

test.each([
  ["without a source", aSnapshot({}), "spec.source: Required value"],
  ["with an empty source", aSnapshot({ source: {} }), "exactly one of volumeSnapshotContentName and persistentVolume"],
  ["with two sources", aSnapshot({ source: { ...ofClaim, ...ofContent } }), "exactly one of volumeSnapshotContentName"],
  [
    "with an empty class",
    aSnapshot({ source: ofClaim, volumeSnapshotClassName: "" }),
    "volumeSnapshotClassName must not be the empty string when set",
  ],
])("a snapshot %s is refused", async (_, body, message) => {
  await using server = await startWithSnapshots();
  const { status, json } = await server.post(snapshotsPath, body);
  expect([status, json.message]).toEqual([422, expect.stringContaining(message)]);
});

test.each([
  ["with both handles", { source: { snapshotHandle: "h", volumeHandle: "v" } }, "exactly one of volumeHandle and"],
  ["with no handle", { source: {} }, "exactly one of volumeHandle and snapshotHandle must be set"],
  ["with an unknown policy", { deletionPolicy: "Recycle" }, 'supported values: "Delete", "Retain"'],
  ["for a snapshot without a namespace", { volumeSnapshotRef: { name: "s" } }, "both spec.volumeSnapshotRef.name and"],
])("a content %s is refused", async (_, spec, message) => {
  await using server = await startWithSnapshots();
  const { status, json } = await server.post(contentsPath, aContent(spec));
  expect([status, json.message]).toEqual([422, expect.stringContaining(message)]);
});

test("sources and modes are immutable, and a class and a UID may be set later", async () => {
  await using server = await startWithSnapshots();
  await server.post(snapshotsPath, aSnapshot({ source: ofClaim }));
  await server.post(contentsPath, aContent({ sourceVolumeMode: "Filesystem" }));
  const merge = async (path: string, body: object) => {
    const { status, json } = await server.patch(path, body);
    return status === 200 ? "" : (json.message as string);
  };
  const snapshot = `${snapshotsPath}/s`;
  const content = `${contentsPath}/c`;
  const other = { spec: { source: { persistentVolumeClaimName: "other" } } };
  expect(await merge(snapshot, other)).toContain("persistentVolumeClaimName is immutable");
  const moved = { spec: { source: { persistentVolumeClaimName: null, ...ofContent } } };
  expect(await merge(snapshot, moved)).toContain("persistentVolumeClaimName is required once set");
  expect(await merge(content, { spec: { sourceVolumeMode: null } })).toContain("sourceVolumeMode is required once set");
  expect(await merge(content, { spec: { sourceVolumeMode: "Block" } })).toContain("sourceVolumeMode is immutable");
  const handle = { spec: { source: { snapshotHandle: "other" } } };
  expect(await merge(content, handle)).toContain("snapshotHandle is immutable");
  expect(await merge(snapshot, { spec: { volumeSnapshotClassName: "fast" } })).toBe("");
  const bound = { name: "s", namespace: "default", uid: "u" };
  expect(await merge(content, { spec: { volumeSnapshotRef: bound } })).toBe("");
});

test("the status is a subresource, and the columns equal upstream's", async () => {
  await using server = await startWithSnapshots();
  const created = await server.post(snapshotsPath, { ...aSnapshot({ source: ofClaim }), status: { readyToUse: true } });
  expect(created.json.status).toBeUndefined();
  const status = { readyToUse: true, restoreSize: "1Gi", boundVolumeSnapshotContentName: "c" };
  const { json } = await server.put(`${snapshotsPath}/s/status`, { ...created.json, status });
  expect(json.status).toEqual(status);
  const { columnDefinitions, rows } = (await server.get(snapshotsPath, table)).json;
  expect(columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
    "Name",
    "ReadyToUse",
    "SourcePVC",
    "SourceSnapshotContent",
    "RestoreSize",
    "SnapshotClass",
    "SnapshotContent",
    "CreationTime",
    "Age",
  ]);
  expect(rows[0].cells.slice(0, 7)).toEqual(["s", true, "data", null, "1Gi", null, "c"]);
  const contents = (await server.get(contentsPath, table)).json;
  expect(contents.columnDefinitions).toHaveLength(9);
  expect((await server.get(`${group}/volumesnapshotclasses`)).status).toBe(200);
});
