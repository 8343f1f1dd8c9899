import { type Container, type Pod, type PodSpec, sameJson, type Toleration } from "@kintsugi/api";
import { type FieldProblem, fieldForbidden } from "../../http/refusals.ts";

const unchangeable =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** What an update of the pod itself may change. */
export function specProblems(pod: Pod, before: Pod): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const [after, old] = [pod.spec, before.spec];
  if (after === undefined || old === undefined || sameJson(after, old)) return problems;
  if (!onlyAdded(after.tolerations ?? [], old.tolerations ?? [])) {
    problems.push(
      fieldForbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds"),
    );
  }
  if (!onlyAdded(old.schedulingGates ?? [], after.schedulingGates ?? [])) {
    problems.push(fieldForbidden("spec.schedulingGates", "only deletion is allowed, but found new scheduling gate"));
  }
  if (!deadlineMayBecome(after.activeDeadlineSeconds, old.activeDeadlineSeconds)) {
    problems.push(
      fieldForbidden(
        "spec.activeDeadlineSeconds",
        "must be less than or equal to previous value and may not be removed",
      ),
    );
  }
  if (!sameJson(withoutChangeable(after, old), withoutChangeable(old, old)))
    problems.push(fieldForbidden("spec", unchangeable));
  return problems;
}

/** A copy in which what may change is as in `old`. */
function withoutChangeable(spec: PodSpec, old: PodSpec): PodSpec {
  const gated = (old.schedulingGates?.length ?? 0) > 0;
  const copy: PodSpec = {
    ...spec,
    containers: withImagesOf(spec.containers, old.containers),
    activeDeadlineSeconds: undefined,
    tolerations: undefined,
    schedulingGates: undefined,
    terminationGracePeriodSeconds: graceAsBefore(spec, old),
  };
  if (spec.initContainers !== undefined)
    copy.initContainers = withImagesOf(spec.initContainers, old.initContainers ?? []);
  // While the scheduler is held off, where the pod may go can still be narrowed.
  if (gated) Object.assign(copy, { nodeSelector: undefined, affinity: undefined });
  return copy;
}

function withImagesOf(containers: readonly Container[], old: readonly Container[]): Container[] {
  return containers.map((container, i) => {
    const image = old[i]?.image;
    return image === undefined ? container : { ...container, image };
  });
}

function graceAsBefore(spec: PodSpec, old: PodSpec): number | undefined {
  const mayBecomeOne = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  return mayBecomeOne ? old.terminationGracePeriodSeconds : spec.terminationGracePeriodSeconds;
}

function deadlineMayBecome(after: number | undefined, old: number | undefined): boolean {
  if (old === undefined) return true;
  return after !== undefined && after <= old;
}

/** Whether everything in `old` is in `all` as well; of a toleration, only its seconds may differ. */
function onlyAdded<T extends object>(all: readonly T[], old: readonly T[]): boolean {
  return old.every((item) => all.some((other) => sameJson(withoutSeconds(item), withoutSeconds(other))));
}

function withoutSeconds(item: object): object {
  const { tolerationSeconds: _, ...rest } = item as Toleration;
  return rest;
}

/** PUT or PATCH of pods/ephemeralcontainers adds, and changes nothing else. */
export function ephemeralContainerProblems(pod: Pod, before: Pod): FieldProblem[] {
  const old = before.spec?.ephemeralContainers ?? [];
  const now = pod.spec?.ephemeralContainers ?? [];
  const problems: FieldProblem[] = [];
  for (const container of old) {
    const same = now.find((other) => other.name === container.name);
    if (same === undefined) {
      problems.push(
        fieldForbidden(
          "spec.ephemeralContainers",
          `existing ephemeral containers ${JSON.stringify(container.name)} may not be removed\n`,
        ),
      );
    } else if (!sameJson(same, container)) {
      problems.push(
        fieldForbidden(
          "spec.ephemeralContainers",
          `existing ephemeral containers ${JSON.stringify(container.name)} may not be changed\n`,
        ),
      );
    }
  }
  return problems;
}

/** PUT or PATCH of pods/resize changes resources of containers, and nothing else. */
export function resizeProblems(pod: Pod, before: Pod): FieldProblem[] {
  const without = (spec: PodSpec | undefined) => ({
    ...spec,
    containers: spec?.containers.map((container) => ({ ...container, resources: undefined, resizePolicy: undefined })),
  });
  if (sameJson(without(pod.spec), without(before.spec))) return [];
  return [fieldForbidden("spec", "only cpu and memory resources are mutable")];
}
