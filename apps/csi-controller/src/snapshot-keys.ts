// Finalizers and annotations of external-snapshotter.

/** A claim of which a snapshot is being taken stays until the driver has it. */
export const sourceClaimFinalizer = "snapshot.storage.kubernetes.io/pvc-as-source-protection";
/** A snapshot stays while a claim waits for a volume that is made of it. */
export const sourceFinalizer = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
/** A snapshot with the policy Delete stays until its content has gone. */
export const boundFinalizer = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
/** A content stays until the driver has deleted its snapshot, or is not to. */
export const contentFinalizer = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";

/** The driver was requested to take the snapshot, and its answer is not known. */
export const beingCreatedAnnotation = "snapshot.storage.kubernetes.io/volumesnapshot-being-created";
/** The VolumeSnapshot of the content is being deleted. */
export const beingDeletedAnnotation = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
/**
 * The Secret with which a snapshot was taken also deletes it, when its class may no longer exist.
 */
export const deletionSecretName = "snapshot.storage.kubernetes.io/deletion-secret-name";
export const deletionSecretNamespace = "snapshot.storage.kubernetes.io/deletion-secret-namespace";
