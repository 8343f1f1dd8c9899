import type { LogFields, Logger } from "@kintsugi/api";

/**
 * Returns the logger with a listener for its lines; a line is formatted only on the listener's
 * request.
 */
export function overheard(log: Logger, hear: (line: () => Uint8Array) => void, above: LogFields = {}): Logger {
  const line = (phrase: string, fields: LogFields) => () => Buffer.from(`${phrase} ${textOf({ ...above, ...fields })}`);
  const at =
    (level: "debug" | "info" | "warn" | "error") =>
    (phrase: string, fields: LogFields = {}) => {
      hear(line(phrase, fields));
      log[level](phrase, fields);
    };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => overheard(log.child(fields), hear, { ...above, ...fields }),
  };
}

/** Formats fields like the real logger; an Error is written as its message and its origin. */
function textOf(fields: LogFields): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    value instanceof Error ? (value.stack ?? value.message) : value,
  );
}
