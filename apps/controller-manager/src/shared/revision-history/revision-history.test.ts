import { type ControllerRevision, parseKey, type Deployment, deployments, sameJson } from "@kintsugi/api";
import { done, on } from "@kintsugi/controller";
import { expect, test } from "vitest";
import { defineController } from "../../context.ts";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { indexedRevisions } from "../indexed-kinds.ts";
import { compareRevisionNumbers } from "./plan-revision.ts";
import { templateOf } from "./revision-data.ts";
import { RevisionHistory } from "./revision-history.ts";

/** A controller that only maintains the history of deployments. */
const keeper = defineController({
  name: "history-keeper",
  options: {},
  roles: [],
  reads: [deployments, indexedRevisions],
  create(context) {
    const history = new RevisionHistory<Deployment>(context, deployments);
    return {
      workers: 1,
      keys: deployments,
      watches: [on(deployments)],
      async reconcile(key, signal) {
        const set = context.informers.of(deployments).find(parseKey(key));
        if (set === undefined) return done;
        const { latest, revisions, collisionCount } = await history.record(set, await history.claim(set, signal));
        await history.truncate(set, revisions, (revision) => revision === latest);
        const status = { collisionCount };
        if (!sameJson(status, set.status)) await context.client.update(deployments, { ...set, status });
        return done;
      },
    };
  },
});

function setUp(revisionHistoryLimit = 10) {
  const cluster = new ControllerTestCluster();
  const roll = async (image: string) => {
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image }] } };
    const set: Deployment = {
      metadata: { name: "web", namespace: "default", uid: "uid-of-web" },
      spec: { selector: { matchLabels: { app: "web" } }, template, revisionHistoryLimit },
    };
    const status = cluster.find<Deployment>("deployments", "web")?.status ?? {};
    cluster.put("deployments", { ...set, status } as Deployment);
    await cluster.clock.advance(5000);
  };
  const revisions = () =>
    (cluster.api.log.list("controllerrevisions") as ControllerRevision[]).toSorted(compareRevisionNumbers);
  const numbers = () => revisions().map(({ revision }) => revision);
  const collisions = () => cluster.find<Deployment>("deployments", "web")?.status?.collisionCount;
  return { cluster, roll, revisions, numbers, collisions };
}

const imageOf = (revision: ControllerRevision) => templateOf(revision).spec?.containers[0]?.image;

test("each template is recorded once, and a rollback gives its revision a new number", async () => {
  const { cluster, roll, revisions, numbers } = setUp();
  await cluster.start(keeper);
  await roll("busybox:1");
  const first = revisions()[0]?.metadata.name;
  await roll("busybox:2");
  expect(numbers()).toEqual([1, 2]);
  await roll("busybox:1");
  expect([numbers(), revisions()[1]?.metadata.name]).toEqual([[2, 3], first]);
});

test("the history never exceeds its limit", async () => {
  const { cluster, roll, numbers } = setUp(2);
  await cluster.start(keeper);
  for (const image of ["a", "b", "c", "d", "e"]) await roll(image);
  expect(numbers()).toEqual([3, 4, 5]);
});

test("a name that another revision has is skipped, and the collision is counted", async () => {
  const { cluster, roll, revisions, collisions } = setUp();
  await cluster.start(keeper);
  await roll("busybox:1");
  const [mine] = revisions() as [ControllerRevision];
  await cluster.stop();
  cluster.remove("controllerrevisions", mine);
  const { name, namespace } = mine.metadata;
  cluster.put("controllerrevisions", {
    ...mine,
    metadata: { name, namespace, uid: "foreign" },
    data: { x: 1 },
  } as ControllerRevision);
  await cluster.start(keeper);
  await roll("busybox:1");
  expect([revisions().length, collisions()]).toEqual([2, 1]);
});

test("orphaned revisions are adopted and used", async () => {
  const { cluster, roll, revisions, numbers } = setUp();
  await cluster.start(keeper);
  await roll("busybox:1");
  await cluster.stop();
  const [orphan] = revisions() as [ControllerRevision];
  const { ownerReferences: _, ...metadata } = orphan.metadata;
  cluster.put("controllerrevisions", { ...orphan, metadata });
  await cluster.start(keeper);
  await roll("busybox:2");
  expect(numbers()).toEqual([1, 2]);
  expect(revisions().every(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.uid === "uid-of-web")).toBe(
    true,
  );
});

test.each(["hang", "never answer", "lose answer", "refuse"] as const)(
  "a process that is killed at any write leaves one revision of each template (%s)",
  async (verdict) => {
    for (let k = 1; k <= 6; k++) {
      const { cluster, roll, revisions, numbers } = setUp(1);
      let writes = 0;
      await cluster.start(keeper);
      cluster.interfere = ({ method }) => (method !== "GET" && ++writes === k ? verdict : "pass");
      for (const image of ["a", "b", "a", "c"]) await roll(image);
      await cluster.kill();
      cluster.interfere = () => "pass";
      await cluster.start(keeper);
      await roll("c");
      const recorded = revisions().map(imageOf);
      expect({ k, latest: recorded.at(-1), once: new Set(recorded).size === recorded.length }).toEqual({
        k,
        latest: "c",
        once: true,
      });
      expect(numbers().length).toBeLessThanOrEqual(2);
    }
  },
);
