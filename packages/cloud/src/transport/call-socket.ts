import { request } from "node:http";
import { CloudError } from "../cloud-error.ts";

/** The answers of clouds and container engines are far smaller, even with hundreds of machines. */
const answerBytesMax = 16 * 1024 * 1024;

export interface SocketCall {
  readonly method: string;
  readonly path: string;
  /** A value of JSON. */
  readonly body?: object | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CalledSocket {
  readonly socketPath: string;
  /** The time limit of an answer. */
  readonly callTimeoutMs: number;
  /** The name of the peer in the message of an error: "the cloud cannot be reached". */
  readonly name: string;
}

/** Sends one request to a socket of this host. @throws CloudError "Unavailable" */
export function callSocket(
  { socketPath, callTimeoutMs, name }: CalledSocket,
  { method, path, body, signal: given }: SocketCall,
): Promise<{ status: number; text: string }> {
  const limit = AbortSignal.timeout(callTimeoutMs);
  const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => {
      const why = limit.aborted ? `no answer within ${callTimeoutMs} ms` : cause.message;
      reject(new CloudError("Unavailable", `${name} cannot be reached: ${why}`, { cause }));
    };
    const sent = request({ socketPath, method, path, signal, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > answerBytesMax) response.destroy(new Error("the answer is too long"));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 500, text }));
      response.on("error", fail);
    });
    sent.on("error", fail);
    if (body === undefined) sent.end();
    else sent.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
}
