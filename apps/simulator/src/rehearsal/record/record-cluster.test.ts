import { ApiError } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { applyRecord, listPathOf, readDocuments, type RehearsedKind } from "@kintsugi/rehearsal";
import { expect, test } from "vitest";
import type { ClusterReader, WatchedChange } from "../sources/cluster-reader.ts";
import { recordCluster } from "./record-cluster.ts";

const pod = (name: string, ready: boolean, rest: object = {}, revision = "1") => ({
  metadata: { name, namespace: "shop", uid: `uid-of-${name}`, resourceVersion: revision, ...rest },
  spec: { nodeName: "a", containers: [{ name: "c", image: "i", env: [{ name: "A", value: "hidden" }] }] },
  status: { conditions: [{ type: "Ready", status: ready ? "True" : "False", lastProbeTime: revision }] },
});

/** A cluster of some pods, whose watches of pods respond one after the other as planned. */
function clusterOf(pods: object[][], streams: (WatchedChange | Error)[][]) {
  const watched: string[] = [];
  const paths: string[] = [];
  let lists = 0;
  const reader: ClusterReader = {
    name: "context test",
    get: (path) => {
      paths.push(path);
      const isPods = path.startsWith("/api/v1/pods?");
      const items = isPods ? (pods[lists++] ?? []) : [];
      return Promise.resolve({ items, metadata: { resourceVersion: String(10 * (isPods ? lists : 1)) } });
    },
    async *watch(kind: RehearsedKind, revision: string, signal: AbortSignal) {
      if (listPathOf(kind) !== "/api/v1/pods") {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        return;
      }
      watched.push(revision);
      for (const change of streams.shift() ?? [new ApiError("Forbidden", "no")]) {
        if (change instanceof Error) throw change;
        yield change;
      }
    },
    close: () => Promise.resolve(),
  };
  return { reader, watched, paths };
}

async function recordOf(pods: object[][], streams: (WatchedChange | Error)[][]) {
  const { reader, watched, paths } = clusterOf(pods, streams);
  const [said, pieces] = [[] as string[], [] as string[]];
  const clock = new VirtualClock();
  const stop = new AbortController();
  const deps = {
    reader,
    clock,
    write: (text: string) => void pieces.push(text),
    say: (line: string) => void said.push(line),
  };
  const recorded = recordCluster(deps, { signal: stop.signal });
  await clock.advance(120_000);
  stop.abort();
  const changes = await recorded;
  return { changes, text: pieces.join(""), said, watched, paths };
}

test("a record is the lists and then each change, without heartbeats, and is read as a single source", async () => {
  const gone = pod("b", true, { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 }, "12");
  const { text, changes, watched, said, paths } = await recordOf(
    [[pod("a", true), pod("b", true)]],
    [
      [
        { type: "MODIFIED", object: pod("a", true, {}, "11") },
        { type: "MODIFIED", object: gone },
        { type: "DELETED", object: { ...gone, metadata: { ...gone.metadata, resourceVersion: "13" } } },
        { type: "BOOKMARK", object: { metadata: { resourceVersion: "20" } } },
      ],
    ],
  );
  expect(changes).toBe(2);
  expect(text).not.toContain("hidden");
  // The stream is resumed from the bookmark after its end; then the permission is missing.
  expect(watched).toEqual(["10", "20"]);
  expect(said.at(-1)).toMatch(/pods: you may not watch these objects.*verbs \["watch"\]/);
  expect(paths.some((path) => /secrets|configmaps/.test(path))).toBe(false);
  const { objects, observed = [] } = readDocuments(text, "record.json");
  const { objects: last, past } = applyRecord(objects, observed);
  expect(last.filter(({ kind }) => kind === "Pod").map(({ metadata }) => (metadata as { name: string }).name)).toEqual([
    "a",
  ]);
  expect(past.stops).toHaveLength(1);
});

test("changes that the server has compacted are found by a new list", async () => {
  const { text, watched } = await recordOf(
    [[pod("a", false), pod("b", true)], [pod("a", true, {}, "15")]],
    [[new ApiError("Expired", "too old")], []],
  );
  expect(watched.slice(0, 2)).toEqual(["10", "20"]);
  const { observed = [] } = readDocuments(text, "record.json");
  expect(observed.map(({ is, object }) => [is, (object["metadata"] as { name: string }).name])).toEqual([
    ["put", "a"],
    ["removed", "b"],
  ]);
});

test("a record ends before it would be too large to be read", async () => {
  const { reader } = clusterOf([[pod("a", true)]], []);
  const said: string[] = [];
  const deps = { reader, clock: new VirtualClock(), write: () => {}, say: (line: string) => void said.push(line) };
  await recordCluster(deps, { signal: new AbortController().signal, bytesMax: 100 });
  expect(said.join()).toMatch(/the record reached .* MiB and ends here/);
});

test("a record whose time ends before the lists are read has the lists anyway", async () => {
  const { reader } = clusterOf([[pod("a", true)]], []);
  const pieces: string[] = [];
  const deps = { reader, clock: new VirtualClock(), write: (text: string) => void pieces.push(text), say: () => {} };
  expect(await recordCluster(deps, { signal: AbortSignal.abort() })).toBe(0);
  expect(readDocuments(pieces.join(""), "record.json").objects).toHaveLength(1);
});
