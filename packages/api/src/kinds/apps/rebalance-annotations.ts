/** Annotation of an owner of pods: "true" always allows rebalancing of its pods, "false" never. */
export const rebalanceAnnotation = "kintsugi.dev/rebalance";

/** Annotation of a ReplicaSet, ReplicationController or StatefulSet with the record, JSON. */
export const rebalanceRecordAnnotation = "kintsugi.dev/rebalance-record";
