import {
  claimOfVolume,
  csiDrivers,
  formatKey,
  nodes,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
  volumeAttachments,
} from "@kintsugi/api";
import { on, reading } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods } from "../../shared/indexed-kinds.ts";
import { attachDetachOptions } from "./options.ts";
import { AttachDetachReconciler } from "./reconciler.ts";
import { attachDetachRole } from "@kintsugi/rules";

// These indexes find attachments by their node and by their volume.
const indexedAttachments = reading(volumeAttachments, {
  node: ({ spec }) => [spec.nodeName],
  volume: ({ spec }) => [spec.source.persistentVolumeName ?? ""].filter((name) => name !== ""),
});

/**
 * Attaches CSI volumes to the nodes whose pods use them, and detaches them afterwards. It writes
 * VolumeAttachments, which each driver's attacher carries out. Keys are nodes.
 */
export const attachDetachController = defineController({
  name: "persistentvolume-attach-detach",
  options: attachDetachOptions,
  roles: [attachDetachRole],
  events: "attachdetach-controller",
  reads: [indexedPods, nodes, persistentVolumeClaims, persistentVolumes, indexedAttachments],
  optional: [csiDrivers],
  create(context) {
    const { informers } = context;
    const [attachments, podsByNode] = [informers.of(volumeAttachments), informers.of(pods)];
    const reconciler = new AttachDetachReconciler(context);
    const nodesOfClaim = ({ metadata }: PersistentVolumeClaim) =>
      podsByNode
        .byIndex("namespace", metadata.namespace ?? "")
        .filter((pod) => claimNames(pod).includes(metadata.name ?? ""))
        .flatMap(nodeKeyOf);
    return {
      workers: 5,
      keys: () =>
        new Set([
          ...attachments.list().map(({ spec }) => nodeKey(spec.nodeName)),
          ...podsByNode
            .list()
            .filter((pod) => claimNames(pod).length > 0)
            .flatMap(nodeKeyOf),
        ]),
      watches: [
        on(pods, ({ object }) => (claimNames(object).length > 0 ? nodeKeyOf(object) : [])),
        // Nodes change often, but few of them have volumes.
        on(nodes, ({ object }) => {
          const { name = "" } = object.metadata;
          const isConcerned =
            attachments.byIndex("node", name).length > 0 || (object.status?.volumesAttached ?? []).length > 0;
          return isConcerned ? [nodeKey(name)] : [];
        }),
        on(persistentVolumeClaims, ({ object }) => nodesOfClaim(object)),
        on(persistentVolumes, ({ object }) => waitingNodes(object.metadata.name)),
        on(volumeAttachments, (change) => {
          const { spec, status, metadata } = change.object;
          const before = change.type === "modified" ? change.before.status : undefined;
          if (change.type === "modified" && status?.attached === true && before?.attached !== true)
            reconciler.recordAttached(change.object);
          const fault = status?.attachError?.message;
          if (change.type === "modified" && fault !== undefined && fault !== before?.attachError?.message)
            reconciler.recordFailed(change.object, fault);
          if (change.type === "deleted") reconciler.forget(metadata.name ?? "");
          return [nodeKey(spec.nodeName), ...waitingNodes(spec.source.persistentVolumeName)];
        }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };

    /** Nodes with a pod that uses the volume: such a node may wait for the volume. */
    function waitingNodes(volumeName = ""): string[] {
      const ref = informers.of(persistentVolumes).find({ namespace: "", name: volumeName })?.spec?.claimRef;
      const claim =
        ref && informers.of(persistentVolumeClaims).find({ namespace: ref.namespace ?? "", name: ref.name ?? "" });
      return claim === undefined ? [] : nodesOfClaim(claim);
    }
  },
});

function claimNames(pod: Pod): string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimOfVolume(volume, pod.metadata.name ?? "") ?? []);
}

function nodeKeyOf(pod: Pod): string[] {
  return pod.spec?.nodeName ? [nodeKey(pod.spec.nodeName)] : [];
}

function nodeKey(name: string): string {
  return formatKey({ namespace: "", name });
}
