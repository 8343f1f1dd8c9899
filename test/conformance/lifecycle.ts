import { expect } from "vitest";
import { type ConformanceClient, expectStatus, type Json } from "./conformance-cluster.ts";

/** One kind, as upstream's tests "should run through the lifecycle of …" use it. */
export interface LifecycleSubject {
  /** "/apis/storage.k8s.io/v1/storageclasses", or with a namespace. */
  readonly collection: string;
  readonly template: () => Json;
  readonly nameOf?: (index: number) => string;
  /** Changes the object that an update writes back. */
  readonly change?: (object: Json) => void;
  /** Inspects the object that the update returned. */
  readonly isChanged?: (object: Json) => unknown;
}

/**
 * Creates, reads, patches, lists by label, replaces, deletes, and deletes the rest as a collection,
 * and checks the result of each step.
 */
export async function runThroughLifecycle(api: ConformanceClient, lifecycle: LifecycleSubject): Promise<void> {
  const { collection, template, change, isChanged } = lifecycle;
  const nameOf = lifecycle.nameOf ?? ((index: number) => `e2e-${api.encoding}-${index}`);
  const create = (index: number) => {
    const object = template();
    return expectStatus(
      201,
      api.post(collection, { ...object, metadata: { ...object.metadata, name: nameOf(index) } }),
    );
  };
  const created = await create(1);
  const path = `${collection}/${nameOf(1)}`;
  expect((await expectStatus(200, api.get(path))).metadata.uid).toBe(created.metadata.uid);

  const label = `e2e-${api.encoding}`;
  const patched = await expectStatus(200, api.patch(path, { metadata: { labels: { [label]: "patched" } } }));
  expect(patched.metadata.labels).toMatchObject({ [label]: "patched" });
  const listed = await expectStatus(200, api.get(`${collection}?labelSelector=${label}%3Dpatched`));
  expect(listed.items.map((each: Json) => each.metadata.name)).toEqual([nameOf(1)]);

  const body = await expectStatus(200, api.get(path));
  body.metadata.labels[label] = "updated";
  change?.(body);
  const updated = await expectStatus(200, api.put(path, body));
  expect(updated.metadata.labels).toMatchObject({ [label]: "updated" });
  if (isChanged !== undefined) expect(isChanged(updated)).toBe(true);
  // An update of an older state is a conflict.
  expect(await api.put(path, body)).toMatchObject({ status: 409, json: { reason: "Conflict" } });

  await expectStatus(200, api.delete(path));
  expect(await api.get(path)).toMatchObject({ status: 404, json: { reason: "NotFound" } });

  await create(2);
  await expectStatus(200, api.patch(`${collection}/${nameOf(2)}`, { metadata: { labels: { [label]: "second" } } }));
  await expectStatus(200, api.delete(`${collection}?labelSelector=${label}%3Dsecond`));
  const rest = await expectStatus(200, api.get(`${collection}?labelSelector=${label}%3Dsecond`));
  expect(rest.items ?? []).toEqual([]);
}
