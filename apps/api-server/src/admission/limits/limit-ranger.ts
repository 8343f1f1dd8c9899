import {
  forbidden,
  limitRanges,
  type LimitRange,
  type LimitRangeItem,
  persistentVolumeClaims,
  type Pod,
  pods,
} from "@kintsugi/api";
import type { Store } from "@kintsugi/store";
import { decodeEntry } from "../../resources/encoding.ts";
import { storePrefix, storeResource } from "../../resources/keys.ts";
import { type AdmissionRequest, type AdmissionStep, createdObject } from "../admission.ts";
import { claimFaults, giveDefaults, podFaults } from "./limit-range-rules.ts";

type Ranges = Pick<Store, "list" | "lastRevisionOf">;

/**
 * A namespace's LimitRanges set defaults for containers, and limit pods and claims
 * (plugin/pkg/admission/limitranger).
 */
export function limitRanger({ store }: { store: Ranges }): AdmissionStep {
  const rangesOf = rememberRanges(store);
  return {
    name: "LimitRanger",
    handles: {
      operations: ["create", "update"],
      resources: [pods, persistentVolumeClaims],
      subresources: ["", "resize"],
    },
    mutate: (request) => {
      const pod = createdObject(request, pods);
      if (pod === undefined) return;
      for (const range of rangesOf(request.namespace)) giveDefaults(pod, range);
    },
    validate: (request) => {
      if (!isLimited(request)) return undefined;
      const { object, resource, namespace, name } = request;
      for (const { spec } of rangesOf(namespace)) {
        const faults = (spec?.limits ?? []).flatMap((item) => faultsOf(item, object));
        if (faults.length > 0) return forbidden(resource.type, name, aggregated(faults));
      }
      return undefined;
    },
  };
}

/** A pod's containers change only by a resize. */
function isLimited({ operation, resource, subresource }: AdmissionRequest): boolean {
  if (resource.type.resource !== pods.resource) return subresource === "";
  return operation === "create" ? subresource === "" : subresource === "resize";
}

function faultsOf(item: LimitRangeItem, object: AdmissionRequest["object"]): string[] {
  if (object?.kind === persistentVolumeClaims.kind) return claimFaults(item, object);
  return object === undefined ? [] : podFaults(item, object as Pod);
}

/** Several errors are in brackets, as in Go's aggregates. */
function aggregated(faults: readonly string[]): string {
  const different = [...new Set(faults)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`;
}

/**
 * Pods are created more often than LimitRanges change, so the LimitRanges of a namespace are read
 * once per change of any LimitRange. Memory holds no more LimitRanges than the store.
 */
function rememberRanges(store: Ranges): (namespace: string) => readonly LimitRange[] {
  const resource = storeResource(limitRanges);
  let revision = -1;
  const known = new Map<string, readonly LimitRange[]>();
  return (namespace) => {
    const last = store.lastRevisionOf(resource);
    if (last === 0) return [];
    if (last !== revision) {
      known.clear();
      revision = last;
    }
    let ranges = known.get(namespace);
    if (ranges === undefined) {
      const { entries } = store.list(storePrefix(limitRanges, namespace));
      // A stored object has passed the kind's schema, so it has the kind's shape.
      ranges = entries.map((entry) => decodeEntry(entry) as LimitRange);
      if (ranges.length > 0) known.set(namespace, ranges);
    }
    return ranges;
  };
}
