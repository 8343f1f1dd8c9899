import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";

// A container's health check: `node health.mjs https://127.0.0.1:10250/healthz` exits with 0 if the
// answer is 200. It presents the container's own certificate; an image with Node does not need
// curl.

const identityDirectory = "/etc/kintsugi";
/** A healthy service answers immediately. */
const timeoutMs = 4_000;

const [url = ""] = process.argv.slice(2);
const read = (file: string) => readFile(join(identityDirectory, file));
const [cert, key, ca] = await Promise.all([read("tls.crt"), read("tls.key"), read("ca.crt")]);
const asked = request(url, { cert, key, ca, timeout: timeoutMs, checkServerIdentity: () => undefined }, (response) => {
  let said = "";
  response.setEncoding("utf8");
  response.on("data", (text: string) => (said += text));
  response.on("end", () => end(response.statusCode === 200 ? 0 : 1, said));
});
asked.on("timeout", () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
asked.on("error", (error) => end(1, error.message));
asked.end();

function end(code: number, said: string): void {
  process.stdout.write(`${said.trim()}\n`);
  process.exitCode = code;
}
