import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import type { CommittedChange, Entry } from "@kintsugi/store";
import { expect, test } from "vitest";
import { changesPerTurn, Journal } from "./journal.ts";

/** Counts the reads of entries' values, which precede each parse. */
class Pods {
  reads = 0;
  #revision = 0;
  readonly #entries = new Map<string, Entry>();

  /** The change that sets another phase or a node for the pod. */
  change(name: string, phase: string, nodeName = ""): CommittedChange {
    const revision = ++this.#revision;
    const object = { metadata: { name, namespace: "default" }, spec: { containers: [] }, status: { phase } };
    const bytes = Buffer.from(JSON.stringify(object));
    const count = () => void this.reads++;
    const entry: Entry = {
      key: `core/pods/default/${name}`,
      revision,
      get value() {
        count();
        return bytes;
      },
      index: {
        uid: name,
        labels: {},
        createdMs: 0,
        fields: { "status.phase": phase, "spec.nodeName": nodeName },
      } as unknown as Entry["index"],
    };
    const before = this.#entries.get(name);
    this.#entries.set(name, entry);
    return { revision, resource: "core/pods", previousOfResource: revision - 1, type: "put", entry, before };
  }
}

/** A virtual clock that counts how often its callers yield. */
class CountingClock extends VirtualClock {
  turns = 0;

  override nextTurn(): Promise<void> {
    this.turns++;
    return super.nextTurn();
  }
}

test("a burst of changes is inspected in order and in chunks, and requests are answered between the chunks", async () => {
  const clock = new CountingClock();
  const journal = new Journal({ clock, log: silentLogger });
  const stop = new AbortController();
  const running = journal.run(stop.signal);
  await clock.settle();
  const pods = new Pods();
  const pieces: number[] = [];
  journal.follow({ push: (entries) => pieces.push(entries.length), end: () => {} });
  for (let i = 0; i < 1_000; i++) journal.observe([pods.change(`web-${i}`, "Pending")]);
  clock.turns = 0;
  await clock.advance(1_000);
  expect(clock.turns).toBeGreaterThanOrEqual(Math.floor(1_000 / changesPerTurn));
  expect(Math.max(...pieces)).toBeLessThanOrEqual(2 * changesPerTurn);
  const created = journal.entries().filter(({ what }) => what === "created");
  expect(created.map(({ revision }) => revision)).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1));
  stop.abort();
  await running;
});

test("creations and bindings are recorded without parsing the pod", () => {
  const journal = new Journal({ clock: new VirtualClock(), log: silentLogger });
  const pods = new Pods();
  journal.observe([pods.change("web", "Pending"), pods.change("web", "Pending", "node-1")]);
  expect(journal.entries().map(({ what, detail, node }) => [what, detail, node])).toEqual([
    ["created", "", ""],
    ["phase", "Pending", ""],
    ["bound", "node-1", "node-1"],
    ["condition", "PodScheduled=True", "node-1"],
  ]);
  expect(pods.reads).toBe(0);
});

test("an object is parsed once for consecutive changes", () => {
  const journal = new Journal({ clock: new VirtualClock(), log: silentLogger });
  const pods = new Pods();
  const phases = ["Pending", "Running", "Failed", "Running", "Succeeded"];
  journal.observe(phases.map((phase) => pods.change("web", phase)));
  const entries = journal.entries();
  expect(entries.filter(({ what }) => what === "phase").map(({ detail }) => detail)).toEqual(phases);
  expect(pods.reads).toBe(phases.length);
});
