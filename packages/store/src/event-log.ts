/**
 * The store's log for operators: a fixed phrase plus fields. It is the part of the api package's
 * Logger that is needed here, because the store must not depend on that package.
 */
export interface EventLog {
  info(phrase: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(phrase: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentEventLog: EventLog = { info: () => {}, warn: () => {} };
