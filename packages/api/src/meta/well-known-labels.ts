// Labels, annotations and prefixes that Kubernetes defines and that several workspaces read.

/** Label of a node with its name in the machine's network. */
export const hostnameLabel = "kubernetes.io/hostname";

/** Label of a node with its operating system. */
export const osLabel = "kubernetes.io/os";

/** Label of a node with the name of its zone; machines that fail together share a zone. */
export const zoneLabel = "topology.kubernetes.io/zone";

/** Label of a pod or a ControllerRevision with the hash of the revision. */
export const controllerRevisionHashLabel = "controller-revision-hash";

/** Label of an EndpointSlice with its controller. Slices of other controllers are never changed. */
export const sliceManagerLabel = "endpointslice.kubernetes.io/managed-by";

/** Label of Endpoints whose client manages its own slices. */
export const skipMirrorLabel = "endpointslice.kubernetes.io/skip-mirror";

/** The lower the value, the earlier the pod is deleted when its ReplicaSet shrinks. */
export const podDeletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/** Prefix of the user names of kubelets; the node's name follows. */
export const nodeUserPrefix = "system:node:";
