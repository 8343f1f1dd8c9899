import { isPodActive, type Lease, type Logger, silentLogger } from "@kintsugi/api";
import { SeededRandom } from "@kintsugi/clock/simulated";
import { findServedTypes, namedKinds } from "@kintsugi/controller";
import { createMetrics } from "@kintsugi/daemon";
import { describe, expect, test } from "vitest";
import { controllers } from "./controllers.ts";
import { createControllerManager } from "./factory.ts";
import { aNode, aPod, aReplicaSet, ControllerTestCluster } from "./testing/test-cluster.ts";
import { TestKubelet } from "./testing/test-kubelet.ts";

const election = {
  namespace: "kube-system",
  name: "kube-controller-manager",
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};

function setUp() {
  const cluster = new ControllerTestCluster();
  const metrics = createMetrics();
  let seed = 1;
  let mostActive = 0;
  const active = () => cluster.pods().filter((pod) => isPodActive(pod)).length;
  cluster.api.log.subscribe(() => (mostActive = Math.max(mostActive, active())));
  const leftOut: unknown[] = [];
  const log: Logger = {
    ...silentLogger,
    info: (phrase, fields) => {
      if (phrase === "controllers work") leftOut.push(fields?.["leftOut"]);
    },
  };
  const start = (identity: string) => {
    const life = { ended: false };
    const stop = new AbortController();
    const manager = createControllerManager(
      {
        client: cluster.client(life),
        clock: cluster.clock,
        random: new SeededRandom(seed++),
        log,
        metrics,
      },
      { leaderElection: { ...election, identity } },
    );
    const outcome = manager.run(stop.signal).then(
      () => "ended",
      (error: unknown) => (error as Error).message,
    );
    return { manager, stop, outcome, life };
  };
  const holder = () => cluster.find<Lease>("leases", election.name, "kube-system")?.spec?.holderIdentity;
  return { cluster, clock: cluster.clock, metrics, leftOut, start, active, holder, mostActive: () => mostActive };
}

describe("a controller manager", () => {
  test("runs every controller once it leads, and no controller earlier", async () => {
    const { cluster, clock, leftOut, start, active, holder } = setUp();
    new TestKubelet(cluster, "node-1");
    cluster.put("replicasets", aReplicaSet("web", 3));
    const first = start("first");
    await clock.advance(3000);
    const second = start("second");
    await clock.advance(30_000);
    expect([first.manager.state, second.manager.state, holder()]).toEqual(["working", "standby", "first"]);
    expect(active()).toBe(3);
    // The other dependencies follow from these options and inputs.
    expect(leftOut).toEqual([
      [
        { name: "node-ipam", because: "no --allocate-node-cidrs" },
        { name: "rebalance", because: "no --rebalance" },
        { name: "serviceaccount-token", because: "no --service-account-private-key-file" },
        { name: "root-ca-cert-publisher", because: "no --root-ca-file" },
        { name: "certificate-signing", because: "no --cluster-signing-cert-file" },
        { name: "bootstrap-tokens", because: "no --cluster-signing-cert-file" },
      ],
    ]);
    const reasons = (cluster.api.log.list("events") as { reason?: string }[]).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(new Set(["LeaderElection", "RegisteredNode", "SuccessfulCreate"]));
  });

  test("exits on a signal and releases its Lease immediately", async () => {
    const { cluster, clock, start, active, holder } = setUp();
    const first = start("first");
    await clock.advance(3000);
    const second = start("second");
    await clock.advance(10_000);
    first.stop.abort(new Error("stop"));
    await clock.advance(6000);
    expect(await first.outcome).toBe("ended");
    expect([second.manager.state, holder()]).toEqual(["working", "second"]);
    cluster.put("replicasets", aReplicaSet("web", 2));
    await clock.advance(1000);
    expect(active()).toBe(2);
  });

  test("works again as soon as the server returns if no other process has taken the Lease", async () => {
    const { cluster, clock, start, active, metrics } = setUp();
    cluster.put("replicasets", aReplicaSet("web", 2));
    const { manager } = start("first");
    await clock.advance(3000);
    cluster.api.isDown = true;
    await clock.advance(60_000);
    expect(manager.state).toBe("standby");
    const depths = () => metrics.exposition().then((text) => /^workqueue_depth\{.*$/m.exec(text)?.[0]);
    expect(await depths()).toBeUndefined();
    const [pod] = cluster.pods();
    if (!pod) throw new Error("no pod");
    cluster.remove("pods", pod);
    cluster.api.isDown = false;
    // A candidate waits for the period and up to 1.2 times the period more (candidateJitterFactor).
    await clock.advance(election.retryPeriodMs * 2.2 + 200);
    expect([manager.state, active()]).toEqual(["working", 2]);
    expect(await depths()).toContain(" 0");
  });

  test("ends its term at the end of the Lease if no request is answered, including events", async () => {
    const { cluster, clock, start, active } = setUp();
    const { manager, outcome } = start("first");
    await clock.advance(3000);
    let ended = false;
    void outcome.then(() => (ended = true));
    let silent = false;
    cluster.interfere = ({ method, path }) => {
      // The silence is measured from the first event, which is in flight when the term ends.
      silent ||= method === "POST" && path.endsWith("/events");
      return silent ? "hang" : "pass";
    };
    cluster.put("replicasets", aReplicaSet("web", 2));
    await clock.advance(60_000);
    expect(manager.state).toBe("standby");
    cluster.interfere = () => "pass";
    await clock.advance(30_000);
    expect([manager.state, active()]).toEqual(["working", 2]);
    expect(ended).toBe(false);
  });

  test("never creates more pods than requested when leaders crash in the middle of their work", async () => {
    for (let k = 1; k <= 8; k++) {
      const { cluster, clock, start, active, mostActive } = setUp();
      const first = start("first");
      await clock.advance(3000);
      start("second");
      await clock.advance(10_000);
      let creations = 0;
      cluster.interfere = (request) => {
        if (first.life.ended || request.method !== "POST" || !request.path.includes("/pods")) return "pass";
        creations++;
        first.life.ended = creations === k;
        return "pass";
      };
      cluster.put("replicasets", aReplicaSet("web", 7));
      await clock.advance(60_000);
      expect([k, active(), mostActive()]).toEqual([k, 7, 7]);
    }
  });
});

test("the server is queried until it lists its kinds", async () => {
  const kinds = namedKinds(controllers);
  const cluster = new ControllerTestCluster();
  cluster.interfere = () => "refuse";
  const asking = findServedTypes(
    { client: cluster.client(), clock: cluster.clock, random: cluster.random, log: silentLogger },
    kinds,
    new AbortController().signal,
  );
  await cluster.clock.advance(30_000);
  cluster.interfere = () => "pass";
  await cluster.clock.advance(30_000);
  expect(new Set(await asking)).toEqual(new Set(kinds));
});

test("dependents of a deleted node are removed: its pods are collected, and its Lease with its owner", async () => {
  const { cluster, clock, start } = setUp();
  cluster.put("nodes", aNode("gone"));
  cluster.put("pods", aPod("p", { node: "gone" }));
  const owner = { apiVersion: "v1", kind: "Node", name: "gone", uid: "uid-of-gone" };
  cluster.put("leases", {
    metadata: { name: "gone", namespace: "kube-node-lease", uid: "l", ownerReferences: [owner] },
  });
  start("first");
  await clock.advance(10_000);
  cluster.remove("nodes", cluster.node("gone"));
  await clock.advance(1000);
  expect(cluster.find("leases", "gone", "kube-node-lease")).toBeUndefined();
  await clock.advance(60_000);
  expect(cluster.pods()).toEqual([]);
});
