import { type ProfileName, profiles } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  flag,
  inSeconds,
  type LogLevel,
  logLevels,
  leaderElectionFlags,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { z } from "zod";

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

/** The file is upstream's kind; what upstream has only as flags stands in it under the flag's name in camelCase. */
const program: ConfiguredProgram = {
  name: "scheduler",
  description: "Gives pods that have no node one.",
  file: { apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" },
};

const second = 1000;

const profileNames = Object.keys(profiles) as ProfileName[];

const flags = {
  kubeconfig: flag.path({
    help: "Where the API server is and as whom to speak to it",
    required: true,
    example: "/etc/kintsugi/scheduler.kubeconfig",
    key: "clientConnection.kubeconfig",
  }),
  "bind-address": flag.text({ help: "Address to serve health and metrics on", fallback: "0.0.0.0" }),
  "secure-port": flag.port({ help: "Port to serve health and metrics on", fallback: 10259 }),
  "tls-cert-file": flag.path({
    help: "Certificate to serve with, PEM",
    required: true,
    example: "/etc/kintsugi/pki/scheduler.crt",
  }),
  "tls-private-key-file": flag.path({
    help: "Its key, PEM",
    required: true,
    example: "/etc/kintsugi/pki/scheduler.key",
  }),
  "client-ca-file": flag.path({
    help: "Certificate authority that signs who may read metrics, PEM",
    required: true,
    key: "clientCAFile",
    example: "/etc/kintsugi/pki/ca.crt",
  }),
  "scheduler-name": flag.text({
    help: "Pods that name another scheduler are left to it",
    fallback: "default-scheduler",
    key: "profiles",
    form: {
      schema: z
        .tuple([z.strictObject({ schedulerName: z.string() })], {
          error: "is a list of one profile: - schedulerName: NAME",
        })
        .transform(([only]) => only.schedulerName),
      write: (schedulerName) => [{ schedulerName }],
    },
  }),
  ...leaderElectionFlags("kube-scheduler"),
  "pod-initial-backoff": flag.durationMs({
    help: "Wait after a pod's first failed attempt",
    fallback: second,
    key: "podInitialBackoffSeconds",
    form: inSeconds,
  }),
  "pod-max-backoff": flag.durationMs({
    help: "Longest wait after a failed attempt",
    fallback: 10 * second,
    key: "podMaxBackoffSeconds",
    form: inSeconds,
  }),
  "pod-max-in-unschedulable-pods-duration": flag.durationMs({
    help: "A pod that fits nowhere is tried again after this long, whatever happens",
    fallback: 300 * second,
  }),
  profile: flag.choice(profileNames, { help: "Timers set together", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "What is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): SchedulerConfig {
  const given = readFlags(program, flags, argv);
  const profile = profiles[given.profile];
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
    logLevel: given["log-level"],
  };
}
