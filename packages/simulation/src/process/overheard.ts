import type { LogFields, Logger } from "@kintsugi/api";

/**
 * The same logger, for whose lines somebody listens; a line is only put together for whoever wants
 * it.
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

/** As the real logger writes it; an Error is its message and where it came from. */
function textOf(fields: LogFields): string {
  return JSON.stringify(fields, (_, value: unknown) =>
    value instanceof Error ? (value.stack ?? value.message) : value,
  );
}
