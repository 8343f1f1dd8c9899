import type { StartState } from "@kintsugi/rehearsal";

/**
 * Controllers that do not affect pods in a rehearsal, which has neither traffic nor users, and only
 * workloads of a fixed size (docs/design/rehearsal.md).
 */
const withoutEffect = [
  "endpointslicemirroring",
  "horizontal-pod-autoscaler",
  "cron-job",
  "clusterrole-aggregation",
  "root-ca-cert-publisher",
  "serviceaccount-token",
  "bootstrap-tokens",
  "certificate-signing",
  "service-cidr",
];
/** The API server finds the pods of a webhook by the Endpoints of its Service. */
const forWebhooksOnly = ["endpoints", "endpointslice"];

/**
 * Returns the value of `--controllers` that enables all controllers on which the outcomes of runs
 * from this start depend.
 */
export function controllersWithEffect({ objects }: StartState): string[] {
  const hasWebhooks = objects.some(({ kind }) => kind.type.group === "admissionregistration.k8s.io");
  const disabled = hasWebhooks ? withoutEffect : [...withoutEffect, ...forWebhooksOnly];
  return ["*", ...disabled.map((name) => `-${name}`)];
}
