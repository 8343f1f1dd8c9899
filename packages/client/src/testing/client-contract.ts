import { ConfigMap, configMaps, isApiError, keyOf } from "@kintsugi/api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Client, WatchEvent } from "../client.ts";

/**
 * A client of a running server in which the namespace "default" exists and other tests do not write
 * ConfigMaps there.
 */
export interface ClientContractSubject {
  client: Client;
  /** Makes the server drop its history, if the server supports that. */
  compact?: () => Promise<void>;
  dispose(): Promise<void>;
}

/** The contract of every client, regardless of its transport. */
export function describeClientContract(name: string, open: () => Promise<ClientContractSubject>): void {
  describe(`${name} keeps the client contract`, () => {
    let subject: ClientContractSubject;
    let client: Client;
    beforeEach(async () => {
      subject = await open();
      client = subject.client;
    });
    afterEach(() => subject.dispose());

    const createSettings = (name: string, labels: Record<string, string> = {}) =>
      client.create(configMaps, aConfigMap(name, labels));

    test("a created object has an identity and a revision, and is read back as it was returned", async () => {
      const created = await createSettings("settings");
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { colour: "blue" } });
      expect(created.metadata.uid).toBeTruthy();
      expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0);
      expect(await client.get(configMaps, keyOf(created))).toEqual(created);
    });

    test("a missing object is rejected as NotFound, or found as undefined", async () => {
      const key = { namespace: "default", name: "nobody" };
      const error = await client.get(configMaps, key).catch((thrown: unknown) => thrown);
      expect(isApiError(error, "NotFound") && error.code).toBe(404);
      expect(await client.find(configMaps, key)).toBeUndefined();
      await expectRefusal(client.delete(configMaps, key), "NotFound");
    });

    test("a name is assigned once", async () => {
      await createSettings("settings");
      await expectRefusal(createSettings("settings"), "AlreadyExists");
    });

    test("one of two updates of the same revision is rejected", async () => {
      const created = await createSettings("settings");
      const updated = await client.update(configMaps, { ...created, data: { colour: "red" } });
      expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
      await expectRefusal(client.update(configMaps, { ...created, data: { colour: "green" } }), "Conflict");
      expect((await client.get(configMaps, keyOf(created))).data).toEqual({ colour: "red" });
    });

    test("a merge patch changes the named fields and removes fields that it sets to null", async () => {
      const created = await createSettings("settings");
      const body = { data: { size: "large", colour: null } };
      const patched = await client.patch(configMaps, keyOf(created), { type: "merge", body });
      expect(patched.data).toEqual({ size: "large" });
    });

    test("a delete with another object's precondition is rejected, and a delete with this object's precondition succeeds", async () => {
      const created = await createSettings("settings");
      const wrong = { preconditions: { uid: "00000000-0000-4000-8000-000000000000" } };
      await expectRefusal(client.delete(configMaps, keyOf(created), wrong), "Conflict");
      await client.delete(configMaps, keyOf(created), { preconditions: { uid: created.metadata.uid ?? "" } });
      expect(await client.find(configMaps, keyOf(created))).toBeUndefined();
    });

    test("a dry run writes nothing", async () => {
      const created = await client.create(configMaps, aConfigMap("settings"), { dryRun: true });
      expect(created.metadata.name).toBe("settings");
      expect(await client.find(configMaps, { namespace: "default", name: "settings" })).toBeUndefined();
    });

    test("a list in pages returns every object once, each with its kind", async () => {
      const names = ["a", "b", "c", "d", "e", "f", "g"].map((letter) => `page-${letter}`);
      for (const name of names) await createSettings(name, { list: "pages" });
      const list = await client.list(configMaps, { namespace: "default", labelSelector: "list=pages", pageLimit: 3 });
      expect(list.items.map((item) => item.metadata.name)).toEqual(names);
      expect(list.items.every((item) => item.kind === "ConfigMap" && item.apiVersion === "v1")).toBe(true);
      const newest = Math.max(...list.items.map((item) => Number(item.metadata.resourceVersion)));
      expect(Number(list.resourceVersion)).toBeGreaterThanOrEqual(newest);
    });

    test("a list is filtered by labels and by name", async () => {
      await createSettings("one", { tier: "front" });
      await createSettings("two", { tier: "back" });
      const byLabel = await client.list(configMaps, { namespace: "default", labelSelector: "tier=back" });
      const byName = await client.list(configMaps, { namespace: "default", fieldSelector: "metadata.name=one" });
      expect(byLabel.items.map((item) => item.metadata.name)).toEqual(["two"]);
      expect(byName.items.map((item) => item.metadata.name)).toEqual(["one"]);
    });

    test("a watch reports every change after its revision, in order", async () => {
      const { resourceVersion } = await client.list(configMaps, { namespace: "default" });
      const created = await createSettings("settings");
      const updated = await client.update(configMaps, { ...created, data: { colour: "red" } });
      const stop = new AbortController();
      const watched = collect(
        client.watch(configMaps, { namespace: "default", resourceVersion, signal: stop.signal }),
        3,
      );
      await client.delete(configMaps, keyOf(created));
      const events = await watched;
      stop.abort();
      expect(events.map((event) => event.type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
      expect(events.slice(0, 2).map((event) => "object" in event && event.object)).toEqual([created, updated]);
    });

    test("a list and a watch of metadata return each object under its own kind", async () => {
      const { resourceVersion } = await client.list(configMaps, { namespace: "default" });
      const created = await createSettings("settings", { list: "partial" });
      const { apiVersion, kind, metadata } = created;
      const partial = { apiVersion, kind, metadata };
      const options = { namespace: "default", labelSelector: "list=partial", metadataOnly: true };
      expect((await client.list(configMaps, options)).items).toEqual([partial]);
      const stop = new AbortController();
      const [event] = await collect(client.watch(configMaps, { ...options, resourceVersion, signal: stop.signal }), 1);
      stop.abort();
      expect(event).toEqual({ type: "ADDED", object: partial });
    });

    test("a watch with bookmarks reports its position as soon as it has caught up", async () => {
      const created = await createSettings("settings");
      const stop = new AbortController();
      const [event] = await collect(
        client.watch(configMaps, {
          namespace: "default",
          resourceVersion: created.metadata.resourceVersion ?? "",
          bookmarks: true,
          signal: stop.signal,
        }),
        1,
      );
      stop.abort();
      expect(event?.type).toBe("BOOKMARK");
    });

    test("an aborted watch ends without an error", async () => {
      const stop = new AbortController();
      const { resourceVersion } = await client.list(configMaps, { namespace: "default" });
      const watched = collect(client.watch(configMaps, { resourceVersion, signal: stop.signal }), 1);
      stop.abort();
      expect(await watched).toEqual([]);
    });

    test("a watch from compacted history is rejected as Expired", async ({ skip }) => {
      if (subject.compact === undefined) return skip("this server cannot be told to forget");
      const created = await createSettings("settings");
      await client.update(configMaps, { ...created, data: { colour: "red" } });
      await subject.compact();
      const resourceVersion = created.metadata.resourceVersion ?? "";
      const watch = client.watch(configMaps, { resourceVersion, signal: AbortSignal.timeout(10_000) });
      await expectRefusal(collect(watch, 1), "Expired");
    });

    test("an aborted call rejects with the caller's reason", async () => {
      const reason = new Error("changed my mind");
      const call = client.get(configMaps, { namespace: "default", name: "x" }, { signal: AbortSignal.abort(reason) });
      await expect(call).rejects.toBe(reason);
    });

    test("a response that is not JSON is returned as text", async () => {
      expect(await client.call({ method: "GET", path: "/readyz" })).toBe("ok");
    });
  });
}

function aConfigMap(name: string, labels: Record<string, string> = {}): ConfigMap {
  return ConfigMap.parse({ metadata: { name, namespace: "default", labels }, data: { colour: "blue" } });
}

async function expectRefusal(call: Promise<unknown>, reason: string): Promise<void> {
  await expect(call).rejects.toMatchObject({ name: "ApiError", reason });
}

async function collect<T>(events: AsyncIterable<WatchEvent<T>>, count: number): Promise<WatchEvent<T>[]> {
  const collected: WatchEvent<T>[] = [];
  for await (const event of events) {
    collected.push(event);
    if (collected.length === count) break;
  }
  return collected;
}
