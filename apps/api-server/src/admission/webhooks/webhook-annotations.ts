import type { AuditTrail } from "../../http/audit-trail.ts";
import type { CompiledWebhook } from "./webhook-directory.ts";

// Upstream's annotations of audit events about webhooks end with the round (1 where a change calls
// a webhook again) and the webhook's place: mutation.webhook.admission.k8s.io/round_0_index_2.
//
//   mutation…                {"configuration":"a","webhook":"b","mutated":true}
//   patch…                   the same value with the operations, from the level Request on
//   failed-open.mutation…    the name of a webhook whose failure was ignored
//   failed-open.validating…

/** The place of one call among the calls of its request. */
export interface CallPlace {
  readonly round: 0 | 1;
  readonly index: number;
}

interface Mutation {
  readonly place: CallPlace;
  /** The operations of the webhook's patch; undefined where it returned no patch or failed. */
  readonly patch?: unknown;
  /** The patch has changed the object. */
  readonly mutated: boolean;
}

export function annotateMutation(
  trail: AuditTrail | undefined,
  { configuration, webhook: { name: webhook } }: CompiledWebhook,
  { place, patch, mutated }: Mutation,
): void {
  if (trail === undefined) return;
  const key = `webhook.admission.k8s.io/${suffixOf(place)}`;
  trail.annotate(`mutation.${key}`, JSON.stringify({ configuration, webhook, mutated }));
  if (patch === undefined) return;
  const value = JSON.stringify({ configuration, webhook, patch, patchType: "JSONPatch" });
  trail.annotate(`patch.${key}`, value, "Request");
}

export function annotateFailedOpen(
  trail: AuditTrail | undefined,
  { webhook: { name } }: CompiledWebhook,
  { place, type }: { place: CallPlace; type: "mutation" | "validating" },
): void {
  trail?.annotate(`failed-open.${type}.webhook.admission.k8s.io/${suffixOf(place)}`, name);
}

function suffixOf({ round, index }: CallPlace): string {
  return `round_${round}_index_${index}`;
}
