/**
 * A service writes its log lines here. A line is a fixed phrase plus fields, so that lines can be
 * counted and searched: `log.info("pod bound", { pod: "default/web-0", node: "node-1" })`.
 */
export interface Logger {
  debug(phrase: string, fields?: LogFields): void;
  info(phrase: string, fields?: LogFields): void;
  warn(phrase: string, fields?: LogFields): void;
  error(phrase: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. */
  child(fields: LogFields): Logger;
}

/**
 * Values must be safe to print: never a Secret's data, a token or a key. An Error is logged under
 * `error`.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** Drops every line; for tests and tools that print their own progress. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
