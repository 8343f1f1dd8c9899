import { formatTimestamp, type Pod, type ReplicaSet, rebalanceRecordAnnotation } from "@kintsugi/api";
import { decide, defaultPlugins, podInfoOf } from "@kintsugi/scheduling";
import fc from "fast-check";
import { expect, test } from "vitest";
import { observeWorld } from "./observe.ts";
import { planRebalance } from "./plan.ts";
import { findRecord, type RebalanceRecord } from "./record.ts";
import { judgeMove } from "./judge-move.ts";
import { snapshotOf } from "./snapshot.ts";
import { nodeNamed, noonMs, podOf, setNamed, someOptions } from "./testing/a-world.ts";
import type { ObservedObjects } from "./world.ts";

interface RandomCluster {
  nodes: number;
  /** Each set has the request of its pods, and the node of each, by its index. */
  sets: { cpu: number; places: number[] }[];
  ties: number[];
  /** A scheduler that occasionally deviates from the prediction. */
  strays: boolean;
}

const cluster = fc.record<RandomCluster>({
  nodes: fc.integer({ min: 2, max: 6 }),
  sets: fc.array(
    fc.record({
      cpu: fc.integer({ min: 50, max: 600 }),
      places: fc.array(fc.nat({ max: 5 }), { minLength: 2, maxLength: 8 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  ties: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 5, maxLength: 20 }),
  strays: fc.boolean(),
});

const withRecord = (set: ReplicaSet, record: RebalanceRecord): ReplicaSet => ({
  ...set,
  metadata: { ...set.metadata, annotations: { [rebalanceRecordAnnotation]: JSON.stringify(record) } },
});

/** Plans and applies until no pod moves. Returns the resulting objects, and the number of moves. */
function settled({ nodes, sets, ties, strays }: RandomCluster) {
  const names = Array.from({ length: nodes }, (_, i) => `node-${i}`);
  const replicaSets = sets.map(({ places }, i) => setNamed(`set-${i}`, places.length));
  let objects: ObservedObjects = {
    nodes: names.map((name) => nodeNamed(name)),
    pods: sets.flatMap(({ cpu, places }, i) =>
      places.map((place, j) =>
        podOf(replicaSets[i] as ReplicaSet, `set-${i}-${j}`, names[place % nodes] ?? "", {
          requests: { cpu: `${cpu}m` },
        }),
      ),
    ),
    namespaces: [],
    budgets: [],
    claims: [],
    volumes: [],
    storageClasses: [],
    csiNodes: [],
    attachments: [],
    replicaSets,
    replicationControllers: [],
    statefulSets: [],
    deployments: [],
  };
  const squares = () => {
    const counts = new Map<string, number>();
    for (const { metadata, spec } of objects.pods) {
      const key = `${metadata.labels?.["app"]} ${spec?.nodeName}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return [...counts.values()].reduce((sum, count) => sum + count * count, 0);
  };
  const limit = squares() / 2 + sets.length;
  const moved = new Set<string>();
  for (let step = 0; ; step++) {
    expect(step).toBeLessThanOrEqual(limit);
    const now = noonMs + step * 3_600_000;
    const before = squares();
    const plan = planRebalance(observeWorld(objects), someOptions, { nowMs: now, turn: step });
    if (plan.is !== "move") return { objects, moves: step };
    const { pod, owner, from, node, crowdBefore } = plan.move;
    expect(moved).not.toContain(pod.metadata.uid);
    const known = findRecord(owner.object);
    const { name = "", uid = "" } = pod.metadata;
    const record: RebalanceRecord = {
      nodes: plan.mark,
      at: formatTimestamp(now),
      moved: known?.nodes === plan.mark ? known.moved : [],
    };
    const move = { pod: name, uid, from, to: node, crowd: crowdBefore };
    // The old pod uses its room while the scheduler places the new pod.
    const going = (each: Pod) =>
      each === pod ? { ...each, metadata: { ...each.metadata, deletionTimestamp: record.at } } : each;
    const next: Pod = {
      ...pod,
      metadata: { ...pod.metadata, name: `m-${step}`, uid: `uid-m-${step}`, creationTimestamp: record.at },
    };
    const { nodeName: _node, ...spec } = pod.spec ?? { containers: [] };
    const snapshot = snapshotOf(observeWorld({ ...objects, pods: objects.pods.map(going) }));
    const tieBreaker = ties[step % ties.length] ?? 0;
    const decision = decide(podInfoOf({ ...next, spec }), snapshot, { plugins: defaultPlugins, tieBreaker });
    const decided = decision.placed ? decision.node : from;
    const landed = strays && tieBreaker > 0.5 ? (names[Math.floor(tieBreaker * names.length)] ?? "") : decided;
    const placed: Pod = { ...next, spec: { ...spec, nodeName: landed } };
    moved.add(placed.metadata.uid ?? "");
    objects = { ...objects, pods: [...objects.pods.filter((each) => each !== pod), placed] };
    const world = observeWorld(objects);
    const outcome = judgeMove(
      owner,
      { record: { ...record, move }, move },
      { world, options: someOptions, nowMs: now + 1000 },
    );
    if (outcome.is !== "ended") throw new Error(`the move does not end: ${outcome.because}`);
    // A scheduler that follows the prediction always finds a place, and a success makes crowds
    // smaller.
    expect(strays || outcome.how === "moved").toBe(true);
    expect(outcome.how !== "moved" || squares() < before).toBe(true);
    objects = {
      ...objects,
      replicaSets: objects.replicaSets.map((set) =>
        set.metadata.uid === owner.uid ? withRecord(set, outcome.record) : set,
      ),
    };
  }
}

test("repeated plans end, reduce the crowding with each move, and move no pod twice", () => {
  let moves = 0;
  fc.assert(
    fc.property(cluster, (random) => {
      const { objects, moves: made } = settled(random);
      moves += made;
      // It is stable: the same plan a year later still moves nothing.
      const later = planRebalance(observeWorld(objects), someOptions, { nowMs: noonMs * 1.02, turn: 7 });
      expect(later.is).toBe("nothing");
    }),
    { numRuns: 150, seed: 7 },
  );
  expect(moves).toBeGreaterThan(150);
});
