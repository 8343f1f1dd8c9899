import type { Faults } from "../../../validation/faults.ts";
import { sameJson } from "../../../values/json.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import {
  isEmptySelector,
  isNone,
  validateCollisionCount,
  validateCountOrShare,
  validateLastingTemplate,
} from "../workload-validation.ts";
import { parseTemplateGeneration, templateGenerationAnnotation } from "./template-generation.ts";
import type { DaemonSet, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from "./daemon-set.ts";

const strategies = ["RollingUpdate", "OnDelete"];

/** The rules follow ValidateDaemonSetSpec in pkg/apis/apps/validation. */
export function validateDaemonSet(daemonSet: DaemonSet, faults: Faults): void {
  const { spec } = daemonSet;
  validateTemplateGeneration(daemonSet, faults);
  if (spec === undefined) return faults.required("spec.selector");
  const { selector, template } = spec;
  validateLabelSelector(selector, "spec.selector", faults);
  if (isEmptySelector(selector)) faults.invalid("spec.selector", selector, "empty selector is invalid for daemonset");
  validateLastingTemplate(selector, template, { owner: "DaemonSet", faults });
  faults.notNegative("spec.minReadySeconds", spec.minReadySeconds);
  validateUpdateStrategy(spec.updateStrategy ?? {}, faults);
  faults.notNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
}

/** Upstream's decoder rejects such an annotation with the same words. */
function validateTemplateGeneration({ metadata }: DaemonSet, faults: Faults): void {
  const text = metadata.annotations?.[templateGenerationAnnotation];
  if (text === undefined || parseTemplateGeneration(text) !== undefined) return;
  const path = `metadata.annotations[${templateGenerationAnnotation}]`;
  faults.invalid(path, text, `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, faults: Faults): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") return faults.notSupported("spec.updateStrategy", strategy, strategies);
  if (rollingUpdate === undefined) return faults.required("spec.updateStrategy.rollingUpdate");
  validateRollingUpdate(rollingUpdate, faults);
}

/**
 * Either old pods stop before new pods start, or new pods start while old pods still run, but not
 * both.
 */
function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, faults: Faults): void {
  const path = "spec.updateStrategy.rollingUpdate";
  validateCountOrShare(maxUnavailable, `${path}.maxUnavailable`, faults);
  validateCountOrShare(maxSurge, `${path}.maxSurge`, faults);
  const [hasUnavailable, hasSurge] = [!isNone(maxUnavailable), !isNone(maxSurge)];
  if (hasUnavailable && hasSurge) {
    faults.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero");
  }
  if (!hasUnavailable && !hasSurge) {
    faults.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
  }
}

export function validateDaemonSetUpdate(after: DaemonSet, before: DaemonSet, faults: Faults): void {
  const [next, previous] = [after.spec?.selector, before.spec?.selector];
  faults.immutable("spec.selector", next, sameJson(next, previous));
}

const counts = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const;

export function validateDaemonSetStatus(after: DaemonSet, faults: Faults, before: DaemonSet): void {
  const { status } = after;
  for (const field of counts) faults.notNegative(`status.${field}`, status?.[field]);
  validateCollisionCount(status, before.status, faults);
}
