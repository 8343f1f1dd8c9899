import { request } from "node:http";
import { CloudError } from "../cloud-error.ts";

/** One request to a container engine; resolves with the status and the text of its answer. */
export type EngineCall = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  signal?: AbortSignal,
) => Promise<{ status: number; text: string }>;

/** The containers of a project are some kilobytes each. */
const answerBytesMax = 16 * 1024 * 1024;

/** Speaks to the socket of an engine with Docker's API. @throws CloudError "Unavailable" */
export function engineOn(socketPath: string, callTimeoutMs: number): EngineCall {
  return (method, path, given) => {
    const limit = AbortSignal.timeout(callTimeoutMs);
    const signal = given === undefined ? limit : AbortSignal.any([given, limit]);
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => {
        const why = limit.aborted ? `no answer within ${callTimeoutMs} ms` : cause.message;
        reject(new CloudError("Unavailable", `the container engine cannot be reached: ${why}`, { cause }));
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
      sent.end();
    });
  };
}
