import { startVirtualCluster } from "@kintsugi/simulator/factory";
import { expect, test } from "vitest";

// A program of an idle cluster wakes up only for heartbeats, leases and infrequent checks. A loop
// that wakes itself causes thousands of timers, or of requests, per minute.

const minute = 60_000;
const minutes = 5;
/** Timers per minute: 36 to 76 are usual, most of them heartbeats and lists of containers. */
const wakeUpsMax = 200;
/** Requests per minute: 18 to 43 are usual, most of them renewals of leases. */
const requestsMax = 60;

test("a program of an idle cluster wakes up a limited number of times, and sends as few requests", async () => {
  await using cluster = await startVirtualCluster({
    nodes: 2,
    profile: "default",
    storage: true,
    devices: true,
    rebalance: true,
    disk: false,
  });
  await cluster.advance(3 * minute);
  const requests = new Map<string, number>();
  const callers = ["scheduler", "controller-manager", ...cluster.nodes.map(({ name }) => name)];
  for (const caller of callers)
    cluster.onRequestOf[caller] = () => requests.set(caller, (requests.get(caller) ?? 0) + 1);
  const processes = [
    cluster.server.process,
    cluster.scheduler,
    cluster.controllerManager,
    ...(cluster.storage === undefined ? [] : [cluster.storage.process]),
    ...cluster.nodes.map(({ kubelet }) => kubelet),
  ];
  const before = processes.map(({ wakeUps }) => wakeUps);
  await cluster.advance(minutes * minute);
  const perMinute = Object.fromEntries(
    processes.map(({ name, wakeUps }, index) => [name, (wakeUps - (before[index] ?? 0)) / minutes]),
  );
  for (const [name, wakeUps] of Object.entries(perMinute)) {
    expect(wakeUps, `wake-ups of ${name} in a minute`).toBeGreaterThan(0);
    expect(wakeUps, `wake-ups of ${name} in a minute`).toBeLessThan(wakeUpsMax);
  }
  for (const caller of callers)
    expect((requests.get(caller) ?? 0) / minutes, `requests of ${caller} in a minute`).toBeLessThan(requestsMax);
});

test("the controller manager does not keep watches open for kinds whose changes are on the bus", async () => {
  await using cluster = await startVirtualCluster({ nodes: 1, profile: "default", disk: false });
  await cluster.advance(3 * minute);
  const watched: string[] = [];
  cluster.onRequestOf["controller-manager"] = ({ path }) => {
    if (path.includes("watch=true")) watched.push(path);
  };
  // Each watch ends after ten minutes at the latest, and is opened again.
  await cluster.advance(11 * minute);
  expect(watched).toEqual([]);
});
