import type { Logger, LogFields } from "@kintsugi/api";
import { pino, stdSerializers, stdTimeFunctions, type Logger as Pino } from "pino";

export interface LoggerOptions {
  /** The service's name, on every line as `service`. */
  service: string;
  level: LogLevel;
  /** A file descriptor; default 2, standard error. */
  descriptor?: number;
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * A Logger that writes one JSON object per line, synchronously, so that the last lines before a
 * crash are not lost.
 */
export function createLogger(options: LoggerOptions): Logger {
  const lines = pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: stdSerializers.errWithCause },
    },
    pino.destination({ dest: options.descriptor ?? 2, sync: true }),
  );
  return overPino(lines);
}

function overPino(lines: Pino): Logger {
  return {
    debug: (phrase: string, fields: LogFields = {}) => lines.debug(fields, phrase),
    info: (phrase: string, fields: LogFields = {}) => lines.info(fields, phrase),
    warn: (phrase: string, fields: LogFields = {}) => lines.warn(fields, phrase),
    error: (phrase: string, fields: LogFields = {}) => lines.error(fields, phrase),
    child: (fields) => overPino(lines.child(fields)),
  };
}
