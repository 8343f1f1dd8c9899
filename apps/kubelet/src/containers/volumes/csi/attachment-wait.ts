import { type Node, type PersistentVolume, volumeAttachments } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { attachmentNameOf, type Texts, uniqueVolumeName } from "@kintsugi/csi";

export interface AttachmentWaitDeps {
  readonly client: Pick<Client, "find">;
  readonly clock: Clock;
  readonly nodeName: string;
  /** Returns this node's Node from the API. */
  readonly ownNode: () => Node | undefined;
}

/** Longest time that one attempt waits; the pod's next attempt continues. */
const waitMsMax = 10_000;
/** Interval at which the local copy of the Node is inspected. No request is sent to the API. */
const lookMs = 50;

/**
 * Waits until the API lists the volume as in use and as attached to this node, and returns the
 * properties for the driver. A volume that the API lists as in use is not detached from a working
 * node. @throws Error in upstream's words when it takes too long.
 */
export async function waitForAttachment(deps: AttachmentWaitDeps, volume: PersistentVolume): Promise<Texts> {
  const { client, clock, nodeName, ownNode } = deps;
  const source = volume.spec?.csi ?? { driver: "", volumeHandle: "" };
  const name = uniqueVolumeName(source);
  const startedMs = clock.monotonicMs();
  for (;;) {
    const { volumesInUse = [], volumesAttached = [] } = ownNode()?.status ?? {};
    if (volumesInUse.includes(name) && volumesAttached.some((each) => each.name === name)) {
      const key = { namespace: "", name: attachmentNameOf(source, nodeName) };
      const { status } = (await client.find(volumeAttachments, key)) ?? {};
      if (status?.attached === true) return status.attachmentMetadata ?? {};
    }
    if (clock.monotonicMs() - startedMs >= waitMsMax)
      throw new Error(
        `timed out waiting for external-attacher of ${source.driver} CSI driver to attach volume ${source.volumeHandle}`,
      );
    await clock.sleep(lookMs);
  }
}
