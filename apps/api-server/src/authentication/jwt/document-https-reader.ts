import { request } from "node:https";
import type { DocumentReader } from "./issuer-keys.ts";
import { readLimitedAnswer } from "../../http/bodies/read-limited-answer.ts";

/** A key set of 64 keys with their certificate chains has a third of this size. */
const documentBytesMax = 1024 * 1024;
const headerBytesMax = 64 * 1024;

/**
 * Reads documents by HTTPS from servers whose certificate is valid for the URL. It does not follow
 * redirects, does not send credentials, and returns only JSON text to the caller.
 */
export function createDocumentReader(): DocumentReader {
  return {
    read: (url, ca, signal) =>
      new Promise((resolve, reject) => {
        const { protocol } = new URL(url);
        if (protocol !== "https:") throw new Error(`${url} is not an https URL`);
        const outgoing = request(url, {
          agent: false,
          headers: { accept: "application/json", "user-agent": "kube-apiserver" },
          maxHeaderSize: headerBytesMax,
          rejectUnauthorized: true,
          signal,
          ...(ca === undefined ? {} : { ca }),
        });
        const fail = (cause: unknown) => {
          outgoing.destroy();
          reject(new Error(`cannot read ${url}`, { cause }));
        };
        outgoing.on("error", fail);
        outgoing.on("response", (response) => {
          if (response.statusCode === 200) readLimitedAnswer(response, documentBytesMax).then(resolve, fail);
          else fail(new Error(`the answer has the status ${response.statusCode}`));
        });
        outgoing.end();
      }),
  };
}
