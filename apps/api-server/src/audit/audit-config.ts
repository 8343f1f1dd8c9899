import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import { type AuditLogMode, auditLogModes } from "./audit-log.ts";
import type { AuditWebhookOptions } from "./audit-webhook.ts";
import type { LogRotation } from "./rotating-file.ts";

/** The policy of the audit log and its destination. */
export interface AuditConfig {
  policyFile: string;
  /** Undefined: no log is written. */
  log: AuditLogConfig | undefined;
  /** Undefined: no events are posted. */
  webhook: AuditWebhookConfig | undefined;
}

interface AuditLogConfig {
  /** "-" is the standard output. */
  path: string;
  mode: AuditLogMode;
  waitingEventsMax: number;
  rotation: LogRotation;
}

interface AuditWebhookConfig extends AuditWebhookOptions {
  /** Path of a kubeconfig that names the receiver. */
  configFile: string;
}

/** The flags of the audit log. */
export const auditFlags = {
  "audit-policy-file": flag.path({
    help: "Policy that decides how much of each request the audit log records (audit.k8s.io/v1)",
    example: "/etc/kintsugi/audit-policy.yaml",
  }),
  "audit-log-path": flag.text({
    help: "File of the audit log, or - for the standard output; requests are recorded only if this flag is set",
    placeholder: "file",
    example: "/var/log/kintsugi/audit.log",
  }),
  "audit-log-mode": flag.choice(auditLogModes, {
    help: "batch: responses do not wait for audit events; blocking: responses wait until the events are written; blocking-strict: requests whose events cannot be written are also rejected",
    fallback: "blocking",
  }),
  "audit-log-batch-buffer-size": flag.count({
    min: 1,
    help: "Events that may wait to be written in the mode batch; further events are dropped and counted",
    fallback: 10_000,
  }),
  "audit-log-maxsize": flag.count({
    help: "Size in megabytes at which the audit log is rotated; 0 means 100",
    fallback: 0,
  }),
  "audit-log-maxage": flag.count({
    help: "Days for which rotated audit logs are retained; 0 means no limit",
    fallback: 0,
  }),
  "audit-log-maxbackup": flag.count({
    help: "Number of rotated audit logs to retain; 0 means no limit",
    fallback: 0,
  }),
  "audit-log-compress": flag.boolean({
    help: "Compress rotated audit logs with gzip",
    fallback: false,
  }),
  "audit-webhook-config-file": flag.path({
    help: "Kubeconfig with the server to which audit events are sent, and with the credentials for it",
    example: "/etc/kintsugi/audit-webhook.kubeconfig",
  }),
  "audit-webhook-mode": flag.choice(auditLogModes, {
    help: "batch: events are sent in groups, and responses do not wait; blocking: each event is sent before its request is answered; blocking-strict: as for the log",
    fallback: "batch",
  }),
  "audit-webhook-initial-backoff": flag.durationMs({
    help: "Delay after the first failed request; each later delay is 1.5 times as long, and there are five tries",
    fallback: 10_000,
  }),
  "audit-webhook-batch-buffer-size": flag.count({
    min: 1,
    help: "Events that may wait to be sent in the mode batch; further events are dropped and counted",
    fallback: 10_000,
  }),
  "audit-webhook-batch-max-size": flag.count({
    min: 1,
    help: "Largest number of events in one request, in the mode batch",
    fallback: 400,
  }),
  "audit-webhook-batch-max-wait": flag.durationMs({
    help: "Time that an event waits for further events of its request, in the mode batch",
    fallback: 30_000,
  }),
  "audit-webhook-batch-throttle-enable": flag.boolean({
    help: "Limit the requests per second in the mode batch",
    fallback: true,
  }),
  "audit-webhook-batch-throttle-qps": flag.count({
    min: 1,
    help: "Average number of requests per second, in the mode batch",
    fallback: 10,
  }),
  "audit-webhook-batch-throttle-burst": flag.count({
    min: 1,
    help: "Burst of requests that may be sent after a pause, in the mode batch",
    fallback: 15,
  }),
} as const;

const [megabyte, day] = [1024 * 1024, 24 * 60 * 60_000] as const;

/** @throws FlagError */
export function auditConfig(given: FlagValues<typeof auditFlags>): AuditConfig | undefined {
  const [log, webhook] = [logConfig(given), webhookConfig(given)];
  if (log === undefined && webhook === undefined) return undefined;
  const policyFile = given["audit-policy-file"];
  if (policyFile === undefined) {
    const flagName = log === undefined ? "--audit-webhook-config-file" : "--audit-log-path";
    throw new FlagError(`${flagName} needs --audit-policy-file, which decides what is recorded`);
  }
  return { policyFile, log, webhook };
}

function logConfig(given: FlagValues<typeof auditFlags>): AuditLogConfig | undefined {
  const path = given["audit-log-path"];
  if (path === undefined || path === "") return undefined;
  return {
    path,
    mode: given["audit-log-mode"],
    waitingEventsMax: given["audit-log-batch-buffer-size"],
    rotation: {
      fileBytesMax: (given["audit-log-maxsize"] || 100) * megabyte,
      ageMaxMs: given["audit-log-maxage"] * day,
      backupsMax: given["audit-log-maxbackup"],
      compress: given["audit-log-compress"],
    },
  };
}

/** @throws FlagError */
function webhookConfig(given: FlagValues<typeof auditFlags>): AuditWebhookConfig | undefined {
  const configFile = given["audit-webhook-config-file"];
  if (configFile === undefined) return undefined;
  const [waitingEventsMax, batchEventsMax] = [
    given["audit-webhook-batch-buffer-size"],
    given["audit-webhook-batch-max-size"],
  ];
  if (batchEventsMax > waitingEventsMax) {
    const flags = "--audit-webhook-batch-max-size is larger than --audit-webhook-batch-buffer-size";
    throw new FlagError(`${flags}, so a request to the webhook could never be full`);
  }
  return {
    configFile,
    mode: given["audit-webhook-mode"],
    initialBackoffMs: given["audit-webhook-initial-backoff"],
    waitingEventsMax,
    batchEventsMax,
    batchWaitMaxMs: given["audit-webhook-batch-max-wait"],
    postsPerSecond: given["audit-webhook-batch-throttle-enable"]
      ? {
          average: given["audit-webhook-batch-throttle-qps"],
          burst: given["audit-webhook-batch-throttle-burst"],
        }
      : undefined,
  };
}
