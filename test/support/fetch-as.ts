import { request } from "node:https";

/** A paused server does not answer at all. */
const answerMaxMs = 20_000;

/**
 * Returns the answer to a GET over TLS with this certificate.
 * @throws Error with the answer unless it is 200.
 */
export function fetchAs(identity: { ca?: string; cert?: string; key?: string }, url: string): Promise<string> {
  const { ca, cert, key } = identity;
  return new Promise((resolve, reject) => {
    const asked = request(url, { ca, cert, key, signal: AbortSignal.timeout(answerMaxMs) }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => (response.statusCode === 200 ? resolve(text) : reject(new Error(`${url}: ${text}`))));
    });
    asked.on("error", reject);
    asked.end();
  });
}
