import { isPodTerminal, type ResourceClaim, pods, resourceClaims } from "@kintsugi/api";
import { claimEntryAnnotation, claimedPodOf } from "../observed/device-claim.ts";
import { LastingTroubles } from "../../lasting-troubles.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";
import { containerName, isRunning } from "../observed/known-containers.ts";

/** An entry of a pod has one claim, however often its creation is tried. */
export function deviceClaimsAreMadeOnce({ known }: InvariantContext): Invariant {
  return {
    name: "device-claims-are-made-once",
    never: "two device claims that were created for the same entry of a pod",
    observes: [
      onKind(resourceClaims, ({ type, object }, check) => {
        const entry = entryOf(object);
        if (type === "delete" || entry === undefined) return;
        const same = [...known.of(resourceClaims).values()].filter((claim) => entryOf(claim) === entry);
        check(same.length > 1 ? `${same.map(nameOf).join(" and ")} are for one entry of a pod` : undefined);
      }),
    ],
  };
}

/** The containers of only one pod have a device at a time. */
export function devicesAreUsedOnce({ known }: InvariantContext): Invariant {
  /**
   * The devices of each container that has started, by its id, because its claim may be deleted
   * before the container.
   */
  const devicesOf = new Map<string, readonly string[]>();

  return {
    name: "devices-are-used-once",
    never:
      "a container that starts with a device of another node, or with a device that a container of another pod still uses",
    container({ type, container }, check) {
      if (type === "deleted") devicesOf.delete(container.id);
      if (type !== "started") return;
      const claims = [...known.of(resourceClaims).values()].filter(
        (claim) => claimedPodOf(claim)?.uid === container.uid,
      );
      const own = claims.flatMap(devicesIn);
      if (own.length === 0) return;
      devicesOf.set(container.id, own);
      const twin = [...known.containers.all()].find(
        (other) =>
          other.uid !== container.uid &&
          isRunning(other) &&
          (devicesOf.get(other.id) ?? []).some((device) => own.includes(device)),
      );
      check(twin && `${containerName(container)} was started with a device that ${containerName(twin)} still has`);
      const elsewhere = own.find((device) => !device.startsWith(`${container.node}/`));
      check(elsewhere && `${containerName(container)} was started on ${container.node} with device ${elsewhere}`);
    },
  };
}

/** The garbage collector's second pass follows 30 s after its first pass. */
const goneMs = 60_000;

/** Claims and reservations are removed with their pods. */
export function deviceClaimsAreReleased({ known, ...context }: InvariantContext): Invariant {
  const outlived = new LastingTroubles(context);

  return {
    name: "device-claims-are-released",
    never:
      "in a quiet period, a device claim that was created for, or is reserved for, a pod that was deleted or has ended more than 60 s ago",
    tick(check) {
      const stale = new Set<string>();
      // Most runs do not have devices, so pods need not be inspected.
      const present = known.of(resourceClaims).size === 0 ? [] : [...known.of(pods).values()];
      const living = new Set(present.filter((pod) => !isPodTerminal(pod)).map(({ metadata }) => metadata.uid ?? ""));
      for (const claim of known.of(resourceClaims).values()) {
        const owner = claimedPodOf(claim);
        const users = [...(claim.status?.reservedFor ?? []).map(({ uid }) => uid), ...(owner ? [owner.uid] : [])];
        for (const uid of users.filter((each) => !living.has(each))) stale.add(`${nameOf(claim)} of pod ${uid}`);
      }
      for (const [key, forMs] of outlived.observe(stale))
        check(forMs > goneMs ? `claim ${key} has existed after its pod for ${forMs} ms` : undefined);
    },
  };
}

function entryOf(claim: ResourceClaim): string | undefined {
  const entry = claim.metadata.annotations?.[claimEntryAnnotation];
  const pod = claimedPodOf(claim);
  return entry === undefined || pod === undefined ? undefined : `${pod.uid}/${entry}`;
}

/** "node-1/device-0": a pool belongs to one node here. */
function devicesIn({ status }: ResourceClaim): string[] {
  return (status?.allocation?.devices?.results ?? []).map(({ pool, device }) => `${pool}/${device}`);
}
