import { get } from "node:http";

/**
 * Returns the front page of a web server.
 * @throws after two seconds without an answer.
 */
export function fetchText(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path: "/", agent: false, timeout: 2_000 }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(text));
    });
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", reject);
  });
}
