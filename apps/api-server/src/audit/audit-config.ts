import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";
import { type AuditLogMode, auditLogModes } from "./audit-log.ts";
import type { LogRotation } from "./rotating-file.ts";

/** The policy of the audit log, and its place. */
export interface AuditConfig {
  policyFile: string;
  /** "-" is the standard output. */
  path: string;
  mode: AuditLogMode;
  waitingEventsMax: number;
  rotation: LogRotation;
}

/** The flags of the audit log. */
export const auditFlags = {
  "audit-policy-file": flag.path({
    help: "Policy that decides how much of each request the audit log records (audit.k8s.io/v1)",
    example: "/etc/kintsugi/audit-policy.yaml",
  }),
  "audit-log-path": flag.text({
    help: "File of the audit log, or - for the standard output; without it nothing is recorded",
    placeholder: "file",
    example: "/var/log/kintsugi/audit.log",
  }),
  "audit-log-mode": flag.choice(auditLogModes, {
    help: "Whether answers wait until their events are written (blocking), requests are rejected besides where that fails (blocking-strict), or nothing waits (batch)",
    fallback: "blocking",
  }),
  "audit-log-batch-buffer-size": flag.count({
    min: 1,
    help: "Events that may wait to be written in the mode batch; those beyond are lost and counted",
    fallback: 10_000,
  }),
  "audit-log-maxsize": flag.count({
    help: "Size in megabytes at which the audit log is put aside; 0 means 100",
    fallback: 0,
  }),
  "audit-log-maxage": flag.count({
    help: "Days that audit logs which were put aside are kept; 0 for no limit",
    fallback: 0,
  }),
  "audit-log-maxbackup": flag.count({
    help: "Audit logs that are kept aside; 0 for no limit",
    fallback: 0,
  }),
  "audit-log-compress": flag.boolean({
    help: "Compress audit logs that are put aside with gzip",
    fallback: false,
  }),
} as const;

const [megabyte, day] = [1024 * 1024, 24 * 60 * 60_000] as const;

/** @throws FlagError */
export function auditConfig(given: FlagValues<typeof auditFlags>): AuditConfig | undefined {
  const [policyFile, path] = [given["audit-policy-file"], given["audit-log-path"]];
  if (path === undefined || path === "") return undefined;
  if (policyFile === undefined) {
    throw new FlagError("--audit-log-path needs --audit-policy-file, which decides what is recorded");
  }
  return {
    policyFile,
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
