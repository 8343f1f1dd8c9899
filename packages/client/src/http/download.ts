import { silentMetrics } from "@kintsugi/api";
import { Exchange } from "../rest/exchange.ts";
import type { HttpClientDeps, HttpClientOptions } from "./http-client.ts";
import { HttpsTransport } from "./https-transport.ts";

/** Silence after which a download is abandoned. */
const headersTimeoutMs = 30_000;

/**
 * An answer of any length, as it arrives; one attempt.
 * @throws ApiError when the server refuses, ConnectionError when the answer breaks off.
 */
export async function* download(
  deps: HttpClientDeps,
  access: HttpClientOptions,
  path: string,
): AsyncGenerator<Uint8Array, void> {
  const transport = new HttpsTransport(access);
  const exchange = new Exchange(
    { metrics: silentMetrics, ...deps, transport },
    {
      userAgent: access.userAgent,
      headers: access.token === undefined ? {} : { authorization: `Bearer ${access.token}` },
      attemptTimeoutMs: headersTimeoutMs,
      callTimeoutMs: headersTimeoutMs,
    },
  );
  try {
    const { body, limits, operation } = await exchange.open({ method: "GET", path });
    try {
      yield* body;
    } catch (error) {
      throw exchange.connectionError(error, operation, { outcomeUnknown: false, signal: undefined });
    } finally {
      limits.release();
    }
  } finally {
    await transport.close();
  }
}
