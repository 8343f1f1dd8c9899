import type { PodCgroups } from "../../containers/cgroups/pod-cgroups.ts";
import type { DeviceClaims } from "../../containers/devices/device-claims.ts";
import type { WatchedConfig } from "../../containers/environment/watched-config.ts";
import type { TokenKeeper } from "../../containers/volumes/token-keeper.ts";
import type { Volumes } from "../../containers/volumes/volumes.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { RuntimeHealth } from "../../runtime/observation/runtime-health.ts";
import type { Admission } from "../admission/admission.ts";
import type { PodResizes } from "../admission/pod-resizes.ts";
import type { ProbeManager } from "../probes/probe-manager.ts";
import type { StartFailures } from "../status/start-failures.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import { PodDeadline, type PodDeadlineDeps } from "./pod-deadline.ts";
import { devicesPart } from "./devices-part.ts";
import { EscalationWarnings } from "./escalation-warnings.ts";
import { networkPart } from "./network-part.ts";
import type { PodPart } from "./pod-part.ts";
import { cgroupsPart } from "./cgroups-part.ts";
import { volumesPart } from "./volumes-part.ts";

export interface PodPartsDeps extends PodDeadlineDeps {
  events: PodEvents;
  admission: Admission;
  resizes: PodResizes;
  fence: { conditions(uid: string): ReturnType<NonNullable<PodPart["conditions"]>> };
  probes: ProbeManager;
  health: Pick<RuntimeHealth, "networkError">;
  devices: Pick<DeviceClaims, "prepare" | "isPrepared" | "unprepare" | "isUsedBy">;
  podCgroups: Pick<PodCgroups, "ensure" | "remove">;
  volumes: Volumes;
  volumeSource: WatchedConfig;
  tokens: TokenKeeper;
  failures: StartFailures;
  statuses: StatusWriter;
}

/** The parts of a pod. Their order is the order in which each hook is called. */
export function podParts(deps: PodPartsDeps): readonly PodPart[] {
  const { admission, resizes, fence, probes, failures, statuses } = deps;
  const release = (uid: string) => admission.release(uid);
  return [
    new EscalationWarnings(deps),
    {
      name: "admission",
      admit: ({ pod, observed }, signal) => admission.judge(pod, observed, signal),
      afterEnd: release,
      vacate: release,
      forget: release,
    },
    new PodDeadline(deps),
    {
      name: "resizes",
      conditions: ({ pod, observed }) => resizes.conditions(pod, observed),
      afterEnd: () => resizes.roomMade(),
      vacate: () => resizes.roomMade(),
      forget: (uid) => resizes.forget(uid),
    },
    { name: "self-fence", conditions: ({ pod }) => fence.conditions(pod.metadata.uid) },
    {
      name: "probes",
      follow: ({ pod, observed }) => probes.update(pod, observed),
      stopping: (uid) => probes.stopKilling(uid),
      stopped: (uid) => probes.remove(uid),
      forget: (uid) => probes.remove(uid),
    },
    networkPart(deps),
    devicesPart(deps),
    volumesPart(deps),
    cgroupsPart(deps),
    { name: "statuses", forget: (uid) => statuses.forget(uid) },
    { name: "start failures", forget: (uid) => failures.forget(uid) },
  ];
}
