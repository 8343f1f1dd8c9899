import { type ProfileName, profiles } from "@kintsugi/api";
import { flag, type FlagValues } from "./flag.ts";

const byDefault = profiles.default;

/** How a program elects, completed: all but the identity that it gets when it starts. */
export interface LeaderElectionConfig {
  namespace: string;
  /** Of the Lease: "kube-scheduler". */
  name: string;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
}

/** Upstream's flags for what works only while it leads; `resourceName` is that of its Lease. */
export function leaderElectionFlags(resourceName: string) {
  return {
    "leader-elect": flag.boolean({
      help: "Work only while holding the Lease",
      fallback: true,
      key: "leaderElection.leaderElect",
    }),
    "leader-elect-lease-duration": flag.durationMs({
      help: "Silence after which others take over (default by profile)",
      key: "leaderElection.leaseDuration",
      example: byDefault.leaderElectionLeaseMs,
    }),
    "leader-elect-renew-deadline": flag.durationMs({
      help: "A leader that cannot renew this long stops (default by profile)",
      key: "leaderElection.renewDeadline",
      example: byDefault.leaderElectionRenewDeadlineMs,
    }),
    "leader-elect-retry-period": flag.durationMs({
      help: "Time between tries (default by profile)",
      key: "leaderElection.retryPeriod",
      example: byDefault.leaderElectionRetryMs,
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

/** What was given, completed by the profile; undefined with `--leader-elect=false`. */
export function leaderElectionConfig(
  given: FlagValues<ReturnType<typeof leaderElectionFlags>>,
  profileName: ProfileName,
): LeaderElectionConfig | undefined {
  if (!given["leader-elect"]) return undefined;
  const profile = profiles[profileName];
  return {
    namespace: given["leader-elect-resource-namespace"],
    name: given["leader-elect-resource-name"],
    leaseDurationMs: given["leader-elect-lease-duration"] ?? profile.leaderElectionLeaseMs,
    renewDeadlineMs: given["leader-elect-renew-deadline"] ?? profile.leaderElectionRenewDeadlineMs,
    retryPeriodMs: given["leader-elect-retry-period"] ?? profile.leaderElectionRetryMs,
  };
}
