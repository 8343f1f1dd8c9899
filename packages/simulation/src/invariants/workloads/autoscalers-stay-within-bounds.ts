import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { controllerManager } from "../observed/forced-deletions.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** The time at which other bounds replaced these bounds, on the clock of `Known.activeMs`. */
  untilMs: number;
}

/** An autoscaler recommends, and sets, only sizes within its bounds. */
export function autoscalersStayWithinBounds({ known }: InvariantContext): Invariant {
  const boundsOf = new Map<string, Bounds[]>();

  return {
    name: "autoscalers-stay-within-bounds",
    never: "a size that an autoscaler requests or sets outside its bounds (or outside its bounds of the last 15 s)",
    observes: [
      onKind(horizontalPodAutoscalers, ({ type, object, change }, check) => {
        if (type === "delete") return;
        note(change.entry.key, object);
        const { desiredReplicas = 0 } = object.status ?? {};
        // The first decision of an autoscaler sets its recommendation.
        if (desiredReplicas === 0) return;
        check(outside(change.entry.key, desiredReplicas) && `${nameOf(object)} requests ${desiredReplicas} pods`);
      }),
    ],
    request({ request, path, sent }, check) {
      const { replicas } = sent().spec ?? {};
      if (request.identity.name !== controllerManager || path.subresource !== "scale" || replicas === undefined) return;
      for (const [key, autoscaler] of known.of(horizontalPodAutoscalers)) {
        const { scaleTargetRef } = autoscaler.spec ?? {};
        const isOf = scaleTargetRef?.name === path.name && autoscaler.metadata.namespace === path.namespace;
        if (isOf) check(outside(key, replicas) && `${nameOf(autoscaler)} scales ${path.name} to ${replicas} pods`);
      }
    },
  };

  function note(key: string, { spec }: HorizontalPodAutoscaler): void {
    const { activeMs } = known;
    const past = (boundsOf.get(key) ?? []).filter(({ untilMs }) => untilMs + staleViewMs >= activeMs);
    const [min, max] = [spec?.minReplicas ?? 1, spec?.maxReplicas ?? 1];
    const last = past.at(-1);
    if (last?.min === min && last.max === max) return;
    if (last) last.untilMs = activeMs;
    boundsOf.set(key, [...past, { min, max, untilMs: Infinity }]);
  }

  function outside(key: string, size: number): true | undefined {
    const held = (boundsOf.get(key) ?? []).filter(({ untilMs }) => untilMs + staleViewMs >= known.activeMs);
    return held.some(({ min, max }) => min <= size && size <= max) ? undefined : true;
  }
}
