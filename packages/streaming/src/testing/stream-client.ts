import { request as httpRequest } from "node:http";
import type { Readable } from "node:stream";
import { dialUpgrade } from "../upgrade/dial-upgrade.ts";
import { SpdySession } from "../spdy/spdy-session.ts";

export interface CommandResult {
  stdout: string;
  stderr: string;
  /** A Status in JSON; undefined when the runtime did not send a status. */
  outcome: CommandOutcome | undefined;
}

export interface CommandOutcome {
  status: string;
  reason?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

/**
 * Runs a command at a runtime's streaming address, as an old kubectl would. `input` is the
 * command's whole input.
 */
export async function runStreamedCommand(url: string, input?: string): Promise<CommandResult> {
  await using session = await open(url, "v4.channel.k8s.io");
  const error = await session.spdy.openStream({ streamtype: ["error"] });
  const stdin = input === undefined ? undefined : await session.spdy.openStream({ streamtype: ["stdin"] });
  const stdout = await session.spdy.openStream({ streamtype: ["stdout"] });
  const stderr = await session.spdy.openStream({ streamtype: ["stderr"] });
  stdin?.end(input);
  const [outcome, out, err] = await Promise.all([error, stdout, stderr].map(readAll));
  return {
    stdout: out ?? "",
    stderr: err ?? "",
    outcome: outcome ? (JSON.parse(outcome) as CommandOutcome) : undefined,
  };
}

/**
 * Connects to a port of a pod and sends a string; returns the answer, and the runtime's report on
 * the connection.
 */
export async function forwardOnce(
  url: string,
  { port, text }: { port: number; text: string },
): Promise<{ answer: string; error: string }> {
  await using session = await open(url, "portforward.k8s.io");
  const headers = { port: [String(port)], requestid: ["0"] };
  const error = await session.spdy.openStream({ streamtype: ["error"], ...headers });
  error.end();
  const data = await session.spdy.openStream({ streamtype: ["data"], ...headers });
  data.end(text);
  const [said, answer] = await Promise.all([readAll(error), readAll(data)]);
  return { answer, error: said };
}

/** @throws with the status when the address is not served. */
async function open(url: string, protocol: string): Promise<{ spdy: SpdySession } & AsyncDisposable> {
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": [protocol] };
  const request = httpRequest(url, { method: "POST", headers, agent: false });
  const answer = await dialUpgrade(request, { signal: new AbortController().signal });
  if (!answer.upgraded) {
    answer.response.resume();
    throw new Error(`the runtime answered with ${answer.response.statusCode}`);
  }
  const spdy = new SpdySession(answer.socket, { side: "client", head: answer.head });
  const ended = spdy.run();
  return {
    spdy,
    [Symbol.asyncDispose]: async () => {
      spdy.destroy();
      await ended;
    },
  };
}

async function readAll(stream: Readable): Promise<string> {
  let text = "";
  for await (const bytes of stream.iterator({ destroyOnReturn: false })) text += (bytes as Buffer).toString();
  return text;
}
