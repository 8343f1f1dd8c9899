import type { Container } from "../../spec/container.ts";
import type { Pod } from "../../pod.ts";
import type { PodSpec } from "../../spec/pod-spec.ts";
import { configAnnotations, isMirrorPod } from "../../rules/static-pod.ts";
import { sameJson } from "../../../../../values/json.ts";
import { describeDifferences } from "../../../../../validation/differences.ts";
import type { Faults } from "../../../../../validation/faults.ts";
import { validateObjectMetaUpdate } from "../../../../../validation/object-meta.ts";
import { validatePod } from "../pod.ts";
import { validateGatedChanges } from "./pod-gated-update.ts";
import { validateKeptTolerations, validateRemovedGates } from "../scheduling.ts";

const updatableFields = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];

const mirrorAnnotation = configAnnotations.mirror;

const emptySpec: PodSpec = { containers: [] };

/** Only a few fields of a pod's containers may change after its creation. */
export function validatePodUpdate(after: Pod, before: Pod, faults: Faults): void {
  validatePodMetaUpdate(after, before, faults);
  validatePod(after, faults);
  const { spec: next = emptySpec } = after;
  const { spec: previous = emptySpec } = before;
  for (const list of ["containers", "initContainers"] as const) {
    if ((next[list] ?? []).length !== (previous[list] ?? []).length) {
      return faults.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    }
  }
  validateDeadlineUpdate(next.activeDeadlineSeconds, previous.activeDeadlineSeconds, faults);
  validateKeptTolerations(next.tolerations ?? [], previous.tolerations ?? [], faults);
  validateRemovedGates(next.schedulingGates ?? [], previous.schedulingGates ?? [], faults);
  if (sameJson(next, previous)) return;
  const restored = withUpdatableFields(next, previous);
  const compared =
    (previous.schedulingGates ?? []).length > 0 ? validateGatedChanges(restored, previous, faults) : restored;
  if (sameJson(compared, previous)) return;
  const differences = describeDifferences(previous, compared, "spec");
  faults.forbidden("spec", `pod updates may not change fields other than ${updatableFields.join(",")}\n${differences}`);
}

/** Ephemeral containers are only added. */
export function validateEphemeralContainersUpdate(after: Pod, before: Pod, faults: Faults): void {
  if (isMirrorPod(before)) {
    return faults.forbidden("", "static pods do not support ephemeral containers");
  }
  validatePodMetaUpdate(after, before, faults);
  validatePod(after, faults);
  const path = "spec.ephemeralContainers";
  for (const old of before.spec?.ephemeralContainers ?? []) {
    const kept = after.spec?.ephemeralContainers?.find(({ name }) => name === old.name);
    const named = `existing ephemeral containers ${JSON.stringify(old.name)}`;
    if (kept === undefined) faults.forbidden(path, `${named} may not be removed\n`);
    else if (!sameJson(kept, old)) {
      faults.forbidden(path, `${named} may not be changed\n${describeDifferences(old, kept, old.name)}`);
    }
  }
}

/** Metadata of the pod and the annotations that only the pod's creator may set. */
export function validatePodMetaUpdate(after: Pod, before: Pod, faults: Faults): void {
  validateObjectMetaUpdate(after.metadata, before.metadata, faults);
  const [next, previous] = [
    after.metadata.annotations?.[mirrorAnnotation],
    before.metadata.annotations?.[mirrorAnnotation],
  ];
  if (next === previous) return;
  const verb = previous === undefined ? "add" : "remove or update";
  faults.forbidden(`metadata.annotations[${mirrorAnnotation}]`, `may not ${verb} mirror pod annotation`);
}

const secondsMax = 2 ** 31 - 1;

/** A deadline may be set and shortened, but neither extended nor removed. */
function validateDeadlineUpdate(after: number | undefined, before: number | undefined, faults: Faults): void {
  const path = "spec.activeDeadlineSeconds";
  if (after === undefined) {
    if (before !== undefined) faults.invalid(path, after, "must not update from a positive integer to nil value");
  } else if (after < 0 || after > secondsMax) {
    faults.invalid(path, after, `must be between 0 and ${secondsMax}, inclusive`);
  } else if (before !== undefined && before < after) {
    faults.invalid(path, after, "must be less than or equal to previous value");
  }
}

/** The new spec with the old values of all mutable fields. */
function withUpdatableFields(next: PodSpec, previous: PodSpec): PodSpec {
  const grace = previous.terminationGracePeriodSeconds;
  const graceMended = grace !== undefined && grace < 0 && next.terminationGracePeriodSeconds === 1;
  return {
    ...next,
    containers: withImagesOf(previous.containers, next.containers),
    initContainers: next.initContainers && withImagesOf(previous.initContainers ?? [], next.initContainers),
    activeDeadlineSeconds: previous.activeDeadlineSeconds,
    tolerations: previous.tolerations,
    schedulingGates: previous.schedulingGates,
    terminationGracePeriodSeconds: graceMended ? grace : next.terminationGracePeriodSeconds,
  };
}

function withImagesOf(previous: readonly Container[], next: readonly Container[]): Container[] {
  return next.map((container, index) => ({ ...container, image: previous[index]?.image }));
}
