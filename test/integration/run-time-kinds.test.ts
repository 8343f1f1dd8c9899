import {
  apiServices,
  configMaps,
  defineKind,
  type Kind,
  namespaces,
  ObjectMeta,
  type ResourceType,
  schemaFields,
  schemaTypes,
} from "@kintsugi/api";

import { createControllerManager } from "@kintsugi/controller-manager/factory";
import { describe, expect, test } from "vitest";
import { startApiInMemory } from "../support/servers/api-in-memory.ts";

const second = 1000;
const type: ResourceType = {
  group: "example.com",
  version: "v1",
  resource: "widgets",
  singular: "widget",
  kind: "Widget",
  namespaced: true,
  shortNames: [],
  categories: [],
};

/** A kind that is not built in. */
function widgetKind(): Kind {
  const { always, field, kind } = schemaFields;
  const schema = kind("com.example.v1.Widget", "A kind that is data.", () => ({
    metadata: always(undefined, ObjectMeta),
    spec: field(undefined, schemaTypes.anyObject),
  }));
  return defineKind({ type, schema, exceptions: { schemaIsData: true } });
}

describe("the controllers, of a kind that is added while they run", () => {
  test("collect the dependents of its removed object, and its objects when their owner no longer exists", async () => {
    await using cluster = await startCluster();
    cluster.kinds.add(widgetKind());
    const owner = await cluster.create("owner");
    await cluster.settings("owned", owner);
    await cluster.clock.advance(60 * second);
    expect(await cluster.names(configMaps)).toContain("owned");
    await cluster.client.delete(type, { namespace: "default", name: "owner" });
    await cluster.clock.advance(10 * second);
    expect(await cluster.names(configMaps)).not.toContain("owned");

    const settings = await cluster.settings("settings");
    await cluster.create("owned", settings);
    await cluster.clock.advance(10 * second);
    expect(await cluster.names(type)).toEqual(["owned"]);
    await cluster.client.delete(configMaps, { namespace: "default", name: "settings" });
    await cluster.clock.advance(10 * second);
    expect(await cluster.names(type)).toEqual([]);
  });

  test("collect dependents of a missing object of that kind only once the kind is served", async () => {
    await using cluster = await startCluster();
    const owner = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "none", uid: "gone" } };
    await cluster.settings("owned", owner);
    await cluster.clock.advance(120 * second);
    expect(await cluster.names(configMaps)).toContain("owned");
    cluster.kinds.add(widgetKind());
    await cluster.clock.advance(40 * second);
    expect(await cluster.names(configMaps)).not.toContain("owned");
  });

  test("keep the dependents of its objects when the kind is removed, and collect them again when it is served again", async () => {
    await using cluster = await startCluster();
    cluster.kinds.add(widgetKind());
    const owner = await cluster.create("owner");
    await cluster.settings("owned", owner);
    await cluster.clock.advance(60 * second);
    cluster.kinds.remove(type);
    await cluster.clock.advance(120 * second);
    expect(await cluster.names(configMaps)).toContain("owned");
    cluster.kinds.add(widgetKind());
    await cluster.clock.advance(60 * second);
    expect([await cluster.names(type), await cluster.names(configMaps)]).toEqual([["owner"], ["owned"]]);
    await cluster.client.delete(type, { namespace: "default", name: "owner" });
    await cluster.clock.advance(10 * second);
    expect(await cluster.names(configMaps)).toEqual([]);
  });

  test("empty a namespace of its objects", async () => {
    await using cluster = await startCluster();
    await cluster.client.create(namespaces, { metadata: { name: "room" } });
    cluster.kinds.add(widgetKind());
    await cluster.create("a", undefined, "room");
    await cluster.client.delete(namespaces, { namespace: "", name: "room" });
    await cluster.clock.advance(30 * second);
    expect(await cluster.client.find(namespaces, { namespace: "", name: "room" })).toBeUndefined();
    expect(cluster.store.list("example.com/widgets/").entries).toEqual([]);
  });

  test("empty a namespace while another group's server is down, and finalize it once that group is known", async () => {
    await using cluster = await startCluster();
    await cluster.client.create(apiServices, {
      metadata: { name: "v1.away.example.com" },
      spec: {
        group: "away.example.com",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 10,
        service: { namespace: "default", name: "none", port: 443 },
        insecureSkipTLSVerify: true,
      },
    });
    await cluster.client.create(namespaces, { metadata: { name: "room" } });
    cluster.kinds.add(widgetKind());
    await cluster.create("a", undefined, "room");
    await cluster.clock.advance(60 * second);
    await cluster.client.delete(namespaces, { namespace: "", name: "room" });
    await cluster.clock.advance(60 * second);
    expect(cluster.store.list("example.com/widgets/").entries).toEqual([]);
    expect((await cluster.client.find(namespaces, { namespace: "", name: "room" }))?.status?.phase).toBe("Terminating");
    await cluster.client.delete(apiServices, { namespace: "", name: "v1.away.example.com" });
    await cluster.clock.advance(120 * second);
    expect(await cluster.client.find(namespaces, { namespace: "", name: "room" })).toBeUndefined();
  });
});

interface Owner {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: { name?: string | undefined; uid?: string | undefined };
}

async function startCluster() {
  const { clock, random, log, metrics, store, server, stop, serving, clientOf } = await startApiInMemory();
  const client = clientOf("admin", ["system:masters"]);
  const manager = createControllerManager(
    { client: clientOf("system:kube-controller-manager"), clock, random, log, metrics },
    {},
  );
  const managing = manager.run(stop.signal);
  await clock.advance(second);
  const metadataOf = (name: string, owner: Owner | undefined, namespace = "default") => {
    const { apiVersion = "", kind = "", metadata } = owner ?? { metadata: {} };
    const reference = { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "" };
    return { name, namespace, ...(owner === undefined ? {} : { ownerReferences: [reference] }) };
  };
  return {
    clock,
    client,
    store,
    kinds: server.kinds,
    create: (name: string, owner?: Owner, namespace?: string) =>
      client.create(type, {
        apiVersion: "example.com/v1",
        kind: "Widget",
        metadata: metadataOf(name, owner, namespace),
      }),
    settings: (name: string, owner?: Owner) => client.create(configMaps, { metadata: metadataOf(name, owner) }),
    names: async (of: ResourceType) => {
      const { items } = await client.list(of, { namespace: "default", metadataOnly: true });
      return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the test is over"));
      await clock.settle();
      await Promise.all([serving, managing]);
    },
  };
}
