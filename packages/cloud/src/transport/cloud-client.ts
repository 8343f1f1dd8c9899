import { request } from "node:http";
import { CloudError, cloudCodes } from "../cloud-error.ts";
import type { CloudFaults } from "../faults.ts";
import {
  type CloudAnswer,
  type CloudCallName,
  cloudCallNames,
  cloudCalls,
  type CloudProvider,
} from "../cloud-provider.ts";

export interface CloudClientOptions {
  /** The path of the cloud's socket. */
  readonly socket: string;
  /** The time that an answer may take. */
  readonly callTimeoutMs: number;
}

/** The answer of a call is far below it, with the instances of a large cluster too. */
const answerBytesMax = 16 * 1024 * 1024;

/** Speaks to a cloud's socket. A cloud that cannot be reached is "Unavailable". */
export function createCloudClient(options: CloudClientOptions): CloudProvider {
  const calls = cloudCallNames.map((name) => [
    name,
    async (body: object, signal?: AbortSignal) => parsed(name, await post(options, { name, body, signal })),
  ]);
  return Object.fromEntries(calls) as unknown as CloudProvider;
}

function parsed(name: CloudCallName, { status, text }: { status: number; text: string }): CloudAnswer<CloudCallName> {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new CloudError("Unavailable", `${name}: the cloud's answer is not JSON`, { cause });
  }
  if (status !== 200) {
    const { code, message } = answer as { code?: string; message?: string };
    throw new CloudError(cloudCodes.find((each) => each === code) ?? "Unavailable", message ?? `status ${status}`);
  }
  const result = cloudCalls[name].answer.safeParse(answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = `${issue?.path.join(".")}: ${issue?.message}`;
  throw new CloudError("Unavailable", `${name}: the cloud's answer has an unknown shape: ${where}`, {
    cause: result.error,
  });
}

/** Returns the misfortunes of the cloud at the socket. */
export async function readCloudFaults(socket: string): Promise<CloudFaults> {
  return faultsIn(await post({ socket, callTimeoutMs: faultsTimeoutMs }, { name: "faults", method: "GET" }));
}

/** Sets all misfortunes of the cloud. @throws CloudError "InvalidRequest" that names the fault. */
export async function writeCloudFaults(socket: string, faults: CloudFaults): Promise<CloudFaults> {
  const call = { name: "faults", method: "PUT", body: faults } as const;
  return faultsIn(await post({ socket, callTimeoutMs: faultsTimeoutMs }, call));
}

const faultsTimeoutMs = 5_000;

function faultsIn({ status, text }: { status: number; text: string }): CloudFaults {
  const answer = JSON.parse(text) as CloudFaults & { code?: string; message?: string };
  if (status === 200) return answer;
  throw new CloudError(cloudCodes.find((each) => each === answer.code) ?? "Unavailable", answer.message ?? "");
}

interface Call {
  readonly name: string;
  readonly method?: "GET" | "PUT" | "POST";
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

function post({ socket, callTimeoutMs }: CloudClientOptions, call: Call): Promise<{ status: number; text: string }> {
  const limit = AbortSignal.timeout(callTimeoutMs);
  const signal = call.signal === undefined ? limit : AbortSignal.any([call.signal, limit]);
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => {
      const why = limit.aborted ? `no answer within ${callTimeoutMs} ms` : cause.message;
      reject(new CloudError("Unavailable", `${call.name}: the cloud cannot be reached: ${why}`, { cause }));
    };
    const sent = request(
      { socketPath: socket, method: call.method ?? "POST", path: `/v1/${call.name}`, signal, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > answerBytesMax) response.destroy(new Error("the answer is too long"));
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 500, text }));
        response.on("error", fail);
      },
    );
    sent.on("error", fail);
    sent.setHeader("content-type", "application/json");
    sent.end(call.body === undefined ? "" : JSON.stringify(call.body));
  });
}
