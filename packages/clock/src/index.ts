export { type BackoffOptions, backoffDelayMs } from "./backoff.ts";
export { type Clock, sleepOn, type Timer } from "./clock.ts";
export { onAbort, untilAborted } from "./on-abort.ts";
export { turnOrAbort } from "./turn-or-abort.ts";
export { jittered, nameSuffix, nameText, type Random, uuidFromBytes } from "./random.ts";
export { systemClock } from "./system-clock.ts";
export { systemRandom } from "./system-random.ts";
export { Waiter } from "./waiter.ts";
