import { CloudError, cloudCodes } from "../cloud-error.ts";
import type { CloudFaults } from "../faults.ts";
import {
  type CloudAnswer,
  type CloudCallName,
  cloudCallNames,
  cloudCalls,
  type CloudProvider,
} from "../cloud-provider.ts";
import { callSocket } from "./call-socket.ts";

export interface CloudClientOptions {
  /** The path of the cloud's socket. */
  readonly socket: string;
  /** The time limit of an answer. */
  readonly callTimeoutMs: number;
}

/** A client of a cloud's socket. A cloud that cannot be reached is "Unavailable". */
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

/** Returns the faults of the cloud at the socket. */
export async function readCloudFaults(socket: string): Promise<CloudFaults> {
  return faultsIn(await post({ socket, callTimeoutMs: faultsTimeoutMs }, { name: "faults", method: "GET" }));
}

/** Sets all faults of the cloud. @throws CloudError "InvalidRequest" that names the fault. */
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

function post(
  { socket: socketPath, callTimeoutMs }: CloudClientOptions,
  { name, method = "POST", body, signal }: Call,
): Promise<{ status: number; text: string }> {
  const cloud = { socketPath, callTimeoutMs, name: `${name}: the cloud` };
  return callSocket(cloud, { method, path: `/v1/${name}`, body, signal });
}
