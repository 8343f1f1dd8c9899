/** The claim is bound, so a volume that is missing afterwards was lost. */
export const bindCompletedAnnotation = "pv.kubernetes.io/bind-completed";

/**
 * The controller, not a user, chose the other side of the binding, so the controller may undo the
 * binding.
 */
export const boundByControllerAnnotation = "pv.kubernetes.io/bound-by-controller";

/** The provisioner with this name made the volume, and deletes it. */
export const provisionedByAnnotation = "pv.kubernetes.io/provisioned-by";

/** The scheduler chose this node for the first pod that uses the claim. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

/**
 * The external provisioner with this name should make a volume for the claim; older provisioners
 * read the second annotation.
 */
export const provisionerAnnotations = [
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
] as const;
