import { SeededRandom } from "@kintsugi/clock/simulated";
import { keptDefault } from "@kintsugi/simulation";
import { Load, VirtualCluster, type VirtualClusterOptions } from "@kintsugi/simulator/factory";
import { type CommittedChange, RevisionExpired, type Store } from "@kintsugi/store";
import { describe, expect, test } from "vitest";

interface RunRequest {
  options?: VirtualClusterOptions;
  operationsPerSecond?: number;
  durationMs?: number;
  /** Changes the server before any client uses it. */
  plant?: (server: Planted) => void;
  /** Runs while clients use the server. */
  meanwhile?: (cluster: VirtualCluster) => void;
}

interface Planted {
  server: VirtualCluster["server"];
  /** The store that every process of the server has open. */
  store: Store;
}

const minute = 60_000;

/** A minute in the run of a cluster of one node that clients use. */
async function live({
  options,
  operationsPerSecond = 10,
  durationMs = minute,
  plant,
  meanwhile,
}: RunRequest): Promise<Load> {
  // A bug in the store has to outlive the process.
  const disk = plant ? { disk: false as const } : {};
  await using cluster = new VirtualCluster({
    nodes: 1,
    profile: "fast",
    latencyMaxMs: 40,
    seed: 3,
    ...disk,
    ...options,
  });
  const { clock, store } = cluster;
  const load = new Load(
    { clock, store, random: new SeededRandom(5), connect: (from) => cluster.connectUser(from) },
    { operationsPerSecond, kept: options?.kept ?? keptDefault },
  );
  await cluster.start();
  const { server } = cluster;
  if (server.store) plant?.({ server, store: server.store });
  await cluster.during(server.ready);
  await cluster.during(load.begin(cluster.client));
  meanwhile?.(cluster);
  await cluster.advance(durationMs);
  await load.end(cluster.client, (ms) => cluster.advance(ms));
  return load;
}

describe("clients of a cluster", () => {
  test("receive only responses that a correct server could return, and receive many responses", async () => {
    const load = await live({});
    expect(load.violations()).toEqual([]);
    expect(load.error).toBeUndefined();
    const { acknowledged, refused, lists, watches, watchEvents } = load.result();
    expect(acknowledged).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(100);
    expect(lists).toBeGreaterThan(20);
    expect(watches).toBeGreaterThan(10);
    expect(watchEvents).toBeGreaterThan(200);
    expect(load.tooLittle(minute)).toBeUndefined();
    const { calls, lists: pages } = load.journal.history();
    const outcomes = new Set(
      calls.map(({ verb, outcome: { is, ...rest } }) => `${verb} ${"status" in rest ? rest.status : is}`),
    );
    for (const outcome of [
      "create ok",
      "create 409",
      "update ok",
      "update 404",
      "update 409",
      "patch ok",
      "delete ok",
      "delete 409",
    ])
      expect(outcomes).toContain(outcome);
    expect(pages.some((list) => list.pages.length > 2)).toBe(true);
  });

  test("do not learn the outcome of writes when the api-server is killed, and do not lose an acknowledged write", async () => {
    const load = await live({
      meanwhile: ({ clock, server }) => {
        for (let atMs = 3000; atMs < minute; atMs += 3000) {
          clock.after(atMs, () => server.process.kill());
          clock.after(atMs + 700, () => server.process.start());
        }
      },
    });
    expect(load.violations()).toEqual([]);
    expect(load.result().unknown).toBeGreaterThan(10);
  });

  test("are rejected with 410 for a compacted revision, and with 504 for a future revision", async () => {
    const load = await live({ options: { kept: { eventsMin: 10, durationMs: 1000 } } });
    expect(load.violations()).toEqual([]);
    const { watches, lists } = load.journal.history();
    expect(watches.map(({ end }) => end)).toEqual(expect.arrayContaining(["closed", "expired", "ahead"]));
    expect(lists.some(({ outcome }) => outcome.is === "refused" && outcome.status === 410)).toBe(true);
  });

  test("that cannot reach a server do not cause load", async () => {
    const load = await live({ meanwhile: ({ server }) => server.process.kill() });
    expect(load.tooLittle(minute)).toMatch(/^only \d+ calls were acknowledged, and 60 are required$/);
  });

  test("behave equally in two runs of one seed", async () => {
    const [one, other] = [await live({}), await live({})];
    expect(one.journal.history()).toEqual(other.journal.history());
  });
});

/** Returns a function that is true at every n-th call. */
function every(count: number): () => boolean {
  let calls = 0;
  return () => ++calls % count === 0;
}

const isLoad = (key: string) => key.startsWith("core/configmaps/load/");

/**
 * Bugs of a store or server, each planted and enabled only here, with the check that has to find
 * it.
 */
const planted: readonly [string, string, (planted: Planted) => void][] = [
  [
    "a read that is sometimes late",
    "calls-are-linearizable",
    ({ store }) => {
      const find = store.find.bind(store);
      const old = new Map<string, ReturnType<Store["find"]>>();
      const isNow = every(5);
      store.find = (key) => {
        const entry = find(key);
        const before = old.get(key);
        if (isLoad(key)) old.set(key, entry);
        return isLoad(key) && isNow() ? before : entry;
      };
    },
  ],
  [
    "an acknowledged write that is missing",
    "writes-are-durable",
    ({ store }) => {
      const update = store.update.bind(store);
      const isNow = every(10);
      const reader = {
        find: (key: string) => store.find(key),
        count: (prefix: string) => store.count(prefix),
        written: () => [],
      };
      store.update = async (key, change, options) => {
        const decided = isLoad(key) ? change(store.find(key), reader) : undefined;
        if (!decided || !("put" in decided) || !isNow()) return update(key, change, options);
        const revision = store.revision() + 1;
        const value = Buffer.concat([decided.put.head, Buffer.from(String(revision)), decided.put.tail]);
        return { result: decided.result, entry: { key, revision, value, index: decided.index }, revision };
      };
    },
  ],
  [
    "a precondition that is ignored",
    "calls-are-linearizable",
    ({ server }) => {
      const handle = server.handle.bind(server);
      server.handle = (request) => {
        const { body, path } = request;
        if (!body || !path.includes("/load/configmaps/")) return handle(request);
        const object = JSON.parse(Buffer.from(body).toString()) as { metadata?: { resourceVersion?: string } };
        delete object.metadata?.resourceVersion;
        return handle({ ...request, body: Buffer.from(JSON.stringify(object)), signal: request.signal });
      };
    },
  ],
  [
    "a watch that loses a change",
    "watches-are-complete",
    ({ server, store }) => {
      const subscribe = store.subscribe.bind(store);
      const isNow = every(25);
      const isKept = ({ resource }: CommittedChange) => resource !== "core/configmaps" || !isNow();
      store.subscribe = (listener) => {
        // Only events of watches are dropped, because the server itself would end at a gap in its
        // own records.
        const isOfWatches = String(listener).includes("#deliver");
        return subscribe(isOfWatches ? (changes) => listener(changes.filter(isKept)) : listener);
      };
      server.process.kill();
      server.process.start();
    },
  ],
  [
    "a watch that resumes one change too late",
    "watches-are-complete",
    ({ store }) => {
      const since = store.changesSince.bind(store);
      store.changesSince = (resource, revision) => since(resource, revision).slice(1);
    },
  ],
  [
    "a watch that is resumed with a hole",
    "watches-are-complete",
    ({ store }) => {
      const since = store.changesSince.bind(store);
      store.changesSince = (resource, revision) => since(resource, revision).filter((_, index) => index !== 2);
    },
  ],
  [
    "a watch that is rejected although nothing was compacted",
    "watches-are-complete",
    ({ store }) => {
      const since = store.changesSince.bind(store);
      const isNow = every(7);
      store.changesSince = (resource, revision) => {
        if (resource === "core/configmaps" && isNow()) throw new RevisionExpired("planted");
        return since(resource, revision);
      };
    },
  ],
  [
    "a bookmark that is ahead",
    "watches-are-complete",
    ({ store }) => {
      const revision = store.revision.bind(store);
      store.revision = () => revision() + 20;
    },
  ],
  [
    "pages of different revisions",
    "lists-are-snapshots",
    ({ store }) => {
      const list = store.list.bind(store);
      store.list = (prefix, { after, limit } = {}) =>
        list(prefix, { ...(after === undefined ? {} : { after }), ...(limit === undefined ? {} : { limit }) });
    },
  ],
  [
    "a list that skips one object after each page",
    "lists-are-snapshots",
    ({ store }) => {
      const list = store.list.bind(store);
      store.list = (prefix, options = {}) => {
        const page = list(prefix, options);
        return options.after === undefined ? page : { ...page, entries: page.entries.slice(1) };
      };
    },
  ],
];

describe("a planted bug is detected by its check:", () => {
  test.each(planted)("%s: %s", async (_, check, plant) => {
    const load = await live({ plant, durationMs: minute / 2 });
    expect(load.violations().map(({ invariant }) => invariant)).toContain(check);
  });
});
