import { type Lease, parseTimestamp } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Entry } from "@kintsugi/store";
import { parseValue } from "../committed-values.ts";

interface LedCluster {
  readonly leaderElection: boolean;
  readonly store: { find(key: string): Entry | undefined };
  readonly scheduler: { readonly machineClock: Clock };
  readonly controllerManager: { readonly machineClock: Clock };
}

/**
 * Lists the services without a leader. A server that does not respond for a while, for example
 * because the last sync of its disk takes 30 s, does not show another fault. Its leader has lost
 * the Lease in the meantime, and the service is without a leader until a candidate acquires the
 * Lease.
 */
export function withoutLeader({ leaderElection, store, scheduler, controllerManager }: LedCluster): string[] {
  if (!leaderElection) return [];
  const clocks = { "kube-scheduler": scheduler, "kube-controller-manager": controllerManager };
  return Object.entries(clocks).flatMap(([name, { machineClock }]) => {
    const entry = store.find(`coordination.k8s.io/leases/kube-system/${name}`);
    const {
      holderIdentity,
      renewTime,
      leaseDurationSeconds = 0,
    } = (entry && parseValue<Lease>(entry.value).spec) ?? {};
    if (!holderIdentity || !renewTime) return [`no process leads ${name}`];
    const untilMs = parseTimestamp(renewTime) + leaseDurationSeconds * 1000;
    return machineClock.nowMs() <= untilMs ? [] : [`${name} no longer has a leader`];
  });
}
