import {
  apiVersionOf,
  formatTimestamp,
  type ManagedFieldsEntry,
  requestTooLarge,
  type ResourceType,
  type TypeDescription,
} from "@kintsugi/api";
import { conflictError } from "../apply/field-conflict.ts";
import { planApply } from "../apply/plan-apply.ts";
import { inOrder } from "../fields/entries.ts";
import type { FieldSet } from "../fields/field-set.ts";
import type { JsonObject } from "../json.ts";
import type { ApplyOptions } from "../request/write-options.ts";
import type { KubeObject } from "../resources/resource.ts";
import type { ServerContext } from "../server-context.ts";

interface WantedApply {
  /**
   * The object as the endpoint serves it, with its managedFields; undefined where there is nothing
   * yet.
   */
  live: KubeObject | undefined;
  applied: JsonObject;
  options: ApplyOptions;
  subresource: string;
  /**
   * True where entries of every version are compared, because they have been translated for the
   * live object.
   */
  allVersions?: true;
  type: Pick<ResourceType, "group" | "version">;
  description: TypeDescription;
  resets: FieldSet;
}

/**
 * Upstream's store takes no larger request. Without a limit, each new manager's name would make an
 * object larger.
 */
const managedFieldsBytesMax = 1.5 * 1024 * 1024;

/**
 * Plans the object that an apply leaves. @throws ApiError Conflict when that takes fields from
 * others.
 */
export function planOrRefuse(
  { clock }: Pick<ServerContext, "clock">,
  wanted: WantedApply,
): { object: JsonObject; managedFields: ManagedFieldsEntry[] } {
  const { options, subresource, type, description } = wanted;
  const apiVersion = apiVersionOf(type);
  const { live, entries } = withoutEntries(wanted.live);
  // Fields of another version, as which an object is served too, are called otherwise: they are
  // left to their owners.
  const comparable = entries.filter((entry) => entry.apiVersion === apiVersion || wanted.allVersions === true);
  const plan = planApply(
    { live, applied: wanted.applied, entries: comparable, type: { type: description }, resets: wanted.resets },
    {
      manager: options.fieldManager,
      subresource,
      apiVersion,
      time: formatTimestamp(clock.nowMs()),
      force: options.force,
    },
  );
  if (plan.outcome === "conflict") throw conflictError(plan.conflicts);
  const others = entries.filter((entry) => !comparable.includes(entry));
  const managedFields = inOrder([...plan.managedFields, ...others]);
  const bytes = Buffer.byteLength(JSON.stringify(managedFields));
  if (bytes > managedFieldsBytesMax) {
    throw requestTooLarge(
      `Request entity too large: metadata.managedFields would have ${bytes} bytes, the limit is ${managedFieldsBytesMax}; apply with fewer managers, or let managedFields: [] forget them`,
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
