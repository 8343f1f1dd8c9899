import { Client, credentials, type MethodDefinition, type ServiceError, status } from "@grpc/grpc-js";
import type { GRPCAction } from "@kintsugi/api";
import { parseProtos, serviceDefinition } from "@kintsugi/grpc";
import { formatGoDuration } from "../../base/go-duration.ts";
import type { AttemptLimits, ProbeOutcome, ProberOptions, ProbeTarget } from "./prober.ts";
import { joinHostPort, userAgent } from "./network-names.ts";

/** gRPC's health service, as grpc.health.v1 defines it, limited to the part that a probe calls. */
const healthProto = `
syntax = "proto3";
package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse {
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
  ServingStatus status = 1;
}
service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }`;
const { Check: checkCall } = serviceDefinition(parseProtos([healthProto]), "grpc.health.v1.Health");

const channelOptions = {
  // A server that starts while the probe waits has to be found within the time limit, which is a
  // second by default.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.enable_http_proxy": 0,
  "grpc.use_local_subchannel_pool": 1,
};

/**
 * One call of the health service, in upstream's words (pkg/probe/grpc/grpc.go). Like upstream it
 * uses a new connection for each call.
 */
export async function attemptGrpc(
  { port, service = "" }: GRPCAction,
  target: ProbeTarget,
  { timeoutMs, signal, version }: AttemptLimits & ProberOptions,
): Promise<ProbeOutcome> {
  const address = joinHostPort(target.podIp, port);
  const within = formatGoDuration(timeoutMs);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const client = new Client(address, credentials.createInsecure(), {
    ...channelOptions,
    "grpc.primary_user_agent": userAgent("probe", version),
  });
  try {
    if (!(await connects(client, deadline))) {
      const output = `timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`;
      return { kind: "failure", output };
    }
    return judge(await check(client, service, deadline), within);
  } finally {
    client.close();
  }
}

function connects(client: Client, deadline: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (deadline.aborted) resolve(false);
    deadline.addEventListener("abort", () => resolve(false), { once: true });
    client.waitForReady(Infinity, (error) => resolve(error === undefined));
  });
}

/** An enum's number without a name remains a number. */
type HealthCheck = MethodDefinition<{ service: string }, { status: string | number }>;

type Answer = { servingStatus: string } | { error: ServiceError; timedOut: boolean };

function check(client: Client, service: string, deadline: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const { path, requestSerialize, responseDeserialize } = checkCall as HealthCheck;
    const call = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { service },
      (error: ServiceError | null, answer) => {
        deadline.removeEventListener("abort", cancel);
        if (error) resolve({ error, timedOut: deadline.aborted });
        else resolve({ servingStatus: String(answer?.status) });
      },
    );
    const cancel = () => call.cancel();
    deadline.addEventListener("abort", cancel, { once: true });
    if (deadline.aborted) cancel();
  });
}

function judge(answer: Answer, within: string): ProbeOutcome {
  if ("servingStatus" in answer) {
    if (answer.servingStatus === "SERVING") return { kind: "success" };
    return { kind: "failure", output: `service unhealthy (responded with "${answer.servingStatus}")` };
  }
  const { code, details, message } = answer.error;
  if (answer.timedOut || code === status.DEADLINE_EXCEEDED) {
    return { kind: "failure", output: `timeout: health rpc did not complete within ${within}` };
  }
  if (code === status.UNIMPLEMENTED) {
    const output = `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`;
    return { kind: "failure", output };
  }
  return { kind: "failure", output: `error: health rpc probe failed: ${message}` };
}
