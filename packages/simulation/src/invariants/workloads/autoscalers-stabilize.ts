import {
  type ApiObject,
  deployments,
  horizontalPodAutoscalers,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { controllerManager } from "../observed/forced-deletions.ts";
import { nameOf } from "../observed/known-objects.ts";

/** Longest time between a controller's decision and its granted request. */
const underwayMs = 3000;

/**
 * An autoscaler that has just scaled up does not scale down again before the stabilization window
 * has ended: within the window, the highest of its decisions applies. The check excludes a user who
 * lowers the bound, or sets a size above it, and a second controller-manager that lacks the memory
 * of the window.
 */
export function autoscalersStabilize({ clock, clocks, known, timers }: InvariantContext): Invariant {
  /** Sizes to which an autoscaler has scaled up, with their times, by its key. */
  const raised = new Map<string, { size: number; atMs: number }[]>();
  /** The last change of each object's size, by its name. */
  const sizes = new Map<string, { from: number; to: number }>();

  return {
    name: "autoscalers-stabilize",
    never: "an autoscaler that lowers a size within the stabilization window after it has raised the size",
    observes: [
      onKind(horizontalPodAutoscalers, ({ type, object, before, change }) => {
        const { maxReplicas } = object.spec ?? {};
        if (type === "delete" || (before !== undefined && before.spec?.maxReplicas !== maxReplicas))
          raised.delete(change.entry.key);
      }),
      onKind(deployments, ({ object }) => sized(object)),
      onKind(replicaSets, ({ object }) => sized(object)),
      onKind(replicationControllers, ({ object }) => sized(object)),
      onKind(statefulSets, ({ object }) => sized(object)),
    ],
    request({ request, path, sent }, check) {
      const { replicas } = sent().spec ?? {};
      if (path.subresource !== "scale" || replicas === undefined) return;
      for (const [key, autoscaler] of known.of(horizontalPodAutoscalers)) {
        const { scaleTargetRef } = autoscaler.spec ?? {};
        if (scaleTargetRef?.name !== path.name || autoscaler.metadata.namespace !== path.namespace) continue;
        const size = sizes.get(`${path.namespace}/${path.name}`);
        if (request.identity.name !== controllerManager || size?.to !== replicas) continue;
        if (size.from < replicas) note(key, replicas);
        else check(lowered(key, replicas) && `${nameOf(autoscaler)} lowers ${path.name} to ${replicas} pods`);
      }
    },
  };

  function sized(object: ApiObject & { spec?: { replicas?: number | undefined } | undefined }): void {
    const name = nameOf(object);
    const { replicas: to = 1 } = object.spec ?? {};
    const last = sizes.get(name);
    if (last?.to !== to) sizes.set(name, { from: last?.to ?? to, to });
  }

  function note(key: string, size: number): void {
    const atMs = clock.monotonicMs();
    const past = (raised.get(key) ?? []).filter((each) => atMs - each.atMs <= timers.hpaDownscaleStabilizationMs);
    raised.set(key, [...past, { size, atMs }]);
  }

  function lowered(key: string, size: number): true | undefined {
    const windowMs = timers.hpaDownscaleStabilizationMs - underwayMs;
    if (clocks.steadyForMs("controller-manager") <= windowMs) return undefined;
    const nowMs = clock.monotonicMs();
    return (raised.get(key) ?? []).some((each) => each.size > size && nowMs - each.atMs < windowMs) ? true : undefined;
  }
}
