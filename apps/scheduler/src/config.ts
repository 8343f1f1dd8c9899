import { type ProfileName, profiles } from "@kintsugi/api";
import { allowedValue, flag, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";

/** The command line of the scheduler, completed. */
export interface SchedulerConfig {
  kubeconfig: string;
  bindAddress: string;
  securePort: number;
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  clientCaFile: string;
  schedulerName: string;
  leaderElection: LeaderElectionConfig | undefined;
  podInitialBackoffMs: number;
  podMaxBackoffMs: number;
  podMaxWaitingMs: number;
  logLevel: LogLevel;
}

interface LeaderElectionConfig {
  namespace: string;
  name: string;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
}

const program = { name: "scheduler", description: "Gives pods that have no node one." };

const second = 1000;

const flags = {
  kubeconfig: flag.text({ help: "Where the API server is and as whom to speak to it", required: true }),
  "bind-address": flag.text({ help: "Address to serve health and metrics on", fallback: "0.0.0.0" }),
  "secure-port": flag.number({ help: "Port to serve health and metrics on", fallback: 10259 }),
  "tls-cert-file": flag.text({ help: "Certificate to serve with, PEM", required: true }),
  "tls-private-key-file": flag.text({ help: "Its key, PEM", required: true }),
  "client-ca-file": flag.text({ help: "Certificate authority that signs who may read metrics, PEM", required: true }),
  "scheduler-name": flag.text({
    help: "Pods that name another scheduler are left to it",
    fallback: "default-scheduler",
  }),
  "leader-elect": flag.boolean({ help: "Work only while holding the Lease", fallback: true }),
  "leader-elect-lease-duration": flag.durationMs({ help: "Silence after which others take over (default by profile)" }),
  "leader-elect-renew-deadline": flag.durationMs({
    help: "A leader that cannot renew this long stops (default by profile)",
  }),
  "leader-elect-retry-period": flag.durationMs({ help: "Time between tries (default by profile)" }),
  "leader-elect-resource-namespace": flag.text({ help: "Namespace of the Lease", fallback: "kube-system" }),
  "leader-elect-resource-name": flag.text({ help: "Name of the Lease", fallback: "kube-scheduler" }),
  "pod-initial-backoff": flag.durationMs({ help: "Wait after a pod's first failed attempt", fallback: second }),
  "pod-max-backoff": flag.durationMs({ help: "Longest wait after a failed attempt", fallback: 10 * second }),
  "pod-max-in-unschedulable-pods-duration": flag.durationMs({
    help: "A pod that fits nowhere is tried again after this long, whatever happens",
    fallback: 300 * second,
  }),
  profile: flag.text({ help: "Timers set together: default, kubernetes or fast", fallback: "default" }),
  "log-level": flag.text({ help: `One of ${logLevels.join(", ")}`, fallback: "info" }),
} as const;

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): SchedulerConfig {
  const given = readFlags(program, flags, argv);
  const profile = profiles[allowedValue(given.profile, Object.keys(profiles) as ProfileName[], "profile")];
  return {
    kubeconfig: given.kubeconfig,
    bindAddress: given["bind-address"],
    securePort: given["secure-port"],
    tlsCertFile: given["tls-cert-file"],
    tlsPrivateKeyFile: given["tls-private-key-file"],
    clientCaFile: given["client-ca-file"],
    schedulerName: given["scheduler-name"],
    leaderElection: given["leader-elect"]
      ? {
          namespace: given["leader-elect-resource-namespace"],
          name: given["leader-elect-resource-name"],
          leaseDurationMs: given["leader-elect-lease-duration"] ?? profile.leaderElectionLeaseMs,
          renewDeadlineMs: given["leader-elect-renew-deadline"] ?? profile.leaderElectionRenewDeadlineMs,
          retryPeriodMs: given["leader-elect-retry-period"] ?? profile.leaderElectionRetryMs,
        }
      : undefined,
    podInitialBackoffMs: given["pod-initial-backoff"],
    podMaxBackoffMs: given["pod-max-backoff"],
    podMaxWaitingMs: given["pod-max-in-unschedulable-pods-duration"],
    logLevel: allowedValue(given["log-level"], logLevels, "log-level"),
  };
}
