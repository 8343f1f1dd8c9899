/**
 * The store's log for operators: a fixed phrase plus fields. It is the part of the api package's
 * Logger that is needed here; the store itself must not know that package.
 */
export interface EventLog {
  info(phrase: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(phrase: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentEventLog: EventLog = { info: () => {}, warn: () => {} };
