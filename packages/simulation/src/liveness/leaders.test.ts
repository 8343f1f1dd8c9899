import { formatMicroTime } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import type { Entry } from "@kintsugi/store";
import { expect, test } from "vitest";
import { withoutLeader } from "./leaders.ts";

const keyOf = (name: string) => `coordination.k8s.io/leases/kube-system/${name}`;

function openCluster() {
  const machineClock = new VirtualClock();
  const entries = new Map<string, Entry>();
  const renew = (name: string, holderIdentity: string) => {
    const spec = { holderIdentity, renewTime: formatMicroTime(machineClock.nowMs()), leaseDurationSeconds: 15 };
    const value = Buffer.from(JSON.stringify({ metadata: { name }, spec }));
    entries.set(keyOf(name), { key: keyOf(name), value } as unknown as Entry);
  };
  const service = { machineClock };
  const store = { find: (key: string) => entries.get(key) };
  return {
    machineClock,
    renew,
    cluster: { leaderElection: true, store, scheduler: service, controllerManager: service },
  };
}

test("a service's leader is the process that has renewed its Lease within its duration", async () => {
  const { machineClock, renew, cluster } = openCluster();
  renew("kube-scheduler", "a");
  await machineClock.advance(10_000);
  renew("kube-controller-manager", "b");
  expect(withoutLeader(cluster)).toEqual([]);
  await machineClock.advance(10_000);
  expect(withoutLeader(cluster)).toEqual(["kube-scheduler no longer has a leader"]);
});

test("a Lease that was released or never acquired has no leader", () => {
  const { renew, cluster } = openCluster();
  renew("kube-scheduler", "");
  expect(withoutLeader(cluster)).toEqual([
    "no process leads kube-scheduler",
    "no process leads kube-controller-manager",
  ]);
  expect(withoutLeader({ ...cluster, leaderElection: false })).toEqual([]);
});
