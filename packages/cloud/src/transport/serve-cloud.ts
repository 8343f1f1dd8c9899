import { chmod, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { untilAborted } from "@kintsugi/clock";
import { CloudError, isCloudError } from "../cloud-error.ts";
import { type CloudCallName, cloudCallNames, cloudCalls, type CloudProvider } from "../cloud-provider.ts";
import { CloudFaults } from "../faults.ts";

export interface ServeCloudDeps {
  readonly cloud: CloudProvider;
  /** The faults of the cloud, set with PUT /v1/faults. */
  readonly faults: { get(): CloudFaults; set(faults: CloudFaults): Promise<void> };
  readonly onError: (error: unknown, call: string) => void;
}

/** A load balancer with a thousand targets needs a tenth of this size. */
const bodyBytesMax = 1024 * 1024;

const statusOf = { InvalidRequest: 400, NotFound: 404, Conflict: 409, Exhausted: 429, Unavailable: 503 } as const;

/**
 * Serves the cloud on a unix socket (0600) until the signal aborts: POST /v1/<call>, GET and PUT
 * /v1/faults.
 */
export async function serveCloud(deps: ServeCloudDeps, socket: string, signal: AbortSignal): Promise<void> {
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    answer(deps, request, gone.signal).then(
      (body) => send(response, 200, body),
      (error: unknown) => {
        if (!isCloudError(error)) deps.onError(error, request.url ?? "");
        const { code, message } = isCloudError(error) ? error : new CloudError("Unavailable", "internal error");
        send(response, statusOf[code], { code, message });
      },
    );
  });
  await rm(socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  // A process that can connect to the socket may do anything to the cloud's machines.
  await chmod(socket, 0o600);
  await untilAborted(signal);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function answer(deps: ServeCloudDeps, request: IncomingMessage, signal: AbortSignal): Promise<object> {
  const [, version, name = ""] = (request.url ?? "").split("/");
  if (version === "v1" && name === "faults") {
    if (request.method === "PUT") await deps.faults.set(parse(CloudFaults, await bodyOf(request)));
    return deps.faults.get();
  }
  const call = cloudCallNames.find((each) => each === name);
  if (request.method !== "POST" || version !== "v1" || call === undefined)
    throw new CloudError("NotFound", `there is no ${request.method} ${request.url}: calls are POST /v1/<name>`);
  return perform(deps.cloud, call, { body: await bodyOf(request), signal });
}

function perform(
  cloud: CloudProvider,
  name: CloudCallName,
  { body, signal }: { body: unknown; signal: AbortSignal },
): Promise<object> {
  const call = cloud[name] as (request: object, signal: AbortSignal) => Promise<object>;
  return call(parse(cloudCalls[name].request as Schema<object>, body), signal);
}

interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function parse<T>(schema: Schema<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
  );
  throw new CloudError("InvalidRequest", `the request has an unknown shape: ${problems.join("; ")}`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new CloudError("InvalidRequest", `the body has more than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString() || "{}");
  } catch (cause) {
    throw new CloudError("InvalidRequest", "the body is not JSON", { cause });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
