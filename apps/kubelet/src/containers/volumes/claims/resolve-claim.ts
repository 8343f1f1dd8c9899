import {
  claimOfVolume,
  isClaimOfPod,
  nodeTermMatches,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type BoundPod, containersOf } from "../../../model/bound-pod.ts";
import type { VolumeRequest } from "../plugins/volume-plugin.ts";
import { unprocessable } from "./claim-error.ts";

export interface ResolveClaimDeps {
  client: Pick<Client, "find">;
}

/** The volume to which a claim is bound. */
export interface ClaimedVolume {
  readonly volume: PersistentVolume;
  /** The pod mounts the volume read-only. */
  readonly readonly: boolean;
}

/**
 * Resolves a pod's claim to its PersistentVolume, which must name this very claim, because a later
 * claim of the same name has no right to the data.
 * @throws VolumeError in upstream's words (desired_state_of_world_populator.go createVolumeSpec).
 */
export async function resolveClaim(deps: ResolveClaimDeps, request: VolumeRequest): Promise<ClaimedVolume> {
  const { pod, volume } = request;
  const readonly = volume.persistentVolumeClaim?.readOnly ?? false;
  const claim = await boundClaim(deps, request);
  const found = await read(request, `failed to fetch PV ${claim.spec?.volumeName}`, () =>
    deps.client.find(persistentVolumes, { namespace: "", name: claim.spec?.volumeName ?? "" }),
  );
  const fault = faultOf(found, claim) ?? modeFaultOf(found, { pod, volumeName: volume.name });
  if (fault !== undefined) throw unprocessable(volume.name, fault);
  return { volume: found, readonly };
}

/** Returns the reason why the volume cannot be used on the node; undefined when it can. */
export function affinityFaultOf(
  { spec }: PersistentVolume,
  node: { name: string; labels: Readonly<Record<string, string>> },
): string | undefined {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  const matches = terms === undefined || terms.some((term) => nodeTermMatches(term, node));
  return matches ? undefined : "no matching NodeSelectorTerms";
}

async function boundClaim({ client }: ResolveClaimDeps, request: VolumeRequest): Promise<PersistentVolumeClaim> {
  const { pod, volume } = request;
  const { namespace } = pod.metadata;
  const name = claimOfVolume(volume, pod.metadata.name) ?? "";
  const refuse = (because: string) =>
    unprocessable(volume.name, `error processing PVC ${namespace}/${name}: ${because}`);
  const claim = await read(request, `error processing PVC ${namespace}/${name}: failed to fetch PVC`, () =>
    client.find(persistentVolumeClaims, { namespace, name }),
  );
  if (volume.ephemeral !== undefined && !isClaimOfPod(claim, pod)) {
    throw refuse(
      `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  }
  if (claim.metadata.deletionTimestamp !== undefined) throw refuse("PVC is being deleted");
  if (claim.status?.phase !== "Bound") throw refuse("PVC is not bound");
  if ((claim.spec?.volumeName ?? "") === "") throw refuse("PVC has empty pvc.Spec.VolumeName");
  return claim;
}

/** Reads an object that has to exist. The error names the operation that failed. */
async function read<T>({ volume }: VolumeRequest, operation: string, find: () => Promise<T | undefined>): Promise<T> {
  try {
    const found = await find();
    if (found !== undefined) return found;
  } catch (error) {
    throw unprocessable(volume.name, `${operation} from API server: ${(error as Error).message}`, error);
  }
  throw unprocessable(volume.name, `${operation} from API server: not found`);
}

function faultOf({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const found = `found PV object ${metadata.name} but`;
  const ref = spec?.claimRef;
  if (ref === undefined) {
    return `${found} it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`;
  }
  if (ref.uid === claim.metadata.uid) return undefined;
  return `${found} its pv.Spec.ClaimRef.UID ${ref.uid ?? ""} does not point to claim.UID ${claim.metadata.uid}`;
}

function modeFaultOf({ spec }: PersistentVolume, use: { pod: BoundPod; volumeName: string }): string | undefined {
  const mode = spec?.volumeMode ?? "Filesystem";
  const { pod, volumeName } = use;
  const isIn = (uses: readonly { name: string }[] | undefined) => uses?.some(({ name }) => name === volumeName);
  const containers = containersOf(pod);
  const wrong = (listed: string) => `volume ${volumeName} has volumeMode ${mode}, but is specified in ${listed}`;
  if (mode !== "Filesystem" && containers.some(({ volumeMounts }) => isIn(volumeMounts))) return wrong("volumeMounts");
  if (mode !== "Block" && containers.some(({ volumeDevices }) => isIn(volumeDevices))) return wrong("volumeDevices");
  return undefined;
}
