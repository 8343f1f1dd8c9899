import { type ApiObject, builtInKinds, pods } from "@kintsugi/api";
import type { HandlerRequest, HandlerResponse } from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import type { StartState } from "@kintsugi/rehearsal";
import { MemoryStore } from "@kintsugi/store/simulated";
import { expect, test } from "vitest";
import { sharedLists } from "./shared-lists.ts";
import { withoutUnreadServices } from "./unread-services.ts";
import { startEntries } from "../start-entries.ts";

const podKind = builtInKinds.find(({ type }) => type === pods);

function aStart(): StartState {
  if (podKind === undefined) throw new Error("there is no kind of Pods");
  const metadata = {
    name: "web",
    namespace: "default",
    managedFields: [{ manager: "m", operation: "Update" as const }],
  };
  const object = { apiVersion: "v1", kind: "Pod", metadata } as ApiObject;
  return { objects: [{ kind: podKind, object }] } as unknown as StartState;
}

function aRequest(path: string, accept = "application/json"): HandlerRequest {
  const { signal } = new AbortController();
  return { method: "GET", path, headers: { accept }, identity: { name: "somebody", groups: [] }, signal };
}

const fromServer: HandlerResponse = { status: 200, headers: {}, body: Buffer.from("{}") };
const server = { handle: () => Promise.resolve(fromServer) };

function aRun(start: StartState, isServing = true) {
  const deps = { clock: new VirtualClock(), random: new SeededRandom(1) };
  const store = new MemoryStore({ ...deps, entries: startEntries(start) });
  return sharedLists({ server, store, start, isServing: () => isServing });
}

function itemsOf({ parsed }: HandlerResponse): readonly ApiObject[] {
  return (parsed as { items: readonly ApiObject[] }).items;
}

test("the runs of one start share its objects, with a status and without managed fields", async () => {
  const start = aStart();
  const lists = [aRun(start), aRun(start)];
  const [first, second] = await Promise.all(lists.map((each) => each.handle(aRequest("/api/v1/pods?limit=500"))));
  const [pod] = itemsOf(first ?? fromServer);
  expect(pod).toMatchObject({ kind: "Pod", metadata: { name: "web" }, status: {} });
  expect(pod?.metadata.managedFields).toBeUndefined();
  expect(itemsOf(second ?? fromServer)[0]).toBe(pod);
});

test.each([
  "/api/v1/pods/web",
  "/api/v1/namespaces/default/pods?limit=500",
  "/api/v1/pods?fieldSelector=spec.nodeName%3Da&limit=500",
  "/api/v1/pods?limit=500&continue=abc",
  "/api/v1/pods?watch=true",
  "/api/v2/pods?limit=500",
])("%s is answered by the server", async (path) => {
  expect(await aRun(aStart()).handle(aRequest(path))).toBe(fromServer);
});

test("the server answers other forms, and all requests while it does not serve", async () => {
  const start = aStart();
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  expect(await aRun(start).handle(aRequest("/api/v1/pods?limit=500", table))).toBe(fromServer);
  expect(await aRun(start, false).handle(aRequest("/api/v1/pods?limit=500"))).toBe(fromServer);
});

test("a kubelet's list of Services is empty, and other requests reach the server", async () => {
  const handler = withoutUnreadServices(server, () => 7);
  const { body } = await handler.handle(aRequest("/api/v1/services?limit=500"));
  expect(JSON.parse(Buffer.from(body as Uint8Array).toString())).toMatchObject({
    metadata: { resourceVersion: "7" },
    items: [],
  });
  expect(await handler.handle(aRequest("/api/v1/services?watch=true&resourceVersion=7"))).toBe(fromServer);
  expect(await handler.handle(aRequest("/api/v1/namespaces/default/services/web"))).toBe(fromServer);
});
