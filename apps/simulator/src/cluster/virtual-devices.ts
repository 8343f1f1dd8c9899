import { apiVersionOf, isApiError, type ResourceClaim, type ResourceSlice, resourceSlices } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { ClaimReference, DeviceClient, PreparedClaim } from "@kintsugi/dra";
import type { CommittedStore } from "@kintsugi/simulation";

/** The driver of the devices of simulated nodes, and their class. */
export const virtualDevicesName = "devices.kintsugi.dev";
/** Few devices are enough, because nodes whose pods wait for devices are the usual case. */
const devicesPerNode = 2;
/**
 * A kubelet deletes its node's slices when it starts; the driver checks for them at this interval.
 */
const publishIntervalMs = 5_000;

/** The driver of one machine's devices; its prepared claims survive the kubelet and power cuts. */
export class NodeDevices {
  readonly #store: Pick<CommittedStore, "list">;
  readonly #nodeName: string;
  /** The claim of each device in use, by the device. */
  readonly #prepared = new Map<string, string>();

  constructor(deps: { store: Pick<CommittedStore, "list"> }, options: { nodeName: string }) {
    this.#store = deps.store;
    this.#nodeName = options.nodeName;
  }

  /** The kubelet's connection to the driver. */
  client(): DeviceClient {
    return {
      nodePrepareResources: async (claims) =>
        new Map(claims.map((claim) => [claim.uid, this.#prepare(claim)] as const)),
      nodeUnprepareResources: async (claims) => {
        for (const { uid } of claims) this.#unprepare(uid);
        return new Map(claims.map(({ uid }) => [uid, { error: "" }] as const));
      },
      isConnected: async () => true,
      close: () => {},
    };
  }

  /** Maintains the node's slice in the API, until the signal aborts. */
  async publish({ client, clock }: { client: Client; clock: Clock }, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await client.create(resourceSlices, this.#slice(), { signal }).catch((error: unknown) => {
        // The server may be unreachable, or the Node may not exist yet.
        if (!signal.aborted && !isApiError(error, "AlreadyExists")) return;
      });
      await clock.sleep(publishIntervalMs, signal).catch(() => {});
    }
  }

  #prepare({ namespace, name, uid }: ClaimReference): PreparedClaim {
    const [entry] = this.#store.list(`resource.k8s.io/resourceclaims/${namespace}/${name}`).entries;
    const claim = entry && (JSON.parse(new TextDecoder().decode(entry.value)) as ResourceClaim);
    if (claim?.metadata.uid !== uid) return { devices: [], error: `claim ${name} does not exist` };
    const results = claim.status?.allocation?.devices?.results ?? [];
    const taken = results.find(({ device }) => (this.#prepared.get(device) ?? uid) !== uid);
    if (taken !== undefined) return { devices: [], error: `device ${taken.device} is allocated to another claim` };
    for (const { device } of results) this.#prepared.set(device, uid);
    const devices = results.map(({ pool, device, request }) => ({
      requestNames: [request],
      poolName: pool,
      deviceName: device,
      cdiDeviceIds: [],
    }));
    return { devices, error: "" };
  }

  #unprepare(claimUid: string): void {
    for (const [device, uid] of this.#prepared) if (uid === claimUid) this.#prepared.delete(device);
  }

  #slice(): ResourceSlice {
    return {
      apiVersion: apiVersionOf(resourceSlices),
      kind: resourceSlices.kind,
      metadata: { name: `${this.#nodeName}-devices` },
      spec: {
        driver: virtualDevicesName,
        nodeName: this.#nodeName,
        pool: { name: this.#nodeName, generation: 1, resourceSliceCount: 1 },
        devices: Array.from({ length: devicesPerNode }, (_, index) => ({ name: `device-${index}` })),
      },
    };
  }
}
