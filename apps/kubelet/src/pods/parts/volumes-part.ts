import { ContainerConfigError } from "../../containers/environment/config-error.ts";
import type { WatchedConfig } from "../../containers/environment/watched-config.ts";
import type { TokenKeeper } from "../../containers/volumes/token-keeper.ts";
import { VolumeError } from "../../containers/volumes/volume-error.ts";
import type { Volumes } from "../../containers/volumes/volumes.ts";
import { mayRun } from "../../model/observed-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { PodPart } from "./pod-part.ts";

export interface VolumesPartDeps {
  volumes: Pick<Volumes, "refresh" | "tearDown" | "remove">;
  volumeSource: Pick<WatchedConfig, "follow" | "forget">;
  tokens: Pick<TokenKeeper, "forget">;
  events: PodEvents;
}

/** Keeps the pod's volumes up to date with the API, and removes them after its end. */
export function volumesPart({ volumes, volumeSource, tokens, events }: VolumesPartDeps): PodPart {
  return {
    name: "volumes",
    /** A volume that cannot be updated keeps its contents. */
    async refresh({ pod, observed }) {
      volumeSource.follow(pod);
      if (!observed.containers.some(mayRun)) return;
      try {
        await volumes.refresh(pod);
      } catch (error) {
        // An unsupported volume is reported when a container is about to start.
        if (error instanceof ContainerConfigError) return;
        if (!(error instanceof VolumeError)) throw error;
        events.warning(pod, "FailedMount", error.message);
      }
    },
    afterEnd(uid) {
      volumeSource.forget(uid);
      return volumes.tearDown(uid);
    },
    removeRemains: (uid) => volumes.remove(uid),
    forget(uid) {
      volumeSource.forget(uid);
      tokens.forget(uid);
    },
  };
}
