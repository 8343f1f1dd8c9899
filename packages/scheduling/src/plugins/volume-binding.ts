import type { Plugin } from "../framework/plugin.ts";

/**
 * Kintsugi has no persistent volumes: a pod that claims one waits with upstream's words for a claim
 * that does not exist, instead of being placed without it. The same goes for claims of devices.
 */
export const volumeBinding: Plugin = {
  name: "VolumeBinding",
  filter: ({ pod }) => {
    for (const { name, persistentVolumeClaim, ephemeral } of pod.spec?.volumes ?? []) {
      if (persistentVolumeClaim !== undefined) {
        return { because: `persistentvolumeclaim "${persistentVolumeClaim.claimName}" not found` };
      }
      if (ephemeral !== undefined) {
        const claim = `${pod.metadata.name}-${name}`;
        return { because: `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claim}"` };
      }
    }
    const [claim] = pod.spec?.resourceClaims ?? [];
    return claim === undefined ? "anything" : { because: `resourceclaim "${claim.name}" not found` };
  },
  mayHelp: () => false,
};
