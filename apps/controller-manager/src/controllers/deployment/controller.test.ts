import { describe, expect, test } from "vitest";
import type { HandlerRequest } from "@kintsugi/client";
import { compareRevisions, revisionAnnotation, revisionHistoryAnnotation, revisionOf } from "./revisions.ts";
import { aDeployment, brokenImage, RolloutWorld } from "./testing/rollout-world.ts";

async function aRunning(...made: Parameters<typeof aDeployment>): Promise<RolloutWorld> {
  const world = new RolloutWorld(aDeployment(...made));
  await world.start();
  await world.cluster.clock.advance(10_000);
  world.watchFromNow();
  return world;
}

const rollingBy = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: "RollingUpdate" as const, rollingUpdate: { maxSurge, maxUnavailable } },
});

describe("a deployment", () => {
  test("creates a set named after its template, and reports when its pods are available", async () => {
    const world = await aRunning(3);
    expect(world.images).toEqual({ "web:1": 3 });
    const [set] = world.sets;
    const hash = set?.metadata.labels?.["pod-template-hash"];
    expect(set?.metadata).toMatchObject({
      name: `web-${hash}`,
      labels: { app: "web", "pod-template-hash": hash },
      annotations: {
        "deployment.kubernetes.io/revision": "1",
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
      },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", controller: true }],
    });
    expect(set?.spec?.selector.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
    expect(world.active()[0]?.metadata.labels).toEqual({ app: "web", "pod-template-hash": hash });
    expect(world.deployment.metadata.annotations?.[revisionAnnotation]).toBe("1");
    expect(world.deployment.status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
    });
    expect(world.condition("Available")).toBe("Available=True: MinimumReplicasAvailable");
    expect(world.condition("Progressing")).toBe("Progressing=True: NewReplicaSetAvailable");
    expect(world.cluster.reasons()).toContain(`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`);
  });

  test.each([
    { replicas: 10, maxSurge: 3, maxUnavailable: 2, most: 13, fewest: 8 },
    { replicas: 4, maxSurge: "25%", maxUnavailable: "25%", most: 5, fewest: 3 },
    { replicas: 4, maxSurge: 0, maxUnavailable: 1, most: 4, fewest: 3 },
    { replicas: 4, maxSurge: 1, maxUnavailable: 0, most: 5, fewest: 4 },
    { replicas: 3, maxSurge: "100%", maxUnavailable: 0, most: 6, fewest: 3 },
    { replicas: 1, maxSurge: "10%", maxUnavailable: "10%", most: 2, fewest: 1 },
  ])(
    "of $replicas rolls out with $maxSurge more and $maxUnavailable fewer: never more than $most, nor fewer than $fewest ready",
    async ({ replicas, maxSurge, maxUnavailable, most, fewest }) => {
      const world = await aRunning(replicas, rollingBy(maxSurge, maxUnavailable));
      world.rollOut("web:2");
      await world.cluster.clock.advance(30_000);
      expect(world.images).toEqual({ "web:2": replicas });
      expect(world.mostActive).toBeLessThanOrEqual(most);
      expect(world.fewestReady).toBeGreaterThanOrEqual(fewest);
      const sizes = world.sets.map(({ spec }) => spec?.replicas ?? 0);
      expect(sizes.toSorted((a, b) => a - b)).toEqual([0, replicas]);
      expect(world.deployment.metadata.annotations?.[revisionAnnotation]).toBe("2");
      expect(world.condition("Progressing")).toBe("Progressing=True: NewReplicaSetAvailable");
    },
  );

  test("whose new pods never run stops its rollout and reports this after its deadline", async () => {
    const world = await aRunning(4, rollingBy(1, 1));
    world.rollOut(`${brokenImage}:2`);
    await world.cluster.clock.advance(599_000);
    expect(world.images).toEqual({ "web:1": 3, "broken:2": 2 });
    expect(world.fewestReady).toBe(3);
    expect(world.condition("Progressing")).toBe("Progressing=True: ReplicaSetUpdated");
    await world.cluster.clock.advance(5_000);
    expect(world.condition("Progressing")).toBe("Progressing=False: ProgressDeadlineExceeded");
    expect(world.condition("Available")).toBe("Available=True: MinimumReplicasAvailable");
  });

  test("rolls back to an earlier template: the old set gets a new revision and records its former revisions", async () => {
    const world = await aRunning(3);
    world.rollOut(`${brokenImage}:2`);
    await world.cluster.clock.advance(5_000);
    world.rollOut("web:1");
    await world.cluster.clock.advance(10_000);
    expect(world.images).toEqual({ "web:1": 3 });
    expect(world.fewestReady).toBe(3);
    const present = world.sets.find(({ spec }) => spec?.replicas === 3);
    expect(present?.metadata.annotations).toMatchObject({
      [revisionAnnotation]: "3",
      [revisionHistoryAnnotation]: "1",
    });
    expect(world.deployment.metadata.annotations?.[revisionAnnotation]).toBe("3");
    expect(world.condition("Progressing")).toBe("Progressing=True: NewReplicaSetAvailable");
  });

  test("with the strategy Recreate never runs pods of two templates", async () => {
    const world = await aRunning(3, { strategy: { type: "Recreate" } });
    world.rollOut("web:2");
    await world.cluster.clock.advance(10_000);
    expect(world.images).toEqual({ "web:2": 3 });
    expect(world.wereMixed).toBe(false);
    expect(world.condition("Progressing")).toBe("Progressing=True: NewReplicaSetAvailable");
  });

  test("that is paused scales, and does not roll out until it continues", async () => {
    const world = await aRunning(2);
    world.edit({ paused: true });
    await world.cluster.clock.advance(1_000);
    expect(world.condition("Progressing")).toBe("Progressing=Unknown: DeploymentPaused");
    world.rollOut("web:2");
    world.edit({ replicas: 4 });
    await world.cluster.clock.advance(5_000);
    expect(world.images).toEqual({ "web:1": 4 });
    world.edit({ paused: false });
    await world.cluster.clock.advance(10_000);
    expect(world.images).toEqual({ "web:2": 4 });
  });

  test("is scaled up and down, even while a rollout is stuck", async () => {
    const world = await aRunning(10, rollingBy(3, 2));
    world.rollOut(`${brokenImage}:2`);
    await world.cluster.clock.advance(5_000);
    expect(world.images).toEqual({ "web:1": 8, "broken:2": 5 });
    world.edit({ replicas: 15 });
    await world.cluster.clock.advance(5_000);
    // 18 in all, in the old proportions: upstream's own example
    // (deployments/#proportional-scaling).
    expect(world.images).toEqual({ "web:1": 11, "broken:2": 7 });
    world.edit({ replicas: 0 });
    await world.cluster.clock.advance(5_000);
    expect(world.images).toEqual({});
  });

  test("keeps as many old sets as specified, beginning with the newest sets", async () => {
    const world = await aRunning(1, { revisionHistoryLimit: 2 });
    for (const version of [2, 3, 4, 5]) {
      world.rollOut(`web:${version}`);
      await world.cluster.clock.advance(10_000);
    }
    expect(world.sets.toSorted(compareRevisions).map(revisionOf)).toEqual([3n, 4n, 5n]);
  });

  test("uses another name if its set's name exists", async () => {
    const first = await aRunning(1);
    const [taken] = first.sets;
    const world = new RolloutWorld(aDeployment(1));
    const { ownerReferences: _, ...metadata } = taken?.metadata ?? {};
    const foreign = {
      ...taken,
      metadata: { ...metadata, labels: {}, uid: "foreign" },
      spec: { ...taken?.spec, replicas: 0 },
    };
    world.cluster.put("replicasets", foreign as NonNullable<typeof taken>);
    await world.start();
    await world.cluster.clock.advance(10_000);
    expect(world.images).toEqual({ "web:1": 1 });
    expect(world.deployment.status?.collisionCount).toBe(1);
    expect(world.sets).toHaveLength(2);
  });

  test("adopts an orphaned set of its kind, and releases a set that no longer matches", async () => {
    const world = await aRunning(2);
    const [set] = world.sets;
    const { ownerReferences: _, ...metadata } = set?.metadata ?? {};
    world.cluster.put("replicasets", { ...set, metadata } as NonNullable<typeof set>);
    await world.cluster.clock.advance(5_000);
    expect(world.sets[0]?.metadata.ownerReferences).toMatchObject([{ kind: "Deployment", uid: "uid-of-web" }]);
    expect(world.sets).toHaveLength(1);
    const relabelled = { ...world.sets[0]?.metadata, labels: { app: "other" } };
    world.cluster.put("replicasets", { ...world.sets[0], metadata: relabelled } as NonNullable<typeof set>);
    await world.cluster.clock.advance(5_000);
    expect(world.cluster.find("replicasets", set?.metadata.name ?? "")?.metadata.ownerReferences ?? []).toEqual([]);
  });

  test("that is settled is not changed", async () => {
    const world = await aRunning(3);
    const before = world.cluster.api.log.revision;
    await world.cluster.clock.advance(3_600_000);
    expect(world.cluster.api.log.revision).toBe(before);
  });
});

describe("a rollout stays within its bounds and ends", () => {
  const isWrite = (request: HandlerRequest) => request.method !== "GET";

  test.each(["pass", "lose answer"] as const)(
    "when it is reverted at any step while reports about its sets arrive late (writes of sets: %s)",
    async (verdict) => {
      for (let afterMs = 100; afterMs <= 6000; afterMs += 100) {
        const world = await aRunning(8, rollingBy("25%", "25%"));
        world.cluster.delay = (path) => (path.includes("/replicasets") ? 700 : 0);
        world.cluster.interfere = (request) => {
          const isOfSet = isWrite(request) && /\/replicasets(\/[^/]+)?$/.test(request.path);
          return isOfSet ? verdict : "pass";
        };
        world.rollOut(`${brokenImage}:2`);
        await world.cluster.clock.advance(afterMs);
        world.rollOut("web:1");
        await world.cluster.clock.advance(120_000);
        expect({ afterMs, images: world.images }).toEqual({ afterMs, images: { "web:1": 8 } });
        expect(world.mostAsked, `taken back after ${afterMs} ms`).toBeLessThanOrEqual(10);
        expect(world.fewestReady, `taken back after ${afterMs} ms`).toBeGreaterThanOrEqual(6);
        await world.cluster.kill();
      }
    },
  );

  test.each(["hang", "lose answer", "refuse"] as const)(
    "when the process crashes around write k, for every k (%s)",
    async (verdict) => {
      let crashes = 0;
      for (let k = 1; k <= 24; k++) {
        const world = await aRunning(3, rollingBy(1, 1));
        let writes = 0;
        world.cluster.interfere = (request) => {
          if (!isWrite(request)) return "pass";
          writes++;
          return writes < k ? "pass" : writes === k ? verdict : "hang";
        };
        world.rollOut("web:2");
        await world.cluster.clock.advance(3_000);
        if (writes >= k) crashes++;
        await world.cluster.kill();
        world.cluster.interfere = () => "pass";
        await world.cluster.clock.advance(15_000);
        await world.start();
        await world.cluster.clock.advance(400_000);
        const seen = {
          k,
          images: world.images,
          sets: world.sets.length,
          most: world.mostActive,
          fewest: world.fewestReady,
        };
        expect(seen).toEqual({ k, images: { "web:2": 3 }, sets: 2, most: 4, fewest: 2 });
      }
      expect(crashes).toBeGreaterThanOrEqual(12);
    },
  );
});
