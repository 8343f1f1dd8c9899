import { VirtualClock } from "@kintsugi/clock/simulated";
import type { CommittedChange } from "@kintsugi/store";
import { describe, expect, test } from "vitest";
import type { FieldRoute, Selection } from "../request/selection.ts";
import type { Resource } from "../resources/resource.ts";
import type { EventEncoder } from "./event-encoder.ts";
import { WatchHub } from "./hub.ts";
import { type DeliveryTurns, wokenPerTurn } from "./delivery-turns.ts";
import { pendingBytesMax } from "./frame-queue.ts";
import { Watcher } from "./watcher.ts";

const resource = "core/pods";
const stored = { storeName: resource } as Resource;
const onNode: FieldRoute = { field: "spec.nodeName", value: "n1" };
const bytes = (text: string) => new TextEncoder().encode(text);

/** Frames that contain their revision. */
const encoder = {
  event: (type: string, { revision }: { revision: number }) => bytes(`${type} ${revision}\n`),
  left: (_: unknown, revision: number) => bytes(`LEFT ${revision}\n`),
} as unknown as EventEncoder;

function aWatcher(route?: FieldRoute, onEnd: () => void = () => {}, turns?: DeliveryTurns): Watcher {
  const selection: Selection = { prefix: `${resource}/`, route, narrowed: false, matches: () => true };
  return new Watcher({ resource: stored, selection, encoder, initial: undefined, onEnd, turns });
}

function aChange(revision: number): CommittedChange {
  const index = { uid: "u", fields: { "spec.nodeName": "n1" } };
  const entry = { key: `${resource}/default/web`, revision, value: bytes("{}"), index };
  return { revision, resource, previousOfResource: revision - 1, type: "put", entry, before: undefined };
}

/** A hub whose store is simulated by the test. */
function aHub(clock = new VirtualClock()) {
  const hub = new WatchHub({ clock });
  let commit: (changes: readonly CommittedChange[]) => void = () => {};
  hub.follow({ subscribe: (listener) => ((commit = listener), () => {}) });
  return { hub, commit: (...revisions: number[]) => commit(revisions.map(aChange)) };
}

async function firstChunk(watcher: Watcher): Promise<string> {
  for await (const chunk of watcher) return new TextDecoder().decode(chunk);
  return "";
}

describe("the hub of watches", () => {
  test("delivers in revision order, to watches of all and of one node, until they are removed", async () => {
    const { hub, commit } = aHub();
    const [all, ofNode, removed] = [aWatcher(), aWatcher(onNode), aWatcher()];
    for (const watcher of [all, ofNode, removed]) hub.add(resource, watcher);
    hub.remove(resource, removed);
    hub.remove(resource, removed);
    expect(hub.size()).toBe(2);
    commit(3, 4);
    commit(7);
    expect(await firstChunk(all)).toBe("ADDED 3\nADDED 4\nADDED 7\n");
    expect(await firstChunk(ofNode)).toBe("ADDED 3\nADDED 4\nADDED 7\n");
    removed.end();
    expect(await firstChunk(removed)).toBe("");
  });

  test.each([
    ["twice", [5, 5]],
    ["after a later one", [5, 4]],
  ])("a change that is delivered %s is a programming error", (_, revisions) => {
    const { commit } = aHub();
    expect(() => commit(...revisions)).toThrow(`revision ${revisions[1]} is delivered after 5`);
  });

  test.each([["of all", undefined] as const, ["of one node", onNode] as const])(
    "a watch %s that is begun twice, or after its end, is a programming error",
    (_, route) => {
      const { hub } = aHub();
      const watcher = aWatcher(route);
      hub.add(resource, watcher);
      expect(() => hub.add(resource, watcher)).toThrow("a watch is begun once");
      const ended = aWatcher(route);
      ended.end();
      expect(() => hub.add(resource, ended)).toThrow("a watch that has ended is not begun again");
      expect(hub.size()).toBe(1);
    },
  );
});

describe("a delivery to many watches", () => {
  test("wakes a few readers in a turn, and gives other readers a shared chunk of all later events", async () => {
    const clock = new VirtualClock();
    const { hub, commit } = aHub(clock);
    const pieces: Uint8Array[][] = [];
    const readings = Array.from({ length: 3 * wokenPerTurn }, async (_, i) => {
      const watcher = aWatcher(undefined, () => {}, hub.turns);
      hub.add(resource, watcher);
      pieces[i] = [];
      for await (const piece of watcher) pieces[i].push(piece);
    });
    const readers = () => pieces.filter((each) => each.length > 0).length;
    const textOf = (i: number) => pieces[i]?.map((piece) => new TextDecoder().decode(piece));
    await clock.settle();
    commit(1);
    await clock.settle();
    expect(readers()).toBe(wokenPerTurn);
    commit(2, 3);
    await clock.settle();
    expect(readers()).toBe(wokenPerTurn);
    await clock.advance(0);
    expect(readers()).toBe(3 * wokenPerTurn);
    expect(textOf(0)).toEqual(["ADDED 1\n", "ADDED 2\nADDED 3\n"]);
    expect(textOf(2 * wokenPerTurn)).toEqual(["ADDED 1\nADDED 2\nADDED 3\n"]);
    expect(pieces[3 * wokenPerTurn - 1]?.[0]).toBe(pieces[2 * wokenPerTurn]?.[0]);
    hub.close();
    await Promise.all(readings);
  });

  test("still delivers the events that waited for their turn after its end", async () => {
    const clock = new VirtualClock();
    const { hub, commit } = aHub(clock);
    const texts: string[] = [];
    const readings = Array.from({ length: wokenPerTurn + 1 }, async () => {
      const watcher = aWatcher(undefined, () => {}, hub.turns);
      hub.add(resource, watcher);
      for await (const piece of watcher) texts.push(new TextDecoder().decode(piece));
    });
    await clock.settle();
    commit(1);
    hub.close();
    await clock.advance(0);
    await Promise.all(readings);
    expect(texts).toEqual(Array.from({ length: wokenPerTurn + 1 }, () => "ADDED 1\n"));
  });
});

describe("a watch", () => {
  test("that has two readers is a programming error", async () => {
    const watcher = aWatcher();
    watcher.push(bytes("one\n"));
    expect(await firstChunk(watcher)).toBe("one\n");
    await expect(firstChunk(watcher)).rejects.toThrow("a watch has one reader");
  });

  test("whose reader is too slow ends, and its waiting events are dropped", async () => {
    let ends = 0;
    const watcher = aWatcher(undefined, () => ends++);
    watcher.push(new Uint8Array(pendingBytesMax));
    watcher.push(bytes("one more\n"));
    expect([watcher.ended, ends]).toEqual([true, 1]);
    expect(await firstChunk(watcher)).toBe("");
  });
});
