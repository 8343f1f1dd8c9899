import type { ExplainedReason, ExplainedObject } from "../explanation.ts";
import { kubectlCommand, slashed } from "./commands.ts";
import { listed, singleLine } from "./phrases.ts";

/**
 * The components that remove a finalizer by themselves, and the condition under which they remove
 * the finalizer.
 */
const known: Readonly<Record<string, string>> = {
  "batch.kubernetes.io/job-tracking": "the Job controller, once it has counted the pod",
  "kubernetes.io/pvc-protection": "the controller of claims, once no pod uses the claim",
  "kubernetes.io/vac-protection":
    "the controller of VolumeAttributesClasses, once no claim and no volume names the class",
  "snapshot.storage.kubernetes.io/pvc-as-source-protection":
    "the snapshot controller, once the storage driver has taken the snapshots of the claim",
  "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection":
    "the snapshot controller, once no claim waits for a volume that is made of the snapshot",
  "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection":
    "the snapshot controller, once the content of the snapshot is removed",
  "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection":
    "the storage driver's controller, once the VolumeSnapshot is deleted and, with the policy Delete, the driver's snapshot too",
  "kubernetes.io/pv-protection": "the controller of volumes, once no claim is bound to the volume",
  foregroundDeletion: "the garbage collector, once all dependents are removed",
  orphan: "the garbage collector, once the dependents are released",
  kubernetes: "the namespace controller, once the namespace is empty",
};

/** A reason for the finalizers that keep a deleted object; empty without finalizers. */
export function finalizerReasons(about: ExplainedObject, finalizers: readonly string[]): ExplainedReason[] {
  if (finalizers.length === 0) return [];
  const owners = finalizers.map(
    (name) => `${singleLine(name)} is removed by ${known[name] ?? "the client that added it"}`,
  );
  const foreign = finalizers.filter((name) => known[name] === undefined);
  const patch = '[{"op":"remove","path":"/metadata/finalizers"}]';
  return [
    {
      code: "FinalizerHolds",
      about,
      because: `It was deleted, but ${finalizers.length === 1 ? "a finalizer keeps" : "finalizers keep"} it: ${listed(finalizers.map(singleLine))}.`,
      details: owners,
      awaits: "its finalizers to be removed",
      next: "The API server removes it together with its last finalizer.",
      ...(foreign.length === 0
        ? {}
        : {
            remedies: [
              {
                does: "Remove the finalizers by hand, if their owner no longer exists; its cleanup is then skipped",
                command: kubectlCommand(about.namespace, "patch", slashed(about), "--type=json", `-p=${patch}`),
              },
            ],
          }),
    },
  ];
}
