// Finalizers and annotations of external-snapshotter.

/** A claim of which a snapshot is being taken is retained until the driver has the snapshot. */
export const sourceClaimFinalizer = "snapshot.storage.kubernetes.io/pvc-as-source-protection";
/** A snapshot is retained while a claim waits for a volume from it. */
export const sourceFinalizer = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
/** A snapshot with the policy Delete is retained until its content has been removed. */
export const boundFinalizer = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
/** A content is retained until the driver has deleted its snapshot, or must not delete it. */
export const contentFinalizer = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";

/** The driver was requested to take the snapshot, and its answer is unknown. */
export const beingCreatedAnnotation = "snapshot.storage.kubernetes.io/volumesnapshot-being-created";
/** The VolumeSnapshot of the content is being deleted. */
export const beingDeletedAnnotation = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
/**
 * The Secret with which a snapshot was taken is also used for its deletion, when its class may no
 * longer exist.
 */
export const deletionSecretName = "snapshot.storage.kubernetes.io/deletion-secret-name";
export const deletionSecretNamespace = "snapshot.storage.kubernetes.io/deletion-secret-namespace";
