import { expect } from "vitest";
import { type ConformanceClient, expectStatus, type Json } from "./conformance-cluster.ts";

/** One kind, as upstream's tests "should support … API operations" use it. */
export interface ApiOperations {
  /** "/apis/batch/v1" */
  readonly version: string;
  readonly resource: string;
  /** The namespace's name, for a namespaced kind. */
  readonly namespace?: string;
  /** Makes an object, without metadata. */
  readonly template: () => Json;
  /** The name of one of the objects; by default derived from the number. */
  readonly nameOf?: (index: number) => string;
  /** Changes the object that an update writes back; the annotation is set in addition. */
  readonly change?: (object: Json) => void;
  /** Names a field of the status, and a value that the patch of the status sets. */
  readonly status?: {
    readonly patch: Json;
    readonly update: (object: Json) => void;
    readonly shows: (object: Json) => unknown;
  };
  /** Objects remain until a finalizer is removed, so only their deletion is inspected. */
  readonly lingers?: boolean;
}

/**
 * Performs discovery, create, get, list, watch, patch, update, status, delete and deletecollection,
 * in the order of upstream's tests.
 */
export async function supportApiOperations(api: ConformanceClient, operations: ApiOperations): Promise<void> {
  const { version, resource, namespace, template, status } = operations;
  await expectDiscovered(api, operations);
  const label = `special-label=${api.encoding}-${resource}`;
  const labels = Object.fromEntries([label.split("=")]);
  const collection = `${version}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource}`;
  const nameOf = operations.nameOf ?? ((index: number) => `e2e-${api.encoding}-${index}`);
  const create = (index: number) =>
    expectStatus(201, api.post(collection, { ...template(), metadata: { name: nameOf(index), labels } }));

  const created = [await create(1), await create(2), await create(3)];
  const [{ metadata }] = created;
  expect(metadata).toMatchObject({ name: nameOf(1), labels, uid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const path = `${collection}/${nameOf(1)}`;

  expect((await expectStatus(200, api.get(path))).metadata.uid).toBe(metadata.uid);
  const list = await expectStatus(200, api.get(`${collection}?labelSelector=${label}`));
  expect(list.items).toHaveLength(3);
  if (namespace !== undefined) {
    const everywhere = await expectStatus(200, api.get(`${version}/${resource}?labelSelector=${label}`));
    expect(everywhere.items).toHaveLength(3);
  }

  const patched = await expectStatus(200, api.patch(path, { metadata: { annotations: { patched: "true" } } }));
  expect(patched.metadata.annotations).toMatchObject({ patched: "true" });
  expect(patched.metadata.uid).toBe(metadata.uid);

  const body = await expectStatus(200, api.get(path));
  body.metadata.annotations = { ...body.metadata.annotations, updated: "true" };
  operations.change?.(body);
  const updated = await expectStatus(200, api.put(path, body));
  expect(updated.metadata.annotations).toMatchObject({ patched: "true", updated: "true" });
  if (operations.change !== undefined) expect(updated.metadata.generation).toBe((patched.metadata.generation ?? 0) + 1);

  // The watch from before the changes receives both changes.
  const from = `${collection}?labelSelector=${label}&resourceVersion=${list.metadata.resourceVersion}`;
  const events = await api.watchUntil(from, (seen) =>
    seen.some(({ object }) => object.metadata.annotations?.updated === "true"),
  );
  expect(
    events.some(({ type, object }) => type === "MODIFIED" && object.metadata.annotations?.patched === "true"),
  ).toBe(true);

  if (status !== undefined) await expectStatusServed(api, path, status);

  await expectStatus(200, api.delete(`${collection}/${nameOf(2)}`));
  const gone = await api.get(`${collection}/${nameOf(2)}`);
  if (operations.lingers) expect([200, 404]).toContain(gone.status);
  else expect(gone).toMatchObject({ status: 404, json: { reason: "NotFound" } });
  await expectStatus(200, api.delete(`${collection}?labelSelector=${label}`));
  const rest = await expectStatus(200, api.get(`${collection}?labelSelector=${label}`));
  const alive = (rest.items ?? []).filter((each: Json) => each.metadata.deletionTimestamp === undefined);
  expect(alive).toEqual([]);
}

async function expectDiscovered(api: ConformanceClient, { version, resource, status }: ApiOperations): Promise<void> {
  const [group = "", name = ""] = version.replace("/apis/", "").split("/");
  const groups = await expectStatus(200, api.get("/apis", { accept: "application/json" }));
  const found = groups.groups.find((each: Json) => each.name === group);
  expect(found?.versions.map((each: Json) => each.version)).toContain(name);
  const one = await expectStatus(200, api.get(`/apis/${group}`, { accept: "application/json" }));
  expect(one.versions.map((each: Json) => each.version)).toContain(name);
  const { resources } = await expectStatus(200, api.get(version, { accept: "application/json" }));
  const served = resources.map((each: Json) => each.name);
  expect(served).toContain(resource);
  if (status !== undefined) expect(served).toContain(`${resource}/status`);
}

async function expectStatusServed(
  api: ConformanceClient,
  path: string,
  status: NonNullable<ApiOperations["status"]>,
): Promise<void> {
  const patched = await expectStatus(
    200,
    api.patch(`${path}/status`, { metadata: { annotations: { patchedstatus: "true" } }, status: status.patch }),
  );
  expect(patched.status).toMatchObject(status.patch);
  expect(patched.metadata.annotations).toMatchObject({ patchedstatus: "true" });
  const body = await expectStatus(200, api.get(`${path}/status`));
  status.update(body);
  const updated = await expectStatus(200, api.put(`${path}/status`, body));
  expect(status.shows(updated)).toEqual(status.shows(body));
  expect(status.shows(await expectStatus(200, api.get(`${path}/status`)))).toEqual(status.shows(body));
}
