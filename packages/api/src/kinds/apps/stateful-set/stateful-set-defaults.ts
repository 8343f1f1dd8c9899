import { setPersistentVolumeClaimDefaults } from "../../core/persistent-volume-claim/persistent-volume-claim-kind.ts";
import { setPodSpecDefaults } from "../../core/pod/defaults/pod-defaults.ts";
import type { StatefulSet } from "./stateful-set.ts";

/** The defaults follow SetDefaults_StatefulSet in pkg/apis/apps/v1/defaults.go. */
export function setStatefulSetDefaults({ spec }: StatefulSet): void {
  if (spec === undefined) return;
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy ??= {};
  if (!spec.updateStrategy.type) {
    spec.updateStrategy.type = "RollingUpdate";
    spec.updateStrategy.rollingUpdate ??= {};
  }
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type === "RollingUpdate" && rollingUpdate !== undefined) rollingUpdate.partition ??= 0;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  setPodSpecDefaults((spec.template.spec ??= { containers: [] }));
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion ||= "v1";
    claim.kind ||= "PersistentVolumeClaim";
    setPersistentVolumeClaimDefaults(claim);
  }
}
