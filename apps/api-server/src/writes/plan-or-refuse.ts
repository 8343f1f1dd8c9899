import {
  apiVersionOf,
  formatTimestamp,
  type JsonObject,
  type ManagedFieldsEntry,
  requestTooLarge,
  type ResourceType,
} from "@kintsugi/api";
import { conflictError } from "../apply/field-conflict.ts";
import { planApply } from "../apply/plan-apply.ts";
import type { FieldSet } from "../fields/field-set.ts";
import type { FieldVersions } from "../fields/field-versions.ts";
import type { ApplyOptions } from "../request/write-options.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";

interface WantedApply {
  /**
   * The object as the endpoint serves it, with its managedFields; undefined where it does not exist
   * yet.
   */
  live: KubeObject | undefined;
  applied: JsonObject;
  options: ApplyOptions;
  subresource: string;
  type: Pick<ResourceType, "group" | "version">;
  versions: FieldVersions;
  resets: FieldSet;
}

/**
 * Upstream's store does not accept a larger request. Without a limit, each new manager's name would
 * make an object larger.
 */
const managedFieldsBytesMax = 1.5 * 1024 * 1024;

/**
 * Plans the object that an apply produces. @throws ApiError Conflict when the apply takes fields
 * from other managers.
 */
export function planOrRefuse(
  { clock }: Pick<ServerContext, "clock">,
  wanted: WantedApply,
): { object: JsonObject; managedFields: ManagedFieldsEntry[] } {
  const { options, subresource, type, versions, resets } = wanted;
  const apiVersion = apiVersionOf(type);
  const { live, entries } = withoutEntries(wanted.live);
  const plan = planApply(
    { live, applied: wanted.applied, entries, versions, resets },
    {
      manager: options.fieldManager,
      subresource,
      apiVersion,
      time: formatTimestamp(clock.nowMs()),
      force: options.force,
    },
  );
  if (plan.outcome === "conflict") throw conflictError(plan.conflicts);
  const { managedFields } = plan;
  const bytes = Buffer.byteLength(JSON.stringify(managedFields));
  if (bytes > managedFieldsBytesMax) {
    throw requestTooLarge(
      `Request entity too large: metadata.managedFields would have ${bytes} bytes, the limit is ${managedFieldsBytesMax}; apply with fewer managers, or remove the managers with managedFields: []`,
    );
  }
  return { object: plan.object, managedFields };
}

function withoutEntries(object: KubeObject | undefined): {
  live: JsonObject | undefined;
  entries: readonly ManagedFieldsEntry[];
} {
  if (object === undefined) return { live: undefined, entries: [] };
  const { managedFields = [], ...metadata } = object.metadata;
  return { live: { ...object, metadata } as unknown as JsonObject, entries: managedFields };
}
