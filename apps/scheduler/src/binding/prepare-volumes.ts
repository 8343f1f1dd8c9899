import { type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@kintsugi/api";
import type { ObjectWriter } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type ClusterState, isClaimBound, type PodInfo, type Reservation } from "@kintsugi/scheduling";
import { selectedNodeAnnotation } from "@kintsugi/rules";

export interface PrepareVolumesDeps {
  client: Pick<ObjectWriter, "update">;
  clock: Clock;
  state: Pick<ClusterState, "storage" | "isAssumed">;
}

export interface Preparation {
  pod: PodInfo;
  reservation: Reservation;
  signal: AbortSignal;
}

/** Time limit of a write, after which the pod gets another attempt. */
const writeTimeoutMs = 10_000;
/** Upstream's default of bindTimeoutSeconds. */
const bindTimeoutMs = 600_000;
/** The pause between two checks grows: binding takes milliseconds, provisioning up to minutes. */
const firstPauseMs = 20;
const lastPauseMs = 1_000;

/**
 * Writes the volumes and claims of a reservation and waits until the claims are bound (upstream's
 * PreBind of VolumeBinding). If they are not bound, returns the reason.
 */
export async function prepareVolumes(
  deps: PrepareVolumesDeps,
  { pod, reservation, signal }: Preparation,
): Promise<string | undefined> {
  const { client, clock } = deps;
  try {
    const options = { signal, timeoutMs: writeTimeoutMs };
    // Every write names the observed revision, so a volume is never taken from another claim.
    for (const volume of reservation.volumes) await client.update(persistentVolumes, volume, options);
    for (const claim of reservation.claims) await client.update(persistentVolumeClaims, claim, options);
    const startedMs = clock.monotonicMs();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, lastPauseMs)) {
      const state = stateOf(deps, pod, reservation);
      if (state !== "pending") return state === "bound" ? undefined : state.because;
      if (clock.monotonicMs() - startedMs > bindTimeoutMs) return "binding volumes: context deadline exceeded";
      await clock.sleep(pauseMs, signal);
    }
  } catch (error) {
    return `binding volumes: ${(error as Error).message}`;
  }
}

type BindingState = "bound" | "pending" | { because: string };

function stateOf({ state }: PrepareVolumesDeps, pod: PodInfo, { awaited = [], claims }: Reservation): BindingState {
  if (!state.isAssumed(pod.uid)) return { because: "binding volumes: the pod was removed" };
  const provisioned = new Set(claims.map(({ metadata }) => metadata.uid));
  let isPending = false;
  for (const { metadata } of awaited) {
    const { namespace = "", name = "", uid } = metadata;
    const claim = state.storage.findClaim(namespace, name);
    if (claim === undefined || claim.metadata.uid !== uid) {
      return { because: `binding volumes: persistentvolumeclaim "${name}" not found` };
    }
    if (isClaimBound(claim)) continue;
    if (provisioned.has(uid) && isGivenUp(claim)) {
      return { because: `binding volumes: provisioning failed for PVC "${name}"` };
    }
    isPending = true;
  }
  return isPending ? "pending" : "bound";
}

/** The provisioner removes the annotation when it cannot create the volume for that node. */
function isGivenUp({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[selectedNodeAnnotation] === undefined;
}
