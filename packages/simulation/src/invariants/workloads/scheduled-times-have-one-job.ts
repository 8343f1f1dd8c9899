import { controllerOf, jobs, cronJobTimeAnnotation } from "@kintsugi/api";
import { type Invariant, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/** A CronJob creates one Job for each time of its schedule, even after the Job is deleted. */
export function scheduledTimesHaveOneJob(): Invariant {
  /** UIDs of Jobs by their owner and their time. */
  const made = new Map<string, string>();

  return {
    name: "scheduled-times-have-one-job",
    never: "two Jobs of a CronJob for one time of its schedule",
    observes: [
      onKind(jobs, ({ type, object }, check) => {
        const owner = controllerOf(object);
        const time = object.metadata.annotations?.[cronJobTimeAnnotation];
        if (type !== "put" || owner?.kind !== "CronJob" || time === undefined) return;
        const { uid = "" } = object.metadata;
        const which = `${owner.uid} ${time}`;
        const first = made.get(which) ?? uid;
        made.set(which, first);
        check(first === uid ? undefined : `job ${nameOf(object)} is the second of ${owner.name} for ${time}`);
      }),
    ],
  };
}
