import { flag, FlagError, type FlagValues } from "@kintsugi/daemon";

/** The flag for traces of recoveries. */
export const tracesFlags = {
  "recovery-traces-endpoint": flag.text({
    help: "URL of an OpenTelemetry collector that receives a trace of each recovery over OTLP/HTTP; traces are sent only if this flag is set",
    placeholder: "url",
    example: "http://127.0.0.1:4318",
  }),
} as const;

/**
 * Returns the address to which traces are posted. As in OpenTelemetry's exporters, an address
 * without a path represents its `/v1/traces`. Undefined where tracing is off.
 * @throws FlagError
 */
export function tracesEndpoint(given: FlagValues<typeof tracesFlags>): string | undefined {
  const text = given["recovery-traces-endpoint"];
  if (text === undefined || text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new FlagError(
      `--recovery-traces-endpoint must be a URL of http or https, such as http://127.0.0.1:4318, not ${JSON.stringify(text)}.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new FlagError(
      "--recovery-traces-endpoint must not contain a password; OTEL_EXPORTER_OTLP_HEADERS has the collector's credentials",
    );
  }
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url.toString();
}
