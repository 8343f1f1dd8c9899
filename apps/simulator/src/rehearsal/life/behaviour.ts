import type { Pod } from "@kintsugi/api";
import type { Random } from "@kintsugi/clock";

/** The times of one pod in one life. */
export interface PodTimes {
  /** Time from the sandbox to the start of the containers. */
  readonly startMs: number;
  /** Time from the start of the containers to the first successful readiness probe. */
  readonly readyMs: number;
  /** Time from the signal to the end of the containers; the grace period bounds it. */
  readonly stopMs: number;
}

/** The ways of pods and images in a life, drawn from what the cluster has shown. */
export interface Behaviour {
  timesOf(pod: Pod, random: Random): PodTimes;
  /** The time that an image takes which the node does not have. */
  pullMs(image: string, random: Random): number;
  /** The time that a container runs before it fails; undefined for one that does not. */
  failsAfterMs(pod: Pod, container: string): number | undefined;
}
