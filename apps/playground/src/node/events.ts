export { EventEmitter, once } from "events-of-browser";

/** Browsers never warn about the number of listeners. */
export function setMaxListeners(): void {}

/** Only a warning about too many listeners uses the count. */
export function getEventListeners(): [] {
  return [];
}
