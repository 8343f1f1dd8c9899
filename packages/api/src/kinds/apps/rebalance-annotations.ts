/** Annotation of an owner of pods: "true" lets its pods move in any case, "false" in no case. */
export const rebalanceAnnotation = "kintsugi.dev/rebalance";

/** Annotation of a ReplicaSet, ReplicationController or StatefulSet with the record, JSON. */
export const rebalanceRecordAnnotation = "kintsugi.dev/rebalance-record";
