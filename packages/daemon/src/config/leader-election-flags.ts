import { hostname } from "node:os";
import type { Random } from "@kintsugi/clock";
import { flag, type FlagValues } from "./flag.ts";

/** A program's leader-election options, except the identity that it gets when it starts. */
export interface LeaderElectionConfig {
  namespace: string;
  /** The name of the Lease: "kube-scheduler". */
  name: string;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
}

/**
 * Upstream's flags for a program that works only while it leads; `resourceName` is the name of its
 * Lease.
 */
export function leaderElectionFlags(resourceName: string) {
  return {
    "leader-elect": flag.boolean({
      help: "Work only while this process holds the Lease",
      fallback: true,
      key: "leaderElection.leaderElect",
    }),
    "leader-elect-lease-duration": flag.durationMs({
      help: "Time without a renewal after which another process may take over",
      key: "leaderElection.leaseDuration",
      byProfile: (timers) => timers.leaderElectionLeaseMs,
    }),
    "leader-elect-renew-deadline": flag.durationMs({
      help: "Time without a successful renewal after which the leader stops",
      key: "leaderElection.renewDeadline",
      byProfile: (timers) => timers.leaderElectionRenewDeadlineMs,
    }),
    "leader-elect-retry-period": flag.durationMs({
      help: "Interval between two attempts to acquire or renew the Lease",
      key: "leaderElection.retryPeriod",
      byProfile: (timers) => timers.leaderElectionRetryMs,
    }),
    "leader-elect-resource-namespace": flag.text({
      help: "Namespace of the Lease",
      fallback: "kube-system",
      key: "leaderElection.resourceNamespace",
    }),
    "leader-elect-resource-name": flag.text({
      help: "Name of the Lease",
      fallback: resourceName,
      key: "leaderElection.resourceName",
    }),
  };
}

/** The values that were read; undefined with `--leader-elect=false`. */
export function leaderElectionConfig(
  given: FlagValues<ReturnType<typeof leaderElectionFlags>>,
): LeaderElectionConfig | undefined {
  if (!given["leader-elect"]) return undefined;
  return {
    namespace: given["leader-elect-resource-namespace"],
    name: given["leader-elect-resource-name"],
    leaseDurationMs: given["leader-elect-lease-duration"],
    renewDeadlineMs: given["leader-elect-renew-deadline"],
    retryPeriodMs: given["leader-elect-retry-period"],
  };
}

/**
 * The settings of one candidate; undefined without an election. Its identity is the host's name, by
 * which users recognize it, and a part that is unique to the process.
 */
export function candidateOf<Settings extends object>(
  election: Settings | undefined,
  random: Pick<Random, "uuid">,
): (Settings & { identity: string }) | undefined {
  return election === undefined ? undefined : { ...election, identity: `${hostname()}_${random.uuid()}` };
}
