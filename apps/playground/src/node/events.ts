export { EventEmitter, once } from "events-of-browser";

/** Browsers warn of no number of listeners. */
export function setMaxListeners(): void {}

/** Only a warning about too many listeners counts them. */
export function getEventListeners(): [] {
  return [];
}
